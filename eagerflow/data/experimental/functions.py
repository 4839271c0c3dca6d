"""The functions of tf.data.experimental, most of them older spellings of Dataset's methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.arguments import integer
from eagerflow.data.dataset import Dataset
from eagerflow.data.elementwise import AssertCardinalityDataset
from eagerflow.data.experimental.reducing import Reducer, reduced
from eagerflow.data.functions import Debugging
from eagerflow.data.placement import PlacedDataset
from eagerflow.data.random_access import element_at
from eagerflow.data.sources import ListDataset
from eagerflow.framework import context, dtypes
from eagerflow.ops import creation
from eagerflow.typing import DTypeLike, FilePath, Structure, TensorLike

Transformation = Callable[[Dataset], Dataset]

SHARD_HINT = -1


def _applied(method: str, name: str | None = None) -> Callable[..., Transformation]:
    """The function `name` with the parameters of a method of datasets, for `Dataset.apply`."""
    _, *parameters = inspect.signature(getattr(Dataset, method)).parameters.values()
    signature = inspect.Signature([item for item in parameters if item.name != "name"])

    def transformation(*args: object, **kwargs: object) -> Transformation:
        signature.bind(*args, **kwargs)
        return lambda dataset: getattr(dataset, method)(*args, **kwargs)

    transformation.__signature__ = signature  # type: ignore[attr-defined]
    transformation.__name__ = transformation.__qualname__ = name or method
    transformation.__doc__ = f"See `Dataset.{method}`."
    return transformation


bucket_by_sequence_length = _applied("bucket_by_sequence_length")
dense_to_ragged_batch = _applied("ragged_batch", "dense_to_ragged_batch")
dense_to_sparse_batch = _applied("sparse_batch", "dense_to_sparse_batch")
enumerate_dataset = _applied("enumerate", "enumerate_dataset")
group_by_window = _applied("group_by_window")
ignore_errors = _applied("ignore_errors")
rejection_resample = _applied("rejection_resample")
scan = _applied("scan")
snapshot = _applied("snapshot")
take_while = _applied("take_while")
unbatch = _applied("unbatch")
unique = _applied("unique")


def Counter(start: Any = 0, step: TensorLike = 1, dtype: DTypeLike = dtypes.int64) -> Dataset:
    """A dataset that counts; see `tf.data.Dataset.counter`.

    >>> [int(k) for k in tf.data.experimental.Counter(5, 2).take(3)]
    [5, 7, 9]
    """
    return Dataset.counter(start, step, dtype)


def assert_cardinality(expected_cardinality: TensorLike) -> Transformation:
    """Declares the number of elements, which is checked when they are read.

    Args:
        expected_cardinality: the cardinality, or `tf.data.INFINITE_CARDINALITY`.

    Returns:
        A function for `Dataset.apply`.

    >>> dataset = tf.data.Dataset.range(9).filter(lambda x: x < 2)
    >>> len(dataset.apply(tf.data.experimental.assert_cardinality(2)))
    2
    """
    return lambda dataset: AssertCardinalityDataset(dataset, expected_cardinality)


def at(dataset: Dataset, index: TensorLike) -> _core.Tensor:
    """The element at a position.

    It is computed without those before it. After `shuffle`, positions refer to one fixed
    random order.

    Args:
        dataset: consists of steps that map positions to input elements: sources in memory, `batch`,
            `cache` in memory, `concatenate`, `enumerate`, `map`, `prefetch`, `repeat`, `shard`,
            `shuffle`, `skip`, `take`, `zip`.
        index: the position, an int64 scalar.

    Raises:
        tf.errors.OutOfRangeError: if there is none.
        tf.errors.UnimplementedError: if the dataset has other steps.
        tf.errors.FailedPreconditionError: if the number of elements is infinite or not known.

    >>> tf.data.experimental.at(tf.data.Dataset.range(5).map(lambda x: x * x), 3).numpy()
    np.int64(9)
    """
    return element_at(dataset, integer(index, "index"))


def cardinality(dataset: Dataset) -> _core.Tensor:
    """The number of elements; see `Dataset.cardinality`.

    >>> int(tf.data.experimental.cardinality(tf.data.Dataset.range(7).batch(2)))
    4
    """
    return dataset.cardinality()


def from_list(elements: list[Structure], name: str | None = None) -> Dataset:
    """A dataset of the elements of a list, which may be structures.

    Args:
        elements: at least one element.

    Raises:
        ValueError: if there are none.

    >>> dataset = tf.data.experimental.from_list([(1, "a"), (2, "b")])
    >>> list(dataset.as_numpy_iterator())
    [(np.int32(1), b'a'), (np.int32(2), b'b')]
    """
    if not isinstance(elements, list) or not elements:
        raise ValueError("Invalid `elements`. `elements` should be a non-empty list.")
    return ListDataset(elements)


def get_single_element(dataset: Dataset) -> Any:
    """The only element; see `Dataset.get_single_element`."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The specs of the elements of a dataset or iterator.

    Raises:
        TypeError: if it is neither.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError as error:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"`tf.data.Iterator` object, but got {type(dataset_or_iterator)}."
        ) from error


def to_variant(dataset: Dataset) -> Dataset:
    """The dataset itself, which is its own handle."""
    return dataset


def from_variant(variant: Any, structure: object) -> Dataset:
    """The dataset of a variant of `to_variant`."""
    return variant


