"""What models take: segments in one row, rows of one length, windows of rows."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.ops.array import invalid_argument
from eagerflow.ragged.graph_specs import convert
from eagerflow.typing import TensorLike

Tensor = _core.Tensor


def pad_model_inputs(input: TensorLike, max_seq_length: Any, pad_value: Any = 0) -> Any:
    """Rows of one length, cut or padded, and which of their items were there.

    Args:
        input: a vector, or rows; the items of more axes are put in a row.
        max_seq_length: the length.
        pad_value: what rows are padded with.

    Returns:
        The rows `[n, max_seq_length]`, and a mask of the same shape, 1 where items are; vectors for
        a vector.

    Raises:
        TypeError: for a scalar.

    >>> from eagerflow_compat import text
    >>> rows, mask = text.pad_model_inputs(tf.ragged.constant([[1, 2, 3], [4]]), 2)
    >>> rows.numpy().tolist(), mask.numpy().tolist()
    ([[1, 2], [4, 0]], [[1, 1], [1, 0]])
    """
    rows = convert(input, None)
    if isinstance(rows, Tensor):
        if not rows.ndim:
            raise TypeError("Input must be at least rank 1: pass a vector or rows, not a scalar")
        if rows.ndim == 1:
            padded, mask = pad_model_inputs(rows[None], max_seq_length, pad_value)
            return tf.reshape(padded, [-1]), tf.reshape(mask, [-1])
        rows = tf.RaggedTensor.from_tensor(rows)
    if rows.ragged_rank > 1:
        rows = rows.merge_dims(1, -1)
    shape = tf.cast([-1, max_seq_length], tf.int64)
    padded = rows.to_tensor(shape=shape, default_value=tf.cast(pad_value, rows.dtype))
    there: Any = tf.ones_like(rows)
    return padded, there.to_tensor(shape=shape)


def combine_segments(
    segments: Sequence[Any], start_of_sequence_id: Any, end_of_segment_id: Any
) -> Any:
    """The segments of each row one after the other, with ids that mark their ends.

    Args:
        segments: ragged tensors of int32 or int64 with the same number of rows.
        start_of_sequence_id: the id before the first segment.
        end_of_segment_id: the id after each segment.

    Returns:
        The rows, and the number of the segment that each item is of.

    Raises:
        ValueError: if there are no segments, or they have another dtype.

    >>> from eagerflow_compat import text
    >>> first, second = tf.ragged.constant([[1, 2]]), tf.ragged.constant([[3]])
    >>> rows, ids = text.combine_segments([first, second], 101, 102)
    >>> rows.to_list(), ids.to_list()
    ([[101, 1, 2, 102, 3, 102]], [[0, 0, 0, 0, 1, 1]])
    """
    dtype = _checked(segments)
    one = tf.ones(tf.reshape(segments[0].nrows(), [1]), dtype)
    for _ in range(segments[0].ragged_rank):
        one = tf.expand_dims(one, 1)
    parts, ids = [one * tf.cast(start_of_sequence_id, dtype)], [one * 0]
    for number, segment in enumerate(segments):
        parts += [segment, one * tf.cast(end_of_segment_id, dtype)]
        ids += [tf.ones_like(segment) * number, one * number]
    return tf.concat(parts, 1), tf.concat(ids, 1)


def concatenate_segments(segments: Sequence[Any]) -> Any:
    """The segments of each row one after the other, and the number of each item's segment.

    Args:
        segments: ragged tensors of int32 or int64 with the same number of rows.

    Raises:
        ValueError: if there are no segments, or they have another dtype.

    >>> from eagerflow_compat import text
    >>> rows, ids = text.concatenate_segments(
    ...     [tf.ragged.constant([[1, 2]]), tf.ragged.constant([[3]])]
    ... )
    >>> rows.to_list(), ids.to_list()
    ([[1, 2, 3]], [[0, 0, 1]])
    """
    _checked(segments)
    ids = [tf.ones_like(segment) * number for number, segment in enumerate(segments)]
    return tf.concat(segments, 1), tf.concat(ids, 1)


def _checked(segments: Sequence[Any]) -> Any:
    if not segments:
        raise ValueError("`segments` must be a nonempty list of ragged tensors")
    if segments[0].dtype not in (tf.int32, tf.int64):
        raise ValueError(
            f"`segments` must have elements with dtype of int32 or int64, not {segments[0].dtype.name}"
        )
    return segments[0].dtype


def sliding_window(data: TensorLike, width: int, axis: int = -1, name: str | None = None) -> Any:
    """The windows of a width along an axis.

    Args:
        data: a tensor, also ragged.
        width: how many items a window has.
        axis: the axis.

    Returns:
        One axis more, of the width, behind the axis, which has `width - 1` items less.

    Raises:
        TypeError: if the width or the axis is no integer.
        tf.errors.InvalidArgumentError: if the width is not positive, or there is no such axis.

    >>> from eagerflow_compat import text
    >>> text.sliding_window([1, 2, 3], 2).numpy().tolist()
    [[1, 2], [2, 3]]
    """
    values = convert(data, None)
    for what, number in (("axis", axis), ("width", width)):
        if not isinstance(number, int):
            raise TypeError(f"{what} must be an int, got {number!r}")
    rank = values.shape.rank
    if rank is not None and not -rank <= axis < rank:
        raise invalid_argument(f"axis must be between {-rank} and {rank - 1}, got {axis}")
    if width <= 0:
        raise invalid_argument(f"width must be an integer greater than 0, got {width}")
    before, after = [slice(None)] * axis, [slice(None)] * (-axis - 1)
    windows = []
    for start in range(width):
        part = slice(start, start - width + 1 or None)
        windows.append(values[(*before, part) if axis >= 0 else (..., part, *after)])
    return tf.stack(windows, axis + 1 if axis >= 0 else axis)


class Reduction(enum.Enum):
    """How the items of a window become one."""

    SUM = 1
    MEAN = 2
    STRING_JOIN = 3


def ngrams(
    data: TensorLike,
    width: int,
    axis: int = -1,
    reduction_type: Reduction | None = None,
    string_separator: str = " ",
    name: str | None = None,
) -> Any:
    """Windows of a width along an axis, each made one item.

    Args:
        data: a tensor, also ragged.
        width: how many items a window has.
        axis: the axis; the last one for strings.
        reduction_type: `Reduction.SUM`, `Reduction.MEAN` or, for strings, `Reduction.STRING_JOIN`.
        string_separator: what is between joined strings.

    Raises:
        tf.errors.InvalidArgumentError: if there is no such reduction along the axis.

    >>> from eagerflow_compat import text
    >>> text.ngrams(["a", "b", "c"], 2, reduction_type=text.Reduction.STRING_JOIN).numpy()
    array([b'a b', b'b c'], dtype=object)
    """
    if not isinstance(reduction_type, Reduction):
        raise invalid_argument(f"reduction_type must be a Reduction, got {reduction_type!r}")
    if reduction_type is Reduction.STRING_JOIN and axis != -1:
        raise invalid_argument(
            f"{reduction_type.name} requires that ngrams' 'axis' parameter be -1, got {axis}"
        )
    windows = sliding_window(data, width, axis)
    along = axis if axis < 0 else axis + 1
    if reduction_type is Reduction.SUM:
        return tf.reduce_sum(windows, along)
    if reduction_type is Reduction.MEAN:
        return tf.reduce_mean(windows, along)
    return tf.strings.reduce_join(windows, axis=along, separator=string_separator)
