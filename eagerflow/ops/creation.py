"""Tensors made from shapes and scalars."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.ops.array import invalid_argument
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


# The dtypes of ranges, from narrow to wide.
_RANGE_DTYPES = (
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
)


@op_function
def zeros(
    shape: Any, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None
) -> Tensor:
    """A tensor of zeros (false, or empty strings).

    Args:
        shape: a list of sizes, or an integer vector.
        dtype: the element type.

    Raises:
        tf.errors.InvalidArgumentError: if a size is negative.

    >>> tf.zeros([2, 2], tf.int32).numpy()
    array([[0, 0],
           [0, 0]], dtype=int32)
    """
    try:
        return _ops.zeros(shape, dtype)
    except TypeError:
        return _ops.zeros(_whole_sizes(shape), dtype)


@op_function
def ones(
    shape: Any, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None
) -> Tensor:
    """A tensor of ones (or true).

    Args:
        shape: a list of sizes, or an integer vector.
        dtype: the element type; not string.

    Raises:
        TypeError: for strings.
        tf.errors.InvalidArgumentError: if a size is negative.

    >>> tf.ones([2]).numpy()
    array([1., 1.], dtype=float32)
    """
    if dtype == dtypes.string:
        raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
    try:
        return _ops.ones(shape, dtype)
    except TypeError:
        return _ops.ones(_whole_sizes(shape), dtype)


def _whole_sizes(shape: ShapeLike) -> Any:
    """Integral floats in a shape as integers; TensorFlow 2.0 accepted them too."""
    if isinstance(shape, list | tuple) and all(
        isinstance(size, int) or (isinstance(size, float) and size.is_integer()) for size in shape
    ):
        return [int(size) for size in shape]
    return shape


@op_function
def fill(dims: Any, value: TensorLike, name: str | None = None, layout: object = None) -> Tensor:
    """A tensor of equal elements.

    Args:
        dims: a list of sizes, or an integer vector.
        value: the element, a scalar; it decides the dtype.

    Raises:
        tf.errors.InvalidArgumentError: if a size is negative or `value` is not a scalar.

    >>> tf.fill([2, 2], 7).numpy()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    return _ops.fill(value, dims)


@op_function
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """An identity matrix, or a batch of them.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; `num_rows` by default.
        batch_shape: the batch axes' sizes, or None.
        dtype: the element type.

    >>> tf.eye(2, 3).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)
    """
    columns = num_rows if num_columns is None else num_columns
    for size in (num_rows, columns):
        if size is None or isinstance(size, list | tuple | str | dict):
            raise TypeError(
                "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
                f"num_rows={num_rows}, num_columns={columns}"
            )
    return _ops.eye(num_rows, num_columns, batch_shape, dtype)


@op_function
def range(
    start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range"
) -> Tensor:
    """Evenly spaced values from `start` to `limit`, which is excluded.

    Args:
        start: the first value; or the limit if that is None, then the first is 0.
        limit: where to end.
        delta: the distance; may be negative, but not zero.
        dtype: the element type; by default the widest of the arguments'.

    Raises:
        tf.errors.InvalidArgumentError: if `delta` is zero or has the wrong sign.

    >>> tf.range(3, 10, 3).numpy(), tf.range(2.0).numpy()
    (array([3, 6, 9], dtype=int32), array([0., 1.], dtype=float32))
    """
    if limit is None:
        start, limit = 0, start
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
        parts = [_cast_to(part, dtype) for part in (start, limit, delta)]
        return _ops.range(*parts)
    parts = [_core.as_tensor(part) for part in (start, limit, delta)]
    for part in parts:
        if part.dtype not in _RANGE_DTYPES:
            raise TypeError(f"A range has real numbers, not {part.dtype.name}.")
    widest = max((part.dtype for part in parts), key=_RANGE_DTYPES.index)
    return _ops.range(*(_cast_to(part, widest) for part in parts))


def _cast_to(value: TensorLike, dtype: dtypes.DType) -> Any:
    if isinstance(value, Tensor | _core.Variable):
        return value if value.dtype is dtype else _ops.cast(value, dtype)
    return _core.convert(value, dtype, None)


