"""Sparse tensors from dense ones and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known
from eagerflow.framework.sizes import sizes_of as tensor_sizes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument, slices_at
from eagerflow.ops.conversion import integers_of, zero_of
from eagerflow.sparse.tensor import (
    SparseTensor,
    SparseTensorSpec,
    SparseTensorValue,
    assembled,
)
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def checked(value: Any) -> SparseTensor:
    """A sparse tensor.

    Raises:
        TypeError: if it is something else.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, got {type(value).__name__}.")
    return value


def sizes_of(value: SparseTensor) -> np.ndarray:
    """The shape as an array."""
    return value.dense_shape.numpy()


def spec_like(sp_input: SparseTensor, *_: object, **__: object) -> SparseTensorSpec:
    """The spec of a sparse result of the same shape."""
    value = checked(sp_input)
    return SparseTensorSpec(value.shape, value.dtype)


def spec_of_rank(value: SparseTensor, more: int = 0) -> SparseTensorSpec:
    """The spec of a sparse result of unknown sizes, with `more` additional axes."""
    rank = value.shape.rank
    return SparseTensorSpec(None if rank is None else [None] * (rank + more), value.dtype)


def strides(sizes: np.ndarray) -> np.ndarray:
    """The row-major strides of a shape, in elements."""
    return np.append(np.cumprod(sizes[:0:-1])[::-1], 1).astype(np.int64)[: len(sizes)]


