"""Reductions over groups of rows, and counts of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import shape_of
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import (
    FLOAT_TYPES,
    INDEX_TYPES,
    NUMERIC_TYPES,
    REAL_TYPES,
    Declared,
    Input,
    composed_op,
)
from eagerflow.ops.refusals import refuse_attr
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def segment_count(num_segments: TensorLike) -> int | Tensor:
    """The number of segments, a scalar."""
    if type(num_segments) is int:
        return num_segments
    count = _core.convert(num_segments, None, dtypes.int32)
    if not count.dtype.is_integer:
        raise invalid_argument(f"num_segments must be an integer, got {count.dtype.name}")
    if count.ndim:
        raise invalid_argument(
            f"num_segments should be a scalar, not shape {count.shape.as_list()}"
        )
    known = _core.static_value(count)
    return count if known is None else int(known)


unsorted_segment_sum = _ops.unsorted_segment_sum

_LOW = 32  # bits


def total_for_mean(sum_of: Callable[[Any], Any], values: Any) -> Tensor:
    """Sums for a mean; sums of integers are float64, and do not overflow.

    Args:
        sum_of: returns sums of a tensor.
        values: the tensor, of any numeric dtype.
    """
    if not values.dtype.is_integer:
        return sum_of(values)
    if values.dtype.size < 8:
        return _ops.cast(sum_of(_ops.cast(values, dtypes.int64)), dtypes.float64)
    # The sums of the upper and of the lower halves of 64 bits fit.
    upper = _ops.right_shift(values, _core.convert(_LOW, values.dtype, None))
    lower = _ops.bitwise_and(values, _core.convert(2**_LOW - 1, values.dtype, None))
    parts = [_ops.cast(sum_of(part), dtypes.float64) for part in (upper, lower)]
    return parts[0] * 2.0**_LOW + parts[1]


def as_mean(values: Tensor, dtype: DType) -> Tensor:
    """Means of values of a dtype, in the dtype that integers divide to."""
    return _ops.cast(values, dtypes.float32) if dtype.is_integer and dtype.size < 4 else values


def _counts(ids: Tensor, num_segments: int | Tensor, dtype: DTypeLike) -> Tensor:
    """The number of rows in each segment, at least 1."""
    with _core.stop_recording():
        ones = _ops.ones(shape_of(ids), dtype)
        return _ops.maximum(
            _ops.unsorted_segment_sum(ones, ids, num_segments), _ops.ones([], dtype)
        )


def _with_inner_axes(counts: Tensor, total: Tensor) -> Tensor:
    if total.ndim is None:
        inner = _ops.ones_like(_ops.shape(total)[1:])
        return _ops.reshape(counts, _ops.concat([[-1], inner], 0))
    return _ops.reshape(counts, [-1] + [1] * (total.ndim - 1))


# The ids and the number of segments.
_SEGMENTS: Declared = {
    "segment_ids": Input(INDEX_TYPES, type="Tindices"),
    "num_segments": Input(INDEX_TYPES, type="Tnumsegments", prefer="int32"),
}
_SUMMED: Declared = {
    "segment_ids": Input(INDEX_TYPES, "int16", type="Tindices"),
    "num_segments": Input(INDEX_TYPES, type="Tnum", prefer="int32"),
}


@composed_op("UnsortedSegmentSum", data=Input(NUMERIC_TYPES), **_SUMMED)
def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The means of rows that belong to the same segment; zero for an empty one.

    >>> tf.math.unsorted_segment_mean([1.0, 3.0], [1, 1], 2).numpy()
    array([0., 2.], dtype=float32)
    """
    data, ids = _core.as_tensor(data), _core.as_tensor(segment_ids)
    count = segment_count(num_segments)
    total = total_for_mean(lambda part: unsorted_segment_sum(part, ids, count), data)
    return as_mean(total / _with_inner_axes(_counts(ids, count, total.dtype), total), data.dtype)


@composed_op("UnsortedSegmentSum", data=Input(NUMERIC_TYPES), **_SUMMED)
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Tensor:
    """The sums of rows of a segment divided by the square root of their count.

    >>> tf.math.unsorted_segment_sqrt_n([1.0, 1.0, 1.0, 1.0], [0, 0, 0, 0], 1).numpy()
    array([2.], dtype=float32)
    """
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    ids = _core.as_tensor(segment_ids)
    counts = _ops.sqrt(_counts(ids, segment_count(num_segments), total.dtype))
    return total / _with_inner_axes(counts, total)


@composed_op("UnsortedSegmentMax", data=Input(REAL_TYPES), **_SEGMENTS)
def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The elementwise maximum of the rows of each segment; the dtype's lowest for an empty one.

    >>> tf.math.unsorted_segment_max([1, 5, 3], [0, 0, 1], 2).numpy()
    array([5, 3], dtype=int32)
    """
    return _ops.unsorted_segment_max(data, segment_ids, segment_count(num_segments))


@composed_op("UnsortedSegmentMin", data=Input(REAL_TYPES), **_SEGMENTS)
def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The elementwise minimum of the rows of each segment; the dtype's highest for an empty one.

    >>> tf.math.unsorted_segment_min([1, 5, 3], [0, 0, 1], 2).numpy()
    array([1, 3], dtype=int32)
    """
    return _ops.unsorted_segment_min(data, segment_ids, segment_count(num_segments))