@op_function
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` evenly spaced values from `start` to `stop`, both included.

    Args:
        start: a tensor of any shape.
        stop: a tensor of the same dtype, whose shape broadcasts with that of `start`. Integers are
            converted to float64, those of 8 and 16 bits to float32.
        num: the number of values, along a new axis.
        axis: the index of the new axis.

    Raises:
        tf.errors.InvalidArgumentError: if `num` is negative.

    >>> tf.linspace(0.0, 1.0, 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    start = _core.as_tensor(start)
    stop = _core.convert(stop, start.dtype, None)
    if start.dtype.is_integer:
        dtype = dtypes.float32 if start.dtype.size < 4 else dtypes.float64
        start, stop = _ops.cast(start, dtype), _ops.cast(stop, dtype)
    return _ops.linspace(start, stop, num, axis)


@op_function
def one_hot(
    indices: Any,
    depth: Any,
    on_value: TensorLike | None = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Vectors that are one at an index and zero elsewhere.

    Args:
        indices: integers; one outside the depth gives zeros only.
        depth: the length of the vectors.
        on_value: the value at the index; 1 by default.
        off_value: the value elsewhere; 0 by default.
        axis: the index of the new axis; the last by default.
        dtype: the element type; by default that of the values, or float32.

    Raises:
        TypeError: if `dtype` and the dtypes of the values differ.

    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    on = None if on_value is None else _core.convert(on_value, None, wanted)
    off = None if off_value is None else _core.convert(off_value, None, wanted)
    for value, name_of in ((on, "on_value"), (off, "off_value")):
        if value is not None and wanted is not None and value.dtype is not wanted:
            raise TypeError(
                f"dtype {value.dtype} of {name_of} does not match dtype parameter {wanted}"
            )
    if wanted is None:
        wanted = next((value.dtype for value in (on, off) if value is not None), dtypes.float32)
    if on is not None and off is not None and on.dtype is not off.dtype:
        raise TypeError(
            f"dtype {on.dtype} of on_value does not match dtype {off.dtype} of off_value"
        )
    if on is None:
        on = _core.convert(True if wanted.is_bool else 1, wanted, None)
    if off is None:
        off = _core.convert(False if wanted.is_bool else 0, wanted, None)
    if isinstance(indices, list | tuple):
        indices = _core.convert(indices, None, dtypes.int64)
    return _ops.one_hot(indices, on, off, depth, -1 if axis is None else axis)


@op_function
def sequence_mask(
    lengths: TensorLike, maxlen: Any = None, dtype: DTypeLike = dtypes.bool, name: str | None = None
) -> Tensor:
    """For each length, a vector that is true at that many leading positions.

    Args:
        lengths: integers of any shape.
        maxlen: the length of the vectors; by default the largest of `lengths`.
        dtype: the element type of the result.

    >>> tf.sequence_mask([1, 3]).numpy()
    array([[ True, False, False],
           [ True,  True,  True]])
    """
    lengths = _core.as_tensor(lengths)
    known = _core.static_value(lengths) if maxlen is None else None
    if maxlen is None and known is None:
        largest = _ops.cast(_ops.reduce_max(_ops.reshape(lengths, [-1])), dtypes.int32)
        maxlen = _ops.maximum(largest, 0)
    if known is not None:
        longest = known.numpy().max() if known._size else 0
        if not math.isfinite(longest):
            raise invalid_argument(f"lengths must be finite, the largest is {longest} [Op:Range]")
        maxlen = max(0, math.ceil(longest))
    maxlen = _core.as_tensor(maxlen)
    if maxlen.ndim not in (None, 0):
        raise ValueError("Argument `maxlen` must be scalar for sequence_mask")
    limit = maxlen if _core.is_symbolic(maxlen) else int(maxlen)
    positions = _ops.cast(range(limit), lengths.dtype)
    mask = _ops.less(positions, _ops.expand_dims(lengths, -1))
    return _ops.cast(mask, dtype)
