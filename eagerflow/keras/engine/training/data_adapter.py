"""Data of any kind as batches of tensors."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import random_seed
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.keras import config
from eagerflow.keras.engine.training.sequence_workers import Workers, workers_of
from eagerflow.keras.utils.dataset_creator import DatasetCreator
from eagerflow.ops.indexing import gather
from eagerflow.ops.random.stateful import shuffle
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import Structure
from eagerflow.util import lazy

if TYPE_CHECKING:
    from eagerflow.data.dataset import Dataset

# Imported when they are first used: few programs need them.
arguments = lazy.Module("eagerflow.data.arguments")
conversion = lazy.Module("eagerflow.sparse.conversion")
prefetching = lazy.Module("eagerflow.data.prefetching")
sharding = lazy.Module("eagerflow.distribute.sharding")
tf_data = lazy.Module("eagerflow.data")

_ops = _core.ops
_Tensor = _core.Tensor


def pack_x_y_sample_weight(x: Any, y: Structure = None, sample_weight: Structure = None) -> Any:
    """Inputs, labels and weights as one batch.

    Inputs alone are a batch as they are, unless they are a tuple.

    >>> tf.keras.utils.pack_x_y_sample_weight(1, 2)
    (1, 2)
    >>> tf.keras.utils.pack_x_y_sample_weight({"a": 1})
    {'a': 1}
    """
    if y is None:
        return (x,) if isinstance(x, tuple) else x
    if sample_weight is None:
        return (x, y)
    return (x, y, sample_weight)


def _batch_of(x: object, y: Structure, sample_weight: Structure) -> Any:
    """A batch that unpacks to these: several inputs in a list must not be taken for labels."""
    return (
        (x,) if y is None and isinstance(x, list) else pack_x_y_sample_weight(x, y, sample_weight)
    )


def _lists_to_tuples(data: Structure) -> Any:
    """A batch with tuples for lists, which datasets would convert to tensors."""
    if isinstance(data, list) or type(data) is tuple:
        return tuple(map(_lists_to_tuples, data))
    if isinstance(data, dict):
        return {key: _lists_to_tuples(value) for key, value in data.items()}
    return data


def unpack_x_y_sample_weight(data: Structure) -> tuple[Any, Any, Any]:
    """Inputs, labels and weights of a batch; None for missing ones.

    Raises:
        ValueError: for a tuple of more than three.

    >>> tf.keras.utils.unpack_x_y_sample_weight((1, 2))
    (1, 2, None)
    """
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if len(data) == 1:
        return data[0], None, None
    if len(data) == 2:
        return data[0], data[1], None
    if len(data) == 3:
        return data[0], data[1], data[2]
    raise ValueError(
        "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, "
        f"found: {data}"
    )


def is_frame(value: object) -> bool:
    """Whether a value is a table or column of pandas, Polars or Arrow."""
    package = type(value).__module__.partition(".")[0]
    return package in ("pandas", "polars", "pyarrow") and hasattr(value, "__array__")


def is_array(value: object) -> bool:
    if isinstance(value, np.ndarray | _core.Tensor | _core.Variable) or is_frame(value):
        return True
    if type(value).__module__.startswith("h5py") and hasattr(value, "shape"):
        return True
    if type(value).__module__.startswith("scipy.sparse") and hasattr(value, "toarray"):
        return True
    return getattr(type(value), "_is_composite_tensor", False)


def _is_scalars(value: object) -> bool:
    """Whether a value is a list of numbers or strings, or a list of such lists."""
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, float | int | str | bytes | np.generic)


def array_of(value: object) -> Any:
    """A tensor for an array, a table, or lists of scalars; floats in the default float type."""
    if isinstance(value, _Tensor):
        return value
    if isinstance(value, _core.Variable):
        return value.read_value()
    if getattr(type(value), "_is_composite_tensor", False):
        return value
    if is_frame(value):
        value = np.asarray(value)
        if value.dtype == object:
            try:
                value = value.astype(np.float64)
            except (TypeError, ValueError):
                pass
    elif hasattr(value, "toarray"):
        matrix: Any = value.tocoo()  # type: ignore[attr-defined]
        indices = np.stack([matrix.row, matrix.col], axis=1).astype(np.int64)
        return conversion.reorder(SparseTensor(indices, array_of(matrix.data), matrix.shape))
    value = np.asarray(value)
    if value.dtype.kind == "f" and value.dtype != config.defaults.float_dtype.as_numpy_dtype:
        if value.dtype.itemsize > 2 or config.floatx() != "float32":
            value = value.astype(config.defaults.float_dtype.as_numpy_dtype)
    return _core.as_tensor(value)


def to_tensors(data: Structure, floats: bool = True) -> Any:
    """A batch, whatever it came as, with tensors as its leaves."""

    def convert(value: object) -> Any:
        if value is None or isinstance(value, _Tensor):
            return value
        if getattr(type(value), "_is_composite_tensor", False):
            return value
        if isinstance(value, _core.Variable):
            return value.read_value()
        if is_array(value) or isinstance(value, np.generic):
            return array_of(value)
        if isinstance(value, float):
            return _core.convert(value, config.defaults.float_dtype, None)
        return _core.as_tensor(value)

    return nest.map_structure(convert, data)


class DataAdapter:
    """A source of batches for each epoch.

    `size` is the number of batches in an epoch, None if unknown; `batch_size` the number of samples
    in a batch.
    """

    size: int | None = None
    batch_size: int | None = None
    partial_batch: int = 0
    _taken = 0  # how many batches of the current round have been read
    _resumed: Any = None  # the state in which the next round begins

    def batches(self) -> Iterator[Any]:
        """The batches of the next epoch, or the rest of one that is resumed."""
        resumed, self._resumed = self._resumed, None
        return self._read(resumed)

    def _read(self, resumed: Any) -> Iterator[Any]:
        """The batches of a round, or what is left of it in a state."""
        raise TypeError(f"{type(self).__name__} has no batches.")

    def state(self) -> dict[str, Any]:
        """The position in the data, as plain values and tensors."""
        return {"taken": self._taken}

    def restore(self, state: dict[str, Any]) -> None:
        """Has `batches` go on at a position that `state` returned, perhaps in another process."""
        self._resumed = state

    def advanced(self, position: dict[str, Any]) -> dict[str, Any]:
        """How far data have been read: to a position before this adapter, then by it."""
        return position

    def agree_on_order(self, communicator: Any) -> None:
        """Has all processes shuffle alike.

        Args:
            communicator: that of the processes.
        """

    def read_end(self, batches: Iterator[Any]) -> None:
        """Called when an epoch has taken as many batches as there are."""

    def on_epoch_end(self) -> None:
        """Called when an epoch is over."""

    def restarts(self) -> bool:
        """Whether a new epoch restarts the data although the program sets the steps of an epoch."""
        return False

    @property
    def element_spec(self) -> Any:
        """The specs of a batch."""
        raise TypeError(f"{type(self).__name__} has no batches.")

    @property
    def sizes(self) -> Any:
        """The specs of a batch, with the sizes that are known."""
        return self.element_spec

    def first_batch(self) -> Any:
        """A batch to build models with if the specs have unknown sizes; else None."""
        return None


# As the size of batches: all samples in one batch.
ALL = -1


class ArrayAdapter(DataAdapter):
    """Arrays, cut along their first axis.

    Args:
        x: arrays in any structure.
        y: labels, or None.
        sample_weight: weights, or None.
        batch_size: how many samples make a batch.
        shuffle: whether to shuffle the samples in each epoch; "batch" shuffles batches.
        steps: how many batches make an epoch; the default is all.

    Raises:
        ValueError: if the arrays' first sizes differ.
    """

    def __init__(
        self,
        x: Any,
        y: Structure = None,
        sample_weight: Structure = None,
        batch_size: int | None = None,
        shuffle: object = False,
        steps: int | None = None,
    ) -> None:
        data = (x, y, sample_weight)
        self._structure = _lists_to_tuples(_batch_of(x, y, sample_weight))
        flat = nest.flatten(self._structure)
        self._tensors = [None if value is None else array_of(value) for value in flat]
        sizes = {_rows(value) for value in self._tensors if value is not None}
        if len(sizes) != 1:
            _raise_sizes(data)
        self._rows = sizes.pop()
        if batch_size is None:
            batch_size = math.ceil(self._rows / steps) if steps else 32
        elif batch_size == ALL:
            batch_size = self._rows
        self.batch_size = batch_size
        self.size = math.ceil(self._rows / batch_size)
        self.partial_batch = self._rows % batch_size
        self._shuffle = shuffle
        self._order: Any = None
        self._rounds = 0  # how often they were read, with the current round
        self._drawn: Any = None  # the random numbers by which the last order was made
        self._seed = random_seed.current()
        self._op_seeds = random_seed.NodeSeeds(self._seed, 0)
        self._pack = nest.walker.packer(self._structure)
        single = all(isinstance(value, _Tensor) for value in self._tensors)
        self._pick: Callable[[Any, Any], Any] = _gathered if single else _pick

    def agree_on_order(self, communicator: Any) -> None:
        """Has all processes shuffle like the first.

        Args:
            communicator: that of the processes.
        """
        seed = random_seed.current()
        if seed is None:
            seed = int.from_bytes(random_seed.system_entropy(3), "little")
        self._seed = communicator.broadcast_object(seed)
        self._op_seeds = random_seed.NodeSeeds(self._seed, 0)

    def _read(self, resumed: Any) -> Iterator[Any]:
        if resumed is None:
            self._rounds += 1
            self._taken = 0
        elif self._taken == self.size:
            return
        orders = self._orders(self._drawn if resumed else None)
        for chosen in itertools.islice(orders, self._taken, None):
            self._taken += 1
            if isinstance(chosen, int):
                yield self._cut(chosen)
            else:
                yield self._pack([self._pick(value, chosen) for value in self._tensors])

    def _orders(self, drawn: Any = None) -> Iterator[Any]:
        """The rows of each batch: where they begin, or a tensor of indices.

        Args:
            drawn: the random numbers by which a resumed epoch is shuffled.
        """
        rows, step = self._rows, self.batch_size
        assert step is not None
        if self._shuffle == "batch":
            return self._shuffled_batches()
        starts = range(0, rows, step)
        if not self._shuffle:
            return iter(starts)
        if drawn:
            with random_seed.drawing(lambda *_: tuple(drawn)):
                order = shuffle(_core.as_tensor(np.arange(rows)))
        else:
            order = self._permutation(rows)
        return map(order.__getitem__, map(slice, starts, range(step, rows + step, step)))

    def _shuffled_batches(self) -> Iterator[Any]:
        """The rows of batches in random order, and the samples in each, too."""
        rows, step = self._rows, self.batch_size
        assert step is not None
        if self._order is None:
            seed = self._seed
            if seed is not None:
                seed = 0 if seed == random_seed.current() else seed
            self._order = tf_data.Dataset.range(self.size).shuffle(1024, seed=seed)
        for batch in self._order:
            start = int(batch) * step
            stop = min(start + step, rows)
            inside = self._permutation(stop - start)
            yield inside + _core.convert(start, inside.dtype, None)

    def state(self) -> dict[str, Any]:
        return {"taken": self._taken, "rounds": self._rounds, "drawn": list(self._drawn or ())}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        before = state["rounds"] - self._rounds
        self._rounds, self._taken = state["rounds"], state["taken"]
        # What follows from the seed is drawn again, to draw what comes after it.
        if self._seed is not None and self._shuffle == "batch":
            for _ in range(before - (self._taken < (self.size or 0))):
                for _ in self._shuffled_batches():
                    pass
        elif self._seed is not None and self._shuffle:
            for _ in range(before):
                self._permutation(self._rows)
        self._drawn = state["drawn"]

    def _permutation(self, count: int) -> _Tensor:
        """A random order; the first of an adapter follows from the global seed alone."""
        order = _core.as_tensor(np.arange(count))
        with random_seed.drawing(self._draw):
            return shuffle(order)

    def _draw(self, *call: Any) -> tuple[int, int, int]:
        self._drawn = self._op_seeds.draw(*call)
        return self._drawn

    def _cut(self, start: int) -> Any:
        stop = start + (self.batch_size or 0)
        return self._pack([_slice(value, start, stop) for value in self._tensors])

    @property
    def element_spec(self) -> Any:
        """The specs of a batch; the batch size is None if batches differ in size."""
        composite = any(hasattr(value, "_type_spec") for value in self._tensors)
        size = None if self.partial_batch or composite else self.batch_size
        return self._pack([_spec_of_batch(value, size) for value in self._tensors])

    def restarts(self) -> bool:
        """Arrays start again only when all of them has been seen."""
        return False


def _spec_of_batch(value: Any, size: int | None) -> Any:
    """The spec of so many rows of a tensor."""
    if value is None:
        return None
    spec = TensorSpec(value.shape, value.dtype) if isinstance(value, _Tensor) else value._type_spec
    if hasattr(spec, "_gathered"):
        return spec._unbatch()._batch(size)
    return with_shape(spec, [size, *spec.shape.as_list()[1:]])


def _specs_of(batch: Structure) -> Any:
    """The specs of batches that are like one, of any number of samples."""
    return nest.map_structure(lambda value: _spec_of_batch(value, None), batch)


def with_shape(spec: TypeSpec, shape: list[int | None]) -> TypeSpec:
    """A spec of such values with another shape."""
    if isinstance(spec, TensorSpec):
        return TensorSpec(shape, spec.dtype)
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    return spec


def _of_any_sizes(batch: Structure) -> Any:
    """The specs of a batch with ranks but no sizes."""

    def spec_of(value: Any) -> Any:
        if value is None:
            return None
        spec = (
            TensorSpec(value.shape, value.dtype) if isinstance(value, _Tensor) else value._type_spec
        )
        if hasattr(spec, "_gathered"):
            return spec._unbatch()._batch(None)
        return with_shape(spec, [None for _ in spec.shape.as_list()])

    return nest.map_structure(spec_of, batch)


def _is_batchable(value: object) -> bool:
    """Whether a value is of an extension type that has slices."""
    return hasattr(getattr(value, "_type_spec", None), "_gathered")


def _rows(value: Any) -> int:
    if _is_batchable(value):
        return len(value._type_spec._slices(value))
    shape = value.shape
    if len(shape) == 0:
        raise ValueError(f"Arrays of samples need at least one axis, got a scalar: {value!r}.")
    return int(shape[0])


def _slice(value: Any, start: int, stop: int) -> Any:
    if value is None:
        return None
    if hasattr(value, "dense_shape"):
        return _pick_sparse(value, np.arange(start, min(stop, _rows(value))))
    if _is_batchable(value):
        rows = _core.as_tensor(np.arange(start, min(stop, _rows(value))))
        return value._type_spec._gathered(value, rows)
    return value[start:stop]


_gathered = functools.partial(_ops.gather, axis=0, batch_dims=0)


def _pick(value: Any, rows: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, _Tensor):
        return _gathered(value, rows)
    if hasattr(value, "dense_shape"):
        return _pick_sparse(value, rows.numpy())
    if _is_batchable(value):
        return value._type_spec._gathered(value, rows)
    return gather(value, rows)


def _pick_sparse(value: Any, rows: np.ndarray) -> SparseTensor:
    """Rows of a sparse tensor."""
    indices = value.indices.numpy()
    order = np.argsort(indices[:, 0], kind="stable")
    row_ids = indices[order, 0]
    starts = np.searchsorted(row_ids, rows, "left")
    counts = np.searchsorted(row_ids, rows, "right") - starts
    ends = np.cumsum(counts)
    inside = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    positions = order[np.repeat(starts, counts) + inside]
    picked = indices[positions]
    picked[:, 0] = np.repeat(np.arange(len(rows)), counts)
    shape = value.dense_shape.numpy().copy()
    shape[0] = len(rows)
    values = _ops.gather(value.values, _core.as_tensor(positions), axis=0)
    return SparseTensor(picked, values, shape)


def _raise_sizes(data: tuple) -> None:
    lines = []
    for label, part in zip(("x", "y", "sample_weight"), data, strict=True):
        if part is not None:
            sizes = ", ".join(str(_rows(array_of(value))) for value in nest.flatten(part))
            lines.append(f"  {label} sizes: {sizes}")
    raise ValueError(
        "Data cardinality is ambiguous:\n"
        + "\n".join(lines)
        + "\nMake sure all arrays contain the same number of samples."
    )


class DatasetAdapter(DataAdapter):
    """A dataset, or another object that can be iterated over and has an `element_spec`.

    Raises:
        ValueError: if it has no end and there are no steps.
    """

    def __init__(self, dataset: Dataset, steps: int | None = None) -> None:
        if steps is None:
            refuse_endless(dataset)
        self._dataset = dataset
        self._steps = steps
        self.size = _cardinality(dataset)
        self._iterator: Any = None
        self._passes = 0  # how many iterators there were

    def _read(self, resumed: Any) -> Iterator[Any]:
        if resumed is None:
            self._iterator = iter(self._dataset)
            self._passes += 1
        return self._iterator

    def state(self) -> dict[str, Any]:
        return {"position": self._iterator.state(), "passes": self._passes}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        if state["position"] is None:  # it had come to its end
            for _ in range(state["passes"] - 1 - self._passes):
                iter(self._dataset)
        self._iterator = iter(self._dataset)
        self._iterator.restore(state["position"])
        self._passes = state["passes"]

    def advanced(self, position: dict[str, Any]) -> dict[str, Any]:
        return {"passes": position.get("passes", 0) + self._passes}

    def stateful_operation(self) -> str | None:
        """An operation of the pipeline whose results depend on more than the position; None without one."""
        return self._dataset._stateful_operation()

    def shared_out(self, communicator: Any) -> DatasetAdapter:
        """An adapter of what this process reads of the dataset.

        Args:
            communicator: that of the processes.
        """
        if sharding.is_shared_out(self._dataset):
            return self
        return DatasetAdapter(sharding.share_of_process(self._dataset, communicator), self._steps)

    def read_end(self, batches: Iterator[Any]) -> None:
        """Has data that are read ahead come to their end: a cache before is complete then."""
        if isinstance(self._dataset, prefetching.PrefetchDataset):
            next(batches, None)

    @property
    def element_spec(self) -> Any:
        """The dataset's."""
        return self._dataset.element_spec

    def restarts(self) -> bool:
        """A finite dataset restarts in each epoch if an epoch reads all of it."""
        return self._steps is None or (self.size is not None and self.size == self._steps)