@composed_op("UnsortedSegmentProd", data=Input(NUMERIC_TYPES), **_SEGMENTS)
def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The products of rows that belong to the same segment; one for an empty one.

    >>> tf.math.unsorted_segment_prod([2.0, 3.0, 4.0], [0, 2, 0], 3).numpy()
    array([8., 1., 3.], dtype=float32)
    """
    return _ops.unsorted_segment_prod(data, segment_ids, segment_count(num_segments))


@op_function
def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """Sums rows of the same segment; the ids must be ascending.

    >>> tf.math.segment_sum([1, 2, 3], [0, 0, 1]).numpy()
    array([3, 3], dtype=int32)
    """
    return _ops.segment_sum(data, segment_ids)


@op_function
def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The means of rows of the same segment; the ids must be ascending."""
    return _ops.segment_mean(data, segment_ids)


@op_function
def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The elementwise maximum of the rows of each segment, zero for an empty one; the ids must be
    ascending."""
    return _ops.segment_max(data, segment_ids)


@op_function
def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The elementwise minimum of the rows of each segment, zero for an empty one; the ids must be
    ascending."""
    return _ops.segment_min(data, segment_ids)


@op_function
def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The products of rows of the same segment; the ids must be ascending.

    >>> tf.math.segment_prod([2, 3, 4], [0, 0, 1]).numpy()
    array([6, 4], dtype=int32)
    """
    return _ops.segment_prod(data, segment_ids)


def _length(value: TensorLike) -> int:
    length = _core.convert(value, dtypes.int32, None)
    if length.ndim:
        raise invalid_argument(f"Shape must be rank 0 but is rank {length.ndim} [Op:DenseBincount]")
    return int(length)


def _bincount_spec(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: object = None,
    maxlength: object = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> TensorSpec:
    values = _core.as_tensor(arr)
    counts = dtype if weights is None else _core.as_tensor(weights).dtype
    if axis != -1 or values.ndim == 1:
        return TensorSpec([None], counts)
    return TensorSpec([values.shape[0], None] if values.ndim == 2 else None, counts)


@op_function(in_graph=on_host(_bincount_spec))
def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Counts how often each non-negative integer occurs.

    Args:
        arr: int32 or int64, >= 0.
        weights: the weight of each, of the same shape; 1 by default.
        minlength: the minimum length of the result.
        maxlength: the maximum length; greater integers are ignored.
        dtype: the element type of counts without weights: int32, int64, float32 or float64.
        axis: None or 0 counts all elements, -1 each row of a matrix.
        binary_output: whether to return presence instead of counts.

    Raises:
        ValueError: for another axis, and for weights if `binary_output` is set.
        tf.errors.InvalidArgumentError: for negative integers and other dtypes.

    >>> tf.math.bincount([1, 1, 3]).numpy()
    array([0, 2, 0, 1], dtype=int32)
    """
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    if weights is not None and binary_output:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    values = _core.as_tensor(arr)
    if not values.dtype.is_integer:
        values = _ops.cast(values, dtypes.int32)
    counted = dtypes.as_dtype(dtype) if weights is None else dtypes.int32
    for attr, kind, allowed in (
        ("Tidx", values.dtype, (dtypes.int32, dtypes.int64)),
        ("T", counted, (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)),
    ):
        if kind not in allowed:
            refuse_attr(attr, kind, allowed, "DenseBincount")
    some = values._size > 0
    if some and int(_ops.reduce_min(values)) < 0:
        raise invalid_argument("Input arr must be non-negative! [Op:DenseBincount]")
    length = int(_ops.reduce_max(values)) + 1 if some else 0
    if minlength is not None:
        length = max(length, _length(minlength))
    if maxlength is not None:
        length = min(length, _length(maxlength))
    by_rows = axis == -1 and values.ndim == 2
    rows = values._shape_tuple()[0] if by_rows else 1
    shape = [rows, length] if by_rows else [length]
    if weights is None:
        counts = _ops.count_integers(values, rows, length, binary_output, dtype)
        return counts if by_rows else _ops.reshape(counts, shape)
    ids = _ops.reshape(_ops.cast(values, dtypes.int64), [rows, values._size // max(rows, 1)])
    if maxlength is not None:
        ids = _ops.select(_ops.less(ids, length), ids, -1)
    if rows > 1:
        starts = np.arange(rows, dtype=np.int64)[:, None] * length
        ids = _ops.select(_ops.less(ids, 0), ids, _ops.add(ids, starts))
    weights = _ops.reshape(_core.as_tensor(weights), [-1])
    counts = _ops.unsorted_segment_sum(weights, _ops.reshape(ids, [-1]), rows * length)
    if binary_output:
        counts = _ops.cast(_ops.not_equal(counts, _ops.zeros_like(counts)), counts.dtype)
    return _ops.reshape(counts, shape)


def _confusion_spec(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: int | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> TensorSpec:
    count = num_classes
    if isinstance(count, Tensor):
        known = _core.static_value(count)
        count = None if known is None else int(known)
    return TensorSpec([count, count], dtype)


@op_function(in_graph=on_host(_confusion_spec))
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: Any = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Counts how often each class (row) was predicted as each class (column).

    Args:
        labels: the true classes, integers >= 0, a vector.
        predictions: the predicted ones.
        num_classes: how many classes there are; by default one more than the largest.
        weights: the weight of each pair; 1 by default.
        dtype: the element type of the result.

    Raises:
        tf.errors.InvalidArgumentError: if a class is out of range.

    >>> tf.math.confusion_matrix([0, 1, 1], [0, 0, 1]).numpy()
    array([[1, 0],
           [1, 1]], dtype=int32)
    """
    true = _ops.cast(_core.convert(labels, None, dtypes.int64), dtypes.int64).numpy()
    predicted = _ops.cast(_core.convert(predictions, None, dtypes.int64), dtypes.int64).numpy()
    # Predictions may have one axis of size 1 more than the labels, or the other way around.
    if predicted.ndim == true.ndim + 1 and predicted.shape[-1] == 1:
        predicted = predicted[..., 0]
    elif true.ndim == predicted.ndim + 1 and true.shape[-1] == 1:
        true = true[..., 0]
    if true.shape != predicted.shape:
        raise invalid_argument(
            "Shapes of all inputs must match: `labels` have shape "
            f"{list(true.shape)} and `predictions` {list(predicted.shape)}"
        )
    if true.ndim == 0:
        raise ValueError("`labels` and `predictions` must be at least vectors, got scalars")
    shape = true.shape
    true = true.reshape(-1)
    predicted = predicted.reshape(-1)
    for array, text in ((true, "`labels`"), (predicted, "`predictions`")):
        if array.size and array.min() < 0:
            raise invalid_argument(f"{text} contains negative values")
    if num_classes is None:
        count = int(max(true.max(initial=-1), predicted.max(initial=-1))) + 1
    else:
        count = int(num_classes)
        for array, text in ((true, "`labels`"), (predicted, "`predictions`")):
            if array.size and array.max() >= count:
                raise invalid_argument(
                    f"{text} out of bound: {array.max()} is not in [0, {count}), the classes that "
                    "`num_classes` says there are"
                )
    if weights is None:
        weights = _ops.ones([true.size], dtype)
    else:
        weights = _ops.cast(weights, dtype)
        if weights._shape_tuple() != shape:
            raise ValueError(f"Shapes {shape} and {weights.shape} are incompatible")
        weights = _ops.reshape(weights, [-1])
    flat = _ops.unsorted_segment_sum(weights, true * count + predicted, count * count)
    return _ops.reshape(flat, [count, count])


@composed_op(
    "Sub",
    checked_first=True,
    values=Input(FLOAT_TYPES, converts="alone"),
    value_range=Input(FLOAT_TYPES, converts="alone"),
)
def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The index of the bin of equal width that each value falls into; the outer bins are open.

    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 9.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 4], dtype=int32)
    """
    return _bins(values, value_range, nbins, dtype)


def _bins(values: TensorLike, value_range: Any, nbins: TensorLike, dtype: DTypeLike) -> Tensor:
    values = _core.as_tensor(values)
    limits = _core.convert(value_range, None, values.dtype)
    if limits.ndim != 1:
        raise invalid_argument("value_range should be a vector. [Op:HistogramFixedWidth]")
    if limits._size not in (2, None):
        raise invalid_argument("value_range should be a vector of 2 elements.")
    known = _core.static_value(limits)
    if known is None:
        wide = _ops.cast(limits, dtypes.float64)
        low, high = wide[0], wide[1]
    else:
        low, high = known.numpy().tolist()
        if not low < high:
            raise invalid_argument("value_range should satisfy value_range[0] < value_range[1]")
    count = _core.static_value(_core.as_tensor(nbins))
    bins = _ops.cast(nbins, dtypes.float64) if count is None else float(count)
    # In double precision, by few passes over memory.
    scale = bins / (high - low)
    scaled = _ops.multiply(_ops.subtract(_ops.cast(values, dtypes.float64), low), scale)
    return _ops.cast(_ops.clip_by_value(_ops.floor(scaled), 0.0, bins - 1), dtype)


@composed_op(
    "HistogramFixedWidth",
    checked_first=True,
    values=Input(INDEX_TYPES, "float32", "float64"),
    value_range=Input(INDEX_TYPES, "float32", "float64"),
    nbins=Input("int32"),
    dtype=DType,
)
def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Counts the values in each of several bins of equal width; the outer bins are open.

    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 9.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 0, 0, 1], dtype=int32)
    """
    bins = _bins(values, value_range, nbins, dtypes.int64)
    if _core.building() is not None:
        ones = _ops.ones(_ops.shape(bins), dtype)
        return _ops.unsorted_segment_sum(ones, bins, segment_count(nbins))
    return bincount(bins, minlength=nbins, maxlength=nbins, dtype=dtype)
