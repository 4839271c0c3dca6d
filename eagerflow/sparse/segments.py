"""Segments of gathered rows, and counts of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import (
    FLOAT_TYPES,
    INDEX_TYPES,
    REAL_TYPES,
    Declared,
    Input,
    composed_op,
)
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.conversion import to_dense
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import Axes, DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


_SEGMENTS: Declared = {
    "indices": Input(INDEX_TYPES, type="Tidx", prefer="int32"),
    "segment_ids": Input(INDEX_TYPES, type="Tseg", prefer="int32"),
    "own": ("sparse_gradient",),
}


@composed_op("SparseSegmentSum", data=Input(REAL_TYPES), **_SEGMENTS)
def segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums of rows of a tensor.

    Args:
        data: a tensor.
        indices: the indices of the rows.
        segment_ids: ascending, the segment of each row.
        num_segments: the number of segments; by default that up to the last one.
        sparse_gradient: ignored; gradients are always sparse.

    >>> tf.sparse.segment_sum([[1.0], [2.0], [4.0]], [0, 2, 1], [0, 0, 1]).numpy()
    array([[5.],
           [2.]], dtype=float32)
    """
    return _ops.sparse_segment_sum(data, indices, segment_ids, num_segments)


def _mean(data: Any, indices: Any, segment_ids: Any, num_segments: Tensor, scale: str) -> Tensor:
    data = _core.as_tensor(data)
    if not data.dtype.is_floating:
        raise TypeError(f"Means are computed of floating point numbers, not of {data.dtype.name}")
    return _ops.sparse_segment_sum(data, indices, segment_ids, num_segments, scale)


@composed_op("SparseSegmentMean", data=Input(FLOAT_TYPES), **_SEGMENTS)
def segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Means of rows of a tensor; see `tf.sparse.segment_sum`.

    >>> tf.sparse.segment_mean([[1.0], [2.0], [4.0]], [0, 2, 1], [0, 0, 1]).numpy()
    array([[2.5],
           [2. ]], dtype=float32)
    """
    return _mean(data, indices, segment_ids, num_segments, "mean")


@composed_op("SparseSegmentSqrtN", data=Input(FLOAT_TYPES), **_SEGMENTS)
def segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums of rows of a tensor over the square roots of their counts; see `segment_sum`.

    >>> tf.sparse.segment_sqrt_n([[1.0], [3.0]], [0, 1], [0, 0]).numpy().round(3)
    array([[2.828]], dtype=float32)
    """
    return _mean(data, indices, segment_ids, num_segments, "sqrt_n")


def _sparse_counts_spec(
    values: TensorLike, weights: Any = None, axis: Axes = 0, *args: object, **kwargs: object
) -> SparseTensorSpec:
    by_row, dtype = _counts(values, weights, axis)
    return SparseTensorSpec([None, None] if by_row else [None], dtype)


def _counts(values: Any, weights: Any, axis: Any) -> tuple[bool, Any]:
    """Whether rows are counted on their own, and the dtype of the counts."""
    ragged = isinstance(values, RaggedTensor)
    if not ragged and not isinstance(values, SparseTensor):
        values = _core.as_tensor(values)
    dtype = values.dtype if weights is None else getattr(weights, "dtype", None)
    if dtype is None:
        dtype = _core.as_tensor(weights).dtype
    rank = len(values.shape) if values.shape.rank is not None else 2
    return (axis == -1 or (ragged and axis == 0 and rank > 2)) and rank > 1, dtype


