"""Transformations that make batches, for `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import nest
from eagerflow.data import Dataset
from eagerflow.data.experimental import make_batched_features_dataset, parallel_interleave
from eagerflow.ops import array
from eagerflow.ops.conversion import constant
from eagerflow.typing import Structure, TensorLike
from eagerflow_compat.v1.data import make_one_shot_iterator


def batch_and_drop_remainder(batch_size: TensorLike) -> Callable[..., Any]:
    """Batches of one size; elements at the end that fill none are left out.

    >>> dataset = tf.data.Dataset.range(5)
    >>> batches = dataset.apply(tf.contrib.data.batch_and_drop_remainder(2))
    >>> [batch.numpy().tolist() for batch in batches]
    [[0, 1], [2, 3]]
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: TensorLike, padded_shapes: Structure, padding_values: Structure = None
) -> Callable[..., Any]:
    """Padded batches of one size; elements at the end that fill none are left out."""
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sliding_window_batch(
    window_size: Any, stride: Any = None, window_shift: Any = None, window_stride: TensorLike = 1
) -> Callable[..., Any]:
    """Batches of the elements of windows that move on.

    Args:
        window_size: the number of elements in each.
        stride: an older name of `window_shift`.
        window_shift: how far each begins after the one before; 1 by default.
        window_stride: the distance of its elements.

    Raises:
        ValueError: if both names of the shift are given.

    >>> dataset = tf.data.Dataset.range(5)
    >>> windows = dataset.apply(tf.contrib.data.sliding_window_batch(3, window_shift=2))
    >>> [window.numpy().tolist() for window in windows]
    [[0, 1, 2], [2, 3, 4]]
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = next((given for given in (stride, window_shift) if given is not None), 1)

    def batched(*parts: Any) -> Dataset:
        window = parts if len(parts) > 1 else parts[0]
        if isinstance(window, Dataset):
            return window.batch(window_size, drop_remainder=True)
        return Dataset.zip(
            nest.map_structure(lambda part: part.batch(window_size, drop_remainder=True), window)
        )

    return lambda dataset: dataset.window(
        window_size, shift, window_stride, drop_remainder=True
    ).flat_map(batched)


def assert_element_shape(expected_shapes: Structure) -> Callable[..., Any]:
    """The same elements, whose shapes are checked and known.

    Args:
        expected_shapes: a structure of shapes like that of the elements.
    """

    def checked(*element: Any) -> Any:
        value = element if len(element) > 1 else element[0]
        return nest.map_structure_up_to(value, array.ensure_shape, value, expected_shapes)

    return lambda dataset: dataset.map(checked)


def reduce_dataset(dataset: Any, reducer: Any) -> Any:
    """What a Reducer makes of all elements.

    >>> total = tf.contrib.data.Reducer(lambda _: 0, lambda a, b: a + b, lambda a: a)
    >>> int(tf.contrib.data.reduce_dataset(tf.data.Dataset.from_tensor_slices([1, 2, 3]), total))
    6
    """
    start = reducer.init_func(constant(0, "int64"))
    return reducer.finalize_func(dataset.reduce(start, reducer.reduce_func))


def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: int, block_length: int = 1
) -> Callable[..., Any]:
    """Elements of several datasets in turn, in any order; see `parallel_interleave`."""
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def read_batch_features(
    file_pattern: Any,
    batch_size: TensorLike,
    features: Any,
    reader: Any = None,
    reader_args: Any = None,
    randomize_input: bool = True,
    num_epochs: TensorLike | None = None,
    capacity: int = 10000,
) -> Any:
    """Batches of parsed Examples: those of `make_batched_features_dataset`.

    Args:
        file_pattern: files, or patterns of their names.
        batch_size: the number of rows.
        features: what to parse, see `tf.io.parse_example`.
        reader: a dataset of records for a file's name; TFRecordDataset by default.
        reader_args: more arguments of it.
        randomize_input: whether rows are shuffled.
        num_epochs: how often files are read; None: without end.
        capacity: of how many rows one is drawn.

    Returns:
        A dictionary of the next batch's tensors in a graph; the next batch where operations run
        eagerly.
    """
    dataset = make_batched_features_dataset(
        file_pattern,
        batch_size,
        features,
        reader=reader,
        reader_args=reader_args,
        num_epochs=num_epochs,
        shuffle=randomize_input,
        shuffle_buffer_size=capacity,
    )
    return make_one_shot_iterator(dataset).get_next()