def refuse_endless(dataset: object) -> None:
    """Raises a ValueError for an infinite dataset."""
    method = getattr(dataset, "cardinality", None)
    if method is None:
        return
    if int(method()) == arguments.INFINITE:
        raise ValueError(
            "When providing an infinite dataset, you must specify the number of steps to run (if "
            "you did not intend to create an infinite dataset, make sure to not call `repeat()` "
            "on the dataset)."
        )


def _cardinality(dataset: object) -> int | None:
    method = getattr(dataset, "cardinality", None)
    if method is None:
        return None
    size = int(method())
    return size if size >= 0 else None


class GeneratorAdapter(DataAdapter):
    """A Python generator or iterator, whose batches become tensors."""

    def __init__(self, generator: Any) -> None:
        self._iterator = iter(generator)
        self._first = [_standardized(batch) for batch in itertools.islice(self._iterator, 1)]
        self._spec = _of_any_sizes(self._first[0]) if self._first else None
        self._sizes = _specs_of(self._first[0]) if self._first else None

    @property
    def element_spec(self) -> Any:
        """The ranks of what the first batch has."""
        return self._spec

    @property
    def sizes(self) -> Any:
        return self._sizes

    def first_batch(self) -> Any:
        """The first batch, which `batches` returns again."""
        return self._first[0] if self._first else None

    def _read(self, resumed: Any) -> Iterator[Any]:
        """The remaining batches."""
        while self._first:
            self._taken += 1
            yield self._first.pop()
        for batch in self._iterator:
            self._taken += 1
            yield _standardized(batch)

    def restore(self, state: dict[str, Any]) -> None:
        """Reads the batches before the position again."""
        super().restore(state)
        for _ in zip(range(state["taken"]), self._read(None), strict=False):
            pass

    def advanced(self, position: dict[str, Any]) -> dict[str, Any]:
        return {"read": position.get("read", 0) + self._taken + len(self._first)}