def enable_debug_mode() -> None:
    """Lets the functions of datasets that are made from now on run as Python for every element.

    They are still traced once. Nothing runs in parallel, so that debuggers and prints work.

    Raises:
        ValueError: inside of a function that is traced, or of a graph.
    """
    if not context.executing_eagerly():
        raise ValueError("`enable_debug_mode()` is only supported in eager mode.")
    Debugging.enabled = True


def group_by_reducer(key_func: Callable[..., object], reducer: Reducer) -> Transformation:
    """One value for each key of the elements.

    Args:
        key_func: returns an element's key, an int64 scalar.
        reducer: a `tf.data.experimental.Reducer`.

    >>> count = tf.data.experimental.Reducer(lambda k: 0, lambda n, x: n + 1, lambda n: n)
    >>> by_parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, count)
    >>> [int(n) for n in tf.data.Dataset.range(5).apply(by_parity)]
    [3, 2]
    """
    return lambda dataset: reduced(dataset, key_func, reducer)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Shuffles, then repeats."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., object],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: TensorLike | None = None,
) -> Transformation:
    """Maps, then batches.

    Args:
        map_func: as for `Dataset.map`.
        batch_size: as for `Dataset.batch`.
        num_parallel_batches: how many batches' elements are made at the same time.
        drop_remainder: as for `Dataset.batch`.
        num_parallel_calls: the same as a number of elements, instead of `num_parallel_batches`.

    Raises:
        ValueError: if both are passed.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to "
            "be set, but both were set."
        )
    calls = num_parallel_calls
    if calls is None:
        calls = int(batch_size) * (num_parallel_batches or 1)
    return lambda dataset: dataset.map(map_func, calls).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., object],
    cycle_length: TensorLike,
    block_length: TensorLike = 1,
    sloppy: bool | None = False,
    buffer_output_elements: object = None,
    prefetch_input_elements: object = None,
) -> Transformation:
    """Interleaves datasets that threads read ahead.

    Args:
        map_func: returns a dataset for an element.
        cycle_length: how many datasets are read at the same time.
        block_length: how many elements are taken at a turn.
        sloppy: whether the order need not be kept.
    """
    return lambda dataset: dataset.interleave(
        map_func, cycle_length, block_length, cycle_length, not sloppy
    )


def prefetch_to_device(device: str, buffer_size: TensorLike | None = None) -> Transformation:
    """Copies elements to a device, in a thread that runs ahead of the consumer.

    Args:
        device: the device's name.
        buffer_size: how many elements to copy ahead; chosen automatically by default.
    """
    room = -1 if buffer_size is None else buffer_size
    return lambda dataset: PlacedDataset(dataset, device).prefetch(room)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Copies elements to a device.

    Args:
        target_device: the device's name.
        source_device: ignored: elements are copied from where they are.
    """
    return lambda dataset: PlacedDataset(dataset, target_device)


def choose_from_datasets(
    datasets: Structure, choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """See `tf.data.Dataset.choose_from_datasets`."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Structure, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """See `tf.data.Dataset.sample_from_datasets`."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def save(
    dataset: Dataset,
    path: FilePath | TensorLike,
    compression: str | None = None,
    shard_func: Callable[..., object] | None = None,
    checkpoint_args: Any = None,
) -> None:
    """See `Dataset.save`."""
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: Any,
    element_spec: Structure = None,
    compression: str | None = None,
    reader_func: Callable[..., object] | None = None,
) -> Dataset:
    """See `tf.data.Dataset.load`."""
    return Dataset.load(path, element_spec, compression, reader_func)


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """Appends elements of zeros, and marks which elements are original.

    Args:
        cardinality: the number of elements wanted.
        mask_key: the key of the mark in the elements, which must be dictionaries.

    Raises:
        TypeError: if the elements are not dictionaries.
        ValueError: if the dataset has more elements, or an unknown number, or the key is taken.

    >>> dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})
    >>> padded = dataset.apply(tf.data.experimental.pad_to_cardinality(3))
    >>> [(int(e["a"]), bool(e["valid"])) for e in padded]
    [(1, True), (2, True), (0, False)]
    """

    def pad(dataset: Dataset) -> Dataset:
        spec, count, wanted = dataset.element_spec, dataset._count(), int(cardinality)
        if count < 0:
            raise ValueError(
                f"The dataset passed into `pad_to_cardinality` must have a known cardinality, got "
                f"{count}."
            )
        if count > wanted:
            raise ValueError(
                f"The dataset passed into `pad_to_cardinality` must have a cardinality less than the "
                f"target cardinality ({wanted}), but its cardinality is {count}."
            )
        if not isinstance(spec, dict):
            raise TypeError("`pad_to_cardinality` needs elements that are dictionaries.")
        if mask_key in spec:
            raise ValueError(f"The elements have a part named {mask_key!r} already.")
        zero = structure.map_structure(lambda s: creation.zeros(s.shape, s.dtype), spec)

        def marked(element: dict[str, _core.Tensor], valid: bool) -> dict[Any, Any]:
            return {**element, mask_key: _core.as_tensor(valid)}

        filler = Dataset.from_tensors(zero).repeat(wanted - count)
        return dataset.map(lambda e: marked(e, True)).concatenate(
            filler.map(lambda e: marked(e, False))
        )

    return pad


def make_saveable_from_iterator(iterator: Any, external_state_policy: object = None) -> Any:
    """The iterator itself, whose position can be saved."""
    return iterator
