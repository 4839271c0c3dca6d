"""Sparse tensors from dense ones and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.ops.array import invalid_argument, slices_at
from eagerflow.ops.conversion import bitcast, integers_of
from eagerflow.sparse.tensor import SparseTensor, SparseTensorValue, assembled

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


def strides(sizes: np.ndarray) -> np.ndarray:
    """How far apart neighbours along each axis are in row-major order."""
    return np.append(np.cumprod(sizes[:0:-1])[::-1], 1).astype(np.int64)[: len(sizes)]


def flat_places(places: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Single numbers that are ordered like places in row-major order.

    They are the places in the flattened tensor, unless that is too large to be counted.
    """
    if not len(sizes):
        return np.zeros(len(places), np.int64)
    if math.prod(max(size, 1) for size in sizes.tolist()) >= 1 << 63:
        return np.unique(places, axis=0, return_inverse=True)[1].reshape(-1)
    return places @ strides(sizes)


def check_places(places: np.ndarray, sizes: np.ndarray, ordered: bool) -> np.ndarray:
    """The places as single numbers.

    Raises:
        tf.errors.InvalidArgumentError: if places are outside, or not in order.
    """
    # By columns: NumPy is slow along short rows.
    if any(
        column.size and (column.min() < 0 or column.max() >= size)
        for column, size in zip(places.T, sizes, strict=True)
    ):
        outside = ((places < 0) | (places >= sizes)).any(axis=1)
        first = int(np.argmax(outside))
        raise invalid_argument(
            f"indices[{first}] = {places[first].tolist()} is out of bounds: need 0 <= index < "
            f"{sizes.tolist()} [Op:SparseToDense]"
        )
    flat = flat_places(places, sizes)
    if not ordered or len(places) < 2:
        return flat
    steps = flat[1:] - flat[:-1]
    if (steps <= 0).any():
        first = int(np.argmax(steps <= 0)) + 1
        text = f"indices[{first}] = {places[first].tolist()} is "
        if steps[first - 1] == 0:
            raise invalid_argument(text + "repeated [Op:SparseToDense]")
        raise invalid_argument(
            text + "out of order. Many sparse ops require sorted indices. Use `tf.sparse.reorder` "
            "to create a correctly ordered copy. [Op:SparseToDense]"
        )
    return flat


@op_function
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not zero (or not empty, for strings).

    >>> tf.sparse.from_dense([[0, 7], [8, 0]]).values.numpy()
    array([7, 8], dtype=int32)
    """
    tensor = _core.as_tensor(tensor)
    if tensor.ndim == 0:
        raise invalid_argument("WhereOp : Unhandled input dimensions: 0 [Op:Where]")
    zero = {dtypes.string: "", dtypes.bool: False}.get(tensor.dtype, 0)
    blank = _core.convert(zero, tensor.dtype, None)
    places = _ops.where_indices(_ops.not_equal(tensor, blank))
    shape = _core.convert(tensor._shape_tuple(), dtypes.int64, None)
    return assembled(places, _ops.gather_nd(tensor, places, 0), shape)


@op_function
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """A dense tensor with the same elements.

    Args:
        sp_input: the sparse tensor.
        default_value: what stands elsewhere; zero or the empty string by default.
        validate_indices: whether places must be in order and differ from each other.
        name: ignored.

    Raises:
        tf.errors.InvalidArgumentError: if a place is outside, or they are not in order.

    >>> tf.sparse.to_dense(tf.SparseTensor([[0, 1]], [5], [1, 3])).numpy()
    array([[0, 5, 0]], dtype=int32)
    """
    value = checked(sp_input)
    values = value.values
    if default_value is None:
        default_value = "" if values.dtype is dtypes.string else 0
    default = _core.convert(default_value, values.dtype, None)
    if default.ndim:
        raise invalid_argument(f"default_value must be a scalar, got {default.shape}")
    shape = value.dense_shape.numpy().tolist()
    if values.dtype.is_quantized:
        plain = [integers_of(values), integers_of(default)]
        dense = _ops.sparse_to_dense(*plain, value.indices, shape, validate_indices)
        return bitcast(dense, values.dtype)
    return _ops.sparse_to_dense(values, default, value.indices, shape, validate_indices)


@op_function
def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> SparseTensor:
    """Ones on the diagonal of a matrix.

    >>> tf.sparse.eye(2, 3).dense_shape.numpy()
    array([2, 3])
    """
    rows = int(num_rows)
    columns = rows if num_columns is None else int(num_columns)
    count = min(rows, columns)
    places = np.repeat(np.arange(count)[:, None], 2, axis=1)
    return SparseTensor(places, _ops.ones([count], dtype), [rows, columns])


@op_function
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The elements in row-major order of their places.

    >>> tf.sparse.reorder(tf.SparseTensor([[1], [0]], [7, 8], [2])).values.numpy()
    array([8, 7], dtype=int32)
    """
    value = checked(sp_input)
    return ordered(value, value.values, value.dense_shape, _AXES[value.dense_shape._size])


# The axes of tensors of every rank in order.
_AXES = [list(range(rank)) for rank in range(64)]


def ordered(value: SparseTensor, values: Tensor, shape: Tensor, perm: list) -> SparseTensor:
    """Values at the places of a sparse tensor, with axes permuted, in row-major order."""
    places, order = _ops.sparse_order(value._indices, value._dense_shape, perm)
    if order._size:
        return assembled(places, slices_at(values, order), shape)
    return assembled(places, values, shape)


@op_function
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """For each row, which numbers it holds.

    Args:
        sp_input: sparse integers; the last axis is the rows'.
        vocab_size: how many numbers there are.
        name: ignored.

    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> tf.sparse.to_indicator(ids, 3).numpy().astype(int).tolist()
    [[0, 0, 1], [1, 0, 0]]
    """
    value = checked(sp_input)
    numbers = _ops.cast(value.values, dtypes.int64)
    if not isinstance(vocab_size, int | np.integer | _core.Tensor):
        raise TypeError(
            f"vocab_size must be an int or a scalar tensor, got {type(vocab_size).__name__}"
        )
    size = int(vocab_size)
    if numbers._size and (
        int(_ops.reduce_min(numbers)) < 0 or int(_ops.reduce_max(numbers)) >= size
    ):
        raise invalid_argument(f"ids must lie within [0, {size}), got {numbers.numpy().tolist()}")
    places = _ops.concat([value.indices[:, :-1], _ops.expand_dims(numbers, 1)], 1)
    shape = [*sizes_of(value)[:-1].tolist(), size]
    return _ops.sparse_to_dense(True, False, places, shape, False)