def _standardized(batch: Structure) -> Any:
    """A generator's batch: an outer list becomes a tuple, and scalars become tensors."""
    if not isinstance(batch, tuple) and isinstance(batch, list):
        batch = tuple(batch)
    x, y, sample_weight = unpack_x_y_sample_weight(batch)
    data = _batch_of(x, y, sample_weight)

    def plain(value: object) -> Any:
        return np.asarray(value) if isinstance(value, list) and _is_scalars(value) else value

    if isinstance(data, tuple):
        data = tuple(plain(value) for value in data)
    else:
        data = plain(data)
    return _lists_to_tuples(to_tensors(data))


class SequenceAdapter(DataAdapter):
    """An object whose batches have indices, as `tf.keras.utils.Sequence`."""

    def __init__(self, sequence: Any, shuffle: Any = False, workers: Workers | None = None) -> None:
        self._sequence = sequence
        self._shuffle = shuffle
        self._shuffled: Callable[[list[int]], None] = random.shuffle
        self._order: list[int] = []
        self._seeds: tuple[int, ...] = ()
        self._workers = workers_of(sequence, workers or Workers())
        self.size = len(sequence)
        # Like Keras, reads a batch first: sequences that augment draw random values for it.
        self._first = _standardized(sequence[0]) if self.size else None

    @property
    def element_spec(self) -> Any:
        """The ranks of what the first batch has."""
        return _of_any_sizes(self._first)

    @property
    def sizes(self) -> Any:
        return _specs_of(self._first)

    def first_batch(self) -> Any:
        """The first batch."""
        return self._first

    def _read(self, resumed: Any) -> Iterator[Any]:
        """The batches; workers go on with another round where an epoch is longer."""
        yield from self._round(resumed)
        while self._workers.ahead:
            self._sequence.on_epoch_end()
            yield from self._round()

    def state(self) -> dict[str, Any]:
        state = {"taken": self._taken, "order": self._order, "seeds": list(self._seeds)}
        return state | {"own": self._own_state()}

    def _own_state(self) -> Any:
        read = getattr(self._sequence, "training_state", None)
        return None if read is None else read()

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self._order, self._taken = state["order"], state["taken"]
        self._seeds = self._workers.round_seeds(tuple(state["seeds"]))
        restore_own(self._sequence, state["own"])

    def advanced(self, position: dict[str, Any]) -> dict[str, Any]:
        return {"own": self._own_state()}

    def agree_on_order(self, communicator: Any) -> None:
        """Has all processes shuffle alike, even if their random states differ.

        Args:
            communicator: that of the processes.
        """
        own = int.from_bytes(random_seed.system_entropy(8), "little")
        states = communicator.all_gather_object((hash(random.getstate()[1]), own))
        if any(state != states[0][0] for state, _ in states):
            self._shuffled = random.Random(states[0][1]).shuffle

    def _round(self, resumed: Any = None) -> Iterator[Any]:
        if resumed is None:
            self._order = list(range(len(self._sequence)))
            if self._shuffle:
                self._shuffled(self._order)
            self._seeds = self._workers.round_seeds()
            self._taken = 0
        begin = self._taken
        for batch in self._workers.fetch(
            self._sequence, self._order, _standardized, begin, self._seeds
        ):
            self._taken += 1
            yield batch

    def on_epoch_end(self) -> None:
        """Calls the sequence's method."""
        self._sequence.on_epoch_end()

    def restarts(self) -> bool:
        """Each epoch starts a sequence again."""
        return True