@op_function(in_graph=on_host(_sparse_counts_spec))
def bincount(
    values: TensorLike,
    weights: TensorLike | None = None,
    axis: Axes = 0,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each integer appears, as a sparse tensor.

    Args:
        values: int32 or int64, not negative; dense, sparse or ragged.
        weights: what each counts, of the same form.
        axis: None or 0 counts all values, -1 those of each row of a matrix.
        minlength: the least size of the axis of integers.
        maxlength: this and larger integers are not counted.
        binary_output: whether counts are 1 for all integers that occur.

    Returns:
        `[size]` or `[rows, size]`, of the dtype of the weights, or else of the values.

    Raises:
        ValueError: for another `axis`, or for both weights and `binary_output`.
        tf.errors.InvalidArgumentError: for other dtypes, and for negative values.

    >>> tf.sparse.bincount([1, 1, 3]).values.numpy()
    array([2, 1], dtype=int32)
    """
    return _counted(values, weights, axis, minlength, maxlength, binary_output, 1)


def _counted(
    values: TensorLike,
    weights: Any,
    axis: Axes,
    minlength: Any,
    maxlength: Any,
    binary_output: bool,
    least: int,
) -> SparseTensor:
    """See `bincount`; the axis of integers has at least the size `least`."""
    if weights is not None and binary_output:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    if minlength is not None and minlength < 0:
        raise invalid_argument(f"minlength must be >= 0, got {minlength}")
    if isinstance(values, RaggedTensor) and axis == 0:
        # The rows inside of the outermost rows are counted.
        values, axis = values.values, -1
    integers, rows, count = _integers_by_row(values)
    if isinstance(weights, RaggedTensor) and not isinstance(values, RaggedTensor):
        weights = weights.values
    if integers.dtype not in (np.int32, np.int64):
        _core.refuse_attr("T", dtypes.as_dtype(integers.dtype), INDEX_TYPES, "SparseBincount")
    maxlength = None if maxlength is None or maxlength < 0 else int(maxlength)
    scale = None if weights is None else _integers_by_row(weights)[0]
    if scale is not None and scale.shape != integers.shape:
        raise invalid_argument(
            f"Weights and values must have the same shape. Weight shape: {scale.shape}; values "
            f"shape: {integers.shape}"
        )
    if integers.size and integers.min() < 0:
        raise invalid_argument("Input values must all be non-negative")
    if maxlength is not None:
        kept = integers < maxlength
        integers, rows = integers[kept], rows[kept]
        scale = None if scale is None else scale[kept]
    size = int(integers.max(initial=least - 1)) + 1
    if minlength is not None:
        size = max(size, int(minlength))
    if maxlength is not None:
        size = maxlength
    if axis != -1 or count is None:
        rows = np.zeros_like(rows)
    bins = rows * max(size, 1) + integers
    if scale is None and max(size, 1) * max(count or 1, 1) <= 4 * bins.size + 64:
        # Few bins are counted in a table.
        table = np.bincount(bins)
        flat = np.flatnonzero(table)
        inverse: Any = None
    else:
        flat, inverse = np.unique(bins, return_inverse=True)
    if scale is not None:
        totals = np.zeros(len(flat), scale.dtype)
        np.add.at(totals, inverse, scale)
    elif binary_output:
        totals = np.ones(len(flat), integers.dtype)
    else:
        counts = table[flat] if inverse is None else np.bincount(inverse, minlength=len(flat))
        totals = counts.astype(integers.dtype)
    if axis != -1 or count is None:
        return SparseTensor(flat[:, None], totals, [size])
    indices = np.stack([flat // max(size, 1), flat % max(size, 1)], axis=-1)
    return SparseTensor(indices, totals, [count, size])


def _dense_counts_spec(
    arr: Any,
    weights: TensorLike | None = None,
    minlength: object = None,
    maxlength: object = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: Axes | None = None,
    binary_output: bool = False,
) -> TensorSpec:
    ragged = isinstance(arr, RaggedTensor)
    by_row, kind = _counts(arr, weights, -1 if ragged and not axis else axis)
    if ragged and not axis:
        by_row = arr.flat_values.ndim > 1
    kind = dtypes.as_dtype(dtype) if weights is None else kind
    rows = None if ragged and not axis else arr.shape[0] if by_row else None
    return TensorSpec([rows, None] if by_row else [None], kind)


@op_function(overridable=False, in_graph=on_host(_dense_counts_spec))
def dense_bincount(
    arr: Any,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: Axes | None = None,
    binary_output: bool = False,
) -> Tensor:
    """`tf.math.bincount` of sparse or ragged integers; other values are cast to int32."""
    if not arr.dtype.is_integer:
        arr = _ops.cast(arr, dtypes.int32)
    if isinstance(arr, RaggedTensor) and not axis:
        arr = arr.flat_values
        weights = weights.flat_values if isinstance(weights, RaggedTensor) else weights
        axis = -1
    counts = _counted(arr, weights, axis or 0, minlength, maxlength, binary_output, 0)
    kind = counts.dtype if weights is not None else dtypes.as_dtype(dtype)
    return to_dense(counts.with_values(_ops.cast(counts.values, kind)))


def _integers_by_row(values: TensorLike) -> tuple[np.ndarray, np.ndarray, int | None]:
    """The integers, the row of each, and the number of rows (None for a vector)."""
    if isinstance(values, SparseTensor):
        rank = values.dense_shape._size
        indices = values.indices.numpy()
        rows = indices[:, 0] if rank > 1 else np.zeros(len(indices), np.int64)
        count = int(values.dense_shape.numpy()[0]) if rank > 1 else None
        return values.values.numpy(), rows, count
    if isinstance(values, RaggedTensor):
        if isinstance(values.values, RaggedTensor):
            raise ValueError("Integers are counted in rows of a ragged tensor of ragged rank 1.")
        if values.values.ndim > 1:
            raise invalid_argument(
                f"Splits must end with the number of values, got {values.values.shape[0]} rows of "
                f"{values.values._size} values"
            )
        return values.values.numpy(), values._partition.rowids, values._partition.static_nrows
    array = np.asarray(_core.as_tensor(values).numpy())
    if array.ndim > 2:
        raise invalid_argument(f"Input must be a 1 or 2-dimensional tensor, got {array.shape}")
    if array.ndim < 2:
        return array.reshape(-1), np.zeros(array.size, np.int64), None
    rows = np.repeat(np.arange(array.shape[0]), array.shape[1])
    return array.reshape(-1), rows, array.shape[0]