def flat_indices(indices: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Scalars in the row-major order of indices.

    They are indices into the flattened tensor, or ranks if that has 2^63 elements or more.
    """
    if not len(sizes):
        return np.zeros(len(indices), np.int64)
    if math.prod(max(size, 1) for size in sizes.tolist()) >= 1 << 63:
        return np.unique(indices, axis=0, return_inverse=True)[1].reshape(-1)
    return indices @ strides(sizes)


def check_indices(indices: np.ndarray, sizes: np.ndarray, ordered: bool) -> np.ndarray:
    """The indices as scalars, see `flat_indices`.

    Raises:
        tf.errors.InvalidArgumentError: if indices are out of bounds, or not in order.
    """
    # By columns: NumPy is slow along short rows.
    if any(
        column.size and (column.min() < 0 or column.max() >= size)
        for column, size in zip(indices.T, sizes, strict=True)
    ):
        outside = ((indices < 0) | (indices >= sizes)).any(axis=1)
        first = int(np.argmax(outside))
        raise invalid_argument(
            f"indices[{first}] = {indices[first].tolist()} is out of bounds: need 0 <= index < "
            f"{sizes.tolist()} [Op:SparseToDense]"
        )
    flat = flat_indices(indices, sizes)
    if not ordered or len(indices) < 2:
        return flat
    steps = flat[1:] - flat[:-1]
    if (steps <= 0).any():
        first = int(np.argmax(steps <= 0)) + 1
        text = f"indices[{first}] = {indices[first].tolist()} is "
        if steps[first - 1] == 0:
            raise invalid_argument(text + "repeated [Op:SparseToDense]")
        raise invalid_argument(
            text + "out of order. Many sparse ops require sorted indices. Use `tf.sparse.reorder` "
            "to create a correctly ordered copy. [Op:SparseToDense]"
        )
    return flat


@op_function
def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not zero (or not empty, for strings).

    >>> tf.sparse.from_dense([[0, 7], [8, 0]]).values.numpy()
    array([7, 8], dtype=int32)
    """
    tensor = _core.as_tensor(tensor)
    if tensor.ndim == 0:
        raise invalid_argument("WhereOp : Unhandled input dimensions: 0 [Op:Where]")
    zero = {dtypes.string: "", dtypes.bool: False}.get(tensor.dtype, 0)
    blank = _core.convert(zero, tensor.dtype, None)
    indices = _ops.where_indices(_ops.not_equal(tensor, blank))
    shape = _ops.shape(tensor, dtypes.int64)
    return assembled(indices, _ops.gather_nd(tensor, indices, 0), shape, in_order=True)


@op_function
def to_dense(
    sp_input: SparseTensor,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A dense tensor with the same elements.

    Args:
        sp_input: the sparse tensor.
        default_value: the value of the other elements; zero or the empty string by default.
        validate_indices: whether indices must be in order and unique.

    Raises:
        tf.errors.InvalidArgumentError: if an index is out of bounds, or they are not in order.

    >>> tf.sparse.to_dense(tf.SparseTensor([[0, 1]], [5], [1, 3])).numpy()
    array([[0, 5, 0]], dtype=int32)
    """
    value = checked(sp_input)
    values = value.values
    dtype = values.dtype
    default = zero_of(dtype) if default_value is None else _core.convert(default_value, dtype, None)
    if default.ndim:
        raise invalid_argument(f"default_value must be a scalar, got {default.shape}")
    shape = value.dense_shape
    if _core.building() is None:
        shape = shape.numpy().tolist()
    if dtype.is_quantized:
        plain, filler = integers_of(values), integers_of(default)
        dense = _ops.sparse_to_dense(plain, filler, value.indices, shape, validate_indices)
        return _ops.bitcast(dense, dtype)
    return _ops.sparse_to_dense(values, default, value.indices, shape, validate_indices)


@op_function
def eye(
    num_rows: Any,
    num_columns: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Ones on the diagonal of a matrix, whose sizes may be symbolic.

    >>> tf.sparse.eye(2, 3).dense_shape.numpy()
    array([2, 3])
    """
    sizes = (num_rows, num_rows if num_columns is None else num_columns)
    if not is_known(*sizes):
        shape = _ops.stack([_ops.cast(size, dtypes.int64) for size in sizes])
        positions = _ops.range(0, _ops.reduce_min(shape), 1)
        pairs = _ops.stack([positions, positions], 1)
        return SparseTensor(pairs, _ops.ones_like(positions, dtype), shape)
    rows, columns = map(int, sizes)
    count = min(rows, columns)
    indices = np.repeat(np.arange(count)[:, None], 2, axis=1)
    return SparseTensor(indices, _ops.ones([count], dtype), [rows, columns])


def _rank_of(value: SparseTensor) -> int:
    rank = value.dense_shape._size
    if rank is None:
        rank = value.indices.shape.with_rank(2)[1]
    if rank is None:
        raise ValueError("The rank of a sparse tensor must be known to put it in order.")
    return rank


@op_function
def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The same elements in row-major order of their indices.

    >>> tf.sparse.reorder(tf.SparseTensor([[1], [0]], [7, 8], [2])).values.numpy()
    array([8, 7], dtype=int32)
    """
    value = checked(sp_input)
    if value._in_order:
        return value
    result = ordered(value, value.values, value.dense_shape, _AXES[_rank_of(value)])
    result._declared_shape = value._declared_shape
    return result


# The axes of tensors by rank, in order.
_AXES = [list(range(rank)) for rank in range(64)]


def ordered(value: SparseTensor, values: Tensor, shape: Tensor, perm: list) -> SparseTensor:
    """Values at the indices of a sparse tensor, whose axes are permuted, in row-major order."""
    indices, order = _ops.sparse_order(value._indices, value._dense_shape, perm)
    if _core.building() is not None:
        # The order is empty where the indices are in order already.
        count = tensor_sizes(values)[0]
        remaining = _ops.cast(_ops.range(0, count, 1), order.dtype)
        order = _ops.concat([order, remaining], 0)[:count]
    elif not order._size:
        value._in_order |= perm == _AXES[len(perm)]
        return assembled(indices, values, shape, in_order=True)
    return assembled(indices, slices_at(values, order), shape, in_order=True)


# Matrices with fewer elements are read as fast without a layout.
_FEW_ELEMENTS = 1024


def layout_of(value: SparseTensor) -> Tensor | None:
    """The layout by rows of a matrix with many elements in order; None for others, and in graphs."""
    if _core.building() is not None or value._values._size < _FEW_ELEMENTS:
        return None
    if value._layout is None:
        value._layout = _ops.sparse_layout(value._indices, *sizes_of(value).tolist())
    return value._layout if value._layout._size else None


def _indicator_spec(sp_input: SparseTensor, vocab_size: Any, name: str | None = None) -> TensorSpec:
    shape = checked(sp_input).shape
    known = _core.static_value(_core.as_tensor(vocab_size))
    size = None if known is None else int(known.numpy())
    return TensorSpec(None if shape.rank is None else [*shape[:-1], size], dtypes.bool)


@op_function(in_graph=on_host(_indicator_spec))
def to_indicator(sp_input: SparseTensor, vocab_size: TensorLike, name: str | None = None) -> Tensor:
    """Whether each row contains each id.

    Args:
        sp_input: sparse ids, integers; rows are the last axis.
        vocab_size: the number of ids.

    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> tf.sparse.to_indicator(ids, 3).numpy().astype(int).tolist()
    [[0, 0, 1], [1, 0, 0]]
    """
    value = checked(sp_input)
    ids = _ops.cast(value.values, dtypes.int64)
    if not isinstance(vocab_size, int | np.integer | _core.Tensor):
        raise TypeError(
            f"vocab_size must be an int or a scalar tensor, got {type(vocab_size).__name__}"
        )
    size = int(vocab_size)
    if ids._size and (int(_ops.reduce_min(ids)) < 0 or int(_ops.reduce_max(ids)) >= size):
        raise invalid_argument(f"ids must lie within [0, {size}), got {ids.numpy().tolist()}")
    indices = _ops.concat([value.indices[:, :-1], _ops.expand_dims(ids, 1)], 1)
    shape = [*sizes_of(value)[:-1].tolist(), size]
    return _ops.sparse_to_dense(True, False, indices, shape, False)


@op_function
def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: ShapeLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor with values at given indices, and a default elsewhere.

    >>> tf.compat.v1.sparse_to_dense([1, 3], [4], 7).numpy()
    array([0, 7, 0, 7], dtype=int32)
    """
    indices = _ops.cast(sparse_indices, dtypes.int64)
    if indices.ndim in (0, 1):
        indices = _ops.reshape(indices, [-1, 1])
    return _ops.sparse_to_dense(
        sparse_values, default_value, indices, output_shape, validate_indices
    )