def restore_own(sequence: Any, state: Any) -> None:
    """Gives a sequence what its `training_state` returned, which may be None."""
    if state is not None:
        arrays = nest.map_structure(
            lambda leaf: leaf.numpy() if isinstance(leaf, _Tensor) else leaf, state
        )
        sequence.restore_training_state(arrays)


def select_adapter(
    x: Any,
    y: Structure,
    sample_weight: Structure,
    batch_size: int | None,
    shuffle: object,
    steps: int | None,
    workers: Workers | None = None,
) -> DataAdapter:
    """The adapter for the data of `fit`, `evaluate` or `predict`.

    Raises:
        ValueError: for data that no adapter accepts, and for separate labels if the data contain
            labels.
    """
    kind = type(x).__name__
    if isinstance(x, DatasetCreator):
        if steps is None:
            raise ValueError(
                "A DatasetCreator does not say how many batches there are: pass "
                "`steps_per_epoch`, `validation_steps` or `steps`."
            )
        x = x.for_one_worker()
    if hasattr(x, "element_spec") and hasattr(x, "__iter__"):
        _refuse_labels(y, sample_weight, "dataset", "`Dataset`")
        return DatasetAdapter(x, steps)
    if not isinstance(x, list | tuple | dict) and not is_array(x):
        if hasattr(x, "__getitem__") and hasattr(x, "__len__") and not isinstance(x, str):
            _refuse_labels(y, sample_weight, "sequence", "`keras.utils.Sequence`")
            return SequenceAdapter(x, shuffle, workers)
        if hasattr(x, "__next__") or hasattr(x, "__iter__") and x is not None:
            _refuse_labels(y, sample_weight, "generator", "generator or iterator")
            return GeneratorAdapter(x)
    x, y, sample_weight = map(_lists_as_arrays, (x, y, sample_weight))
    leaves = [value for value in nest.flatten((x, y, sample_weight)) if value is not None]
    if leaves and nest.flatten(x) and all(map(is_array, leaves)):
        return ArrayAdapter(x, y, sample_weight, batch_size, shuffle, steps)
    kinds = sorted({type(value).__name__ for value in leaves})
    raise ValueError(
        f"Failed to find data adapter that can handle input: {kind if x is None else kinds}. Pass "
        "NumPy arrays, tensors, DataFrames, lists or dictionaries of them, a Dataset, a "
        "`keras.utils.Sequence` or a generator of batches."
    )


def _lists_as_arrays(value: object) -> Any:
    if isinstance(value, list | tuple) and value and _is_scalars(value):
        return np.asarray(value)
    return value


def _refuse_labels(y: Structure, sample_weight: Structure, what: str, name: str) -> None:
    if y is not None:
        raise ValueError(f"`y` argument is not supported when using {what} as input: {name}.")
    if sample_weight is not None:
        raise ValueError(
            f"`sample_weight` argument is not supported when using {what} as input: {name}."
        )
