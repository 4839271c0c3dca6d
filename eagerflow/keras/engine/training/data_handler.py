"""The epochs and steps of a training over data of any kind, and the iterator that steps read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import _core, errors, nest
from eagerflow.errors import OutOfRangeError
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.keras import config
from eagerflow.keras.engine.training import replicas
from eagerflow.keras.engine.training.data_adapter import (
    ArrayAdapter,
    DataAdapter,
    DatasetAdapter,
    GeneratorAdapter,
    SequenceAdapter,
    select_adapter,
    unpack_x_y_sample_weight,
)
from eagerflow.keras.engine.training.sequence_workers import Workers
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

# Imported when they are first used: models that run eagerly need neither.
dataset_iterator = lazy.Module("eagerflow.data.iterator")
graph_iterators = lazy.Module("eagerflow.data.graph_iterators")
# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")
# Imported when a step fails.
misfits = lazy.Module("eagerflow.keras.engine.training.misfits")
# Needed where there are several processes.
sharding = lazy.Module("eagerflow.distribute.sharding")

_ops = _core.ops


class DataHandler:
    """The epochs and steps of one call of `fit`, `evaluate` or `predict`.

    Args:
        x: the data, of any kind.
        y: labels, unless the data contain them.
        sample_weight: weights, unless the data contain them.
        batch_size: how many samples make a batch.
        steps_per_epoch: how many batches make an epoch; by default all there are.
        initial_epoch: the index of the first epoch.
        epochs: the index after the last epoch.
        shuffle: whether to mix samples.
        class_weight: weights of classes.
        workers: the threads or processes that make the batches of a sequence.
        steps_per_execution: a variable: the number of steps in one call of the train function.
        model: the model; it is built for batches whose sizes would not be known to a trace.
    """

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        batch_size: int | None = None,
        steps_per_epoch: int | None = None,
        initial_epoch: int = 0,
        epochs: int = 1,
        shuffle: Any = False,
        class_weight: dict[int, float] | None = None,
        workers: Workers | None = None,
        steps_per_execution: Any = None,
        model: Any = None,
    ) -> None:
        if batch_size is not None and batch_size <= 0:
            raise ValueError(f"Expected batch_size to be positive. Received is {batch_size}.")
        if epochs <= 0:
            raise ValueError(f"Expected epochs to be positive. Received is {epochs}.")
        self._adapter = select_adapter(
            x, y, sample_weight, batch_size, shuffle, steps_per_epoch, workers
        )
        self._model = model
        if model is not None and not model.built:
            _build(model, self._adapter)
        self._initial_epoch = self._first_epoch = initial_epoch
        self._epochs = epochs
        self._steps_per_epoch = steps_per_epoch
        self._inferred_steps = self._adapter.size if steps_per_epoch is None else steps_per_epoch
        self._weigh: Callable[[Any], Any] | None = (
            class_weight_function(class_weight) if class_weight else None
        )
        if isinstance(self._adapter, GeneratorAdapter) and self._adapter.first_batch() is None:
            raise ValueError("Expected input data to be non-empty: the generator gave no batch.")
        self._element_spec = self._adapter.element_spec
        self._rows: Callable[[Any], Any] | None = None
        communicator = replicas.communicator_of(model)
        if communicator is not None:
            self._take_share(communicator)
        if class_weight:
            self._element_spec = weighed_spec(self._element_spec)
        self._per_execution = steps_per_execution
        self._stopped = False
        self._step = 0
        if self._inferred_steps is None and self._count() > 1:
            raise ValueError(
                "Could not infer the size of the data. With `steps_per_execution > 1`, you must "
                "specify the number of steps to run."
            )
        if self._inferred_steps == 0:
            raise ValueError(
                "Expected input data to be non-empty. The data have no samples (an empty array or "
                "dataset), so there is nothing to run on."
            )

    @property
    def element_spec(self) -> Any:
        """The specs of a batch."""
        return self._element_spec

    @property
    def inferred_steps(self) -> int | None:
        """How many steps an epoch has; None if that is not known yet."""
        return self._inferred_steps

    def _take_share(self, communicator: Any) -> None:
        """Has this process read its share of each batch.

        Args:
            communicator: that of the processes.
        """
        if isinstance(self._adapter, DatasetAdapter):
            self._adapter = self._adapter.shared_out(communicator)
            self._element_spec = self._adapter.element_spec
            if self._steps_per_epoch is None:
                self._inferred_steps = self._adapter.size
            return
        self._adapter.agree_on_order(communicator)
        parts, part = communicator.size, communicator.rank
        self._rows = lambda batch: sharding.rows_of(batch, parts, part)
        self._element_spec = sharding.rows_spec(self._element_spec, parts)

    def _batches(self) -> Iterator[Any]:
        batches = self._adapter.batches()
        if self._rows is not None:
            batches = map(self._rows, batches)
        return batches if self._weigh is None else map(self._weigh, batches)

    def _endless(self) -> Iterator[Any]:
        """Batches across epochs; arrays are repeated."""
        while True:
            yield from self._batches()
            self._rounds += 1
            if not isinstance(self._adapter, ArrayAdapter):
                return
            if self._rounds == self._round_count():
                return
            self._adapter.on_epoch_end()

    def _round_count(self) -> int:
        """How many times arrays are repeated: once for each epoch."""
        return max(1, self._epochs - self._first_epoch)

    def position(self) -> dict[str, Any]:
        """The position in the data, as plain values and tensors."""
        if isinstance(self._adapter, DatasetAdapter):
            operation = self._adapter.stateful_operation()
            if operation is not None and not self._warned:
                self._warned = True
                warn(
                    f"Training cannot be resumed exactly: {operation}, in a function of the dataset, "
                    "depends on more than the position in the data, which is all that is saved."
                )
        return {"data": self._adapter.state(), "rounds": self._rounds}

    def resume(
        self,
        epoch: int,
        step: int,
        position: dict[str, Any] | None,
        logs: dict[str, Any] | None = None,
    ) -> None:
        """Has the epochs begin in the middle of a training.

        Args:
            epoch: the index of the first epoch.
            step: its first step.
            position: what `position` returned there; None if it is not known.
            logs: those of the epoch before, if one was over.
        """
        self._initial_epoch, self._initial_step = epoch, step
        self.resumed_logs = logs or None
        self._position = position

    def enumerate_epochs(self) -> Iterator[tuple[int, Iterator[Any]]]:
        """The indices of epochs, each with an iterator over batches."""
        fresh = self._steps_per_epoch is None or (
            isinstance(self._adapter, DatasetAdapter | SequenceAdapter) and self._adapter.restarts()
        )
        resumed, goes_on = self._position, bool(self._initial_step)
        if resumed is not None:
            self._adapter.restore(resumed["data"])
            self._rounds = resumed["rounds"]
            if fresh and not goes_on:  # an epoch was over
                self._adapter.batches()
                self._adapter.on_epoch_end()
        elif goes_on and isinstance(self._adapter, ArrayAdapter):
            fresh = False  # the second epoch continues after the first
        data = None if fresh else self._endless()
        if resumed is None and fresh and isinstance(self._adapter, DatasetAdapter):
            # Keras creates an additional iterator before the first epoch, which advances the shuffling.
            self._adapter.batches()
        if self.resumed_stopped and not goes_on:
            return
        for epoch in range(self._initial_epoch, self._epochs):
            if self._stopped:
                break
            if fresh:
                data = iter(self._batches())
            assert data is not None
            yield (
                epoch,
                (
                    data
                    if hasattr(type(data), "_is_dataset_iterator")
                    else Batches(data, self._element_spec)
                ),
            )
            if fresh:
                if self._step == self._adapter.size:
                    self._adapter.read_end(data)
                self._adapter.on_epoch_end()

    @property
    def resumed_at_the_end(self) -> bool:
        """Whether training was resumed after the last batch of an epoch."""
        return self._position is not None and self._step > 0

    @contextlib.contextmanager
    def catch_stop_iteration(self) -> Iterator[None]:
        """Ends the epoch when the data end, with a warning if that is too early.

        Raises:
            ValueError: where a step has failed because its inputs do not fit a layer.
        """
        try:
            yield
        except (StopIteration, OutOfRangeError):
            if self._inferred_steps is None:
                self._inferred_steps = self._step
                return
            self._stopped = True
            total = self._epochs * self._inferred_steps
            logging.warning(
                "Your input ran out of data; interrupting training. Make sure that your dataset "
                "or generator can generate at least `steps_per_epoch * epochs` batches (in this "
                f"case, {total} batches). You may need to use the repeat() function when building "
                "your dataset."
            )
        except Exception as error:
            misfit = misfits.explained(self._model, self._adapter.sizes, error)
            if misfit is error:
                raise
            raise misfit from None

    def steps(self) -> Iterator[int]:
        """The index of the first step of each execution in an epoch."""
        self._step, self._initial_step = self._initial_step, 0
        if self.resumed_stopped:
            return
        while self._inferred_steps is None or self._step < self._inferred_steps:
            if self._stopped:
                break
            count = 1 if self._per_execution is None else self._count()
            left = count if self._inferred_steps is None else self._inferred_steps - self._step
            if count <= left:
                self.step_increment = count - 1
                yield self._step
            else:
                count = left
                self.step_increment = count - 1
                with self._fewer_steps(count):
                    yield self._step
            self._step += count

    def _count(self) -> int:
        """The number of steps in an execution."""
        return 1 if self._per_execution is None else int(self._per_execution)

    @contextlib.contextmanager
    def _fewer_steps(self, count: int) -> Iterator[None]:
        """Has an execution make only the steps that are left."""
        before = int(self._per_execution)
        self._per_execution.assign(count)
        try:
            yield
        finally:
            self._per_execution.assign(before)

    resumed_stopped = False  # whether a callback had stopped the training that is resumed
    resumed_logs: dict[str, Any] | None = None  # of the epoch before a resumed training
    _position: dict[str, Any] | None = None  # where a resumed training begins
    _rounds = 0  # how often arrays have come to their end, where they are repeated
    _warned = False
    step_increment = 0  # the number of steps of one execution, minus one
    _initial_step = 0  # the first step of a resumed epoch


def _build(model: Any, adapter: DataAdapter) -> None:
    """Builds a model by calling it, for data whose specs have unknown sizes."""
    first = adapter.first_batch()
    if first is None:
        return
    try:
        model(unpack_x_y_sample_weight(first)[0], training=False)
    except NotImplementedError:
        pass  # it only has a `train_step`, with models that are built there


def class_weight_function(class_weight: dict[int, float]) -> Callable[..., Any]:
    """A function that multiplies a batch's weights by the weights of its classes.

    Raises:
        ValueError: unless the classes are 0, 1, 2 and so on.
    """
    ids = sorted(class_weight)
    if ids != list(range(len(ids))):
        error = (
            f"Expected `class_weight` to be a dict with keys from 0 to one less than the number of "
            f"classes, found {class_weight}"
        )
        raise ValueError(error)
    table = _core.convert([float(class_weight[c]) for c in ids], config.defaults.float_dtype, None)

    def weigh(batch: Any) -> Any:
        x, y, sample_weight = unpack_x_y_sample_weight(batch)
        if nest.is_nested(y):
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        y = _core.as_tensor(y)
        if y.ndim > 1 and y.shape[-1] > 1:
            classes = _ops.argmax(y, y.ndim - 1)
        else:
            labels = y if y.ndim < 2 else _ops.squeeze(y, [y.ndim - 1])
            labels = _ops.round(labels) if labels.dtype.is_floating else labels
            classes = _ops.cast(labels, dtypes.int64)
        weight = _ops.gather(table, classes, axis=0, batch_dims=0)
        if sample_weight is not None:
            sample_weight = _ops.cast(_core.as_tensor(sample_weight), weight.dtype)
            while sample_weight.ndim < weight.ndim:
                sample_weight = _ops.expand_dims(sample_weight, -1)
            weight = weight * sample_weight
        return x, y, weight

    return weigh


def weighed_spec(element_spec: Any) -> Any:
    """The specs of batches to which `class_weight_function` has been applied."""
    x, y, _ = unpack_x_y_sample_weight(element_spec)
    shape = y.shape if y.shape.rank == 1 else y.shape[:-1]
    return x, y, TensorSpec(shape, config.defaults.float_dtype)


class Batches:
    """An iterator over batches that tf.function treats as the iterator of a dataset.

    Args:
        iterator: yields the batches.
        element_spec: the specs of a batch.
    """

    __slots__ = ("__weakref__", "_iterator", "_spec", "element_spec")

    _is_dataset_iterator = True  # by which modules below recognise iterators

    def __init__(self, iterator: Iterator[Any], element_spec: Any) -> None:
        self._iterator = iterator
        self._spec: Any = None
        self.element_spec = element_spec

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Any:
        return next(self._iterator) if _core.building() is None else self.get_next()

    def get_next(self) -> Any:
        """The next batch.

        Raises:
            tf.errors.OutOfRangeError: if there is none.
        """
        if _core.building() is not None:
            return graph_iterators.iterator(self).get_next()
        try:
            return next(self._iterator)
        except StopIteration:
            raise errors.OutOfRangeError._of("End of sequence") from None

    def get_next_as_optional(self) -> Any:
        """The next batch as a `tf.experimental.Optional`, empty at the end."""
        if _core.building() is not None:
            return graph_iterators.iterator(self).get_next_as_optional()
        optional = dataset_iterator.Optional
        try:
            return optional.from_value(next(self._iterator))
        except StopIteration:
            return optional.empty(self.element_spec)

    @property
    def _type_spec(self) -> TypeSpec:
        if self._spec is None:
            self._spec = dataset_iterator.IteratorSpec(self.element_spec)
        return self._spec
