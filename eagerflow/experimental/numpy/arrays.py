"""Arrays from values, and NumPy's rules for the arguments of all functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.experimental.numpy import dtypes, promotion
from eagerflow.framework import dtypes as dtype_module
from eagerflow.framework.dtypes import DType
from eagerflow.framework.type_spec import is_weak
from eagerflow.ops import array as _array
from eagerflow.ops import conversion
from eagerflow.ops.numpy_functions import creation, shapes
from eagerflow.ops.numpy_functions.rules import Rules, sizes
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor
ndarray = Tensor


def asarray(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """The value as a tensor, with NumPy's dtype for Python numbers.

    >>> tf.experimental.numpy.asarray([1, 2]).dtype
    tf.int64
    """
    if dtype is not None:
        dtype = dtype_module.as_dtype(dtypes.as_numpy(dtype))
    if isinstance(a, _core.Variable):
        a = conversion.convert_to_tensor(a)
    if isinstance(a, Tensor):
        if dtype is None:
            return a
        return _core.strengthened(a) if a.dtype == dtype else conversion.cast(a, dtype)
    if dtypes.prefers_weak() and promotion.makes_weak(a):
        weak = conversion.constant(a)
        return weak if dtype is None else conversion.cast(weak, dtype)
    if isinstance(a, list | tuple):
        leaves = nest.flatten(a)
        if any(isinstance(leaf, Tensor | _core.Variable) for leaf in leaves):
            dtype = dtypes.result_type(*leaves) if dtype is None else dtype
            return _ops.stack([asarray(item, dtype) for item in a])
    if type(a) is int and dtype is not None and dtype.is_integer:
        return _core.convert(a, dtype, None)  # which warns of integers that do not fit
    values = np.asarray(a)
    if dtype is None and not isinstance(a, np.ndarray | np.generic):
        dtype = dtype_module.as_dtype(dtypes.narrowed(values.dtype))
    array = conversion.constant(values)
    return array if dtype is None else conversion.cast(array, dtype)


asanyarray = asarray
ascontiguousarray = asarray


class _NumPyRules(Rules):
    """Integers are int64 and floats float64 by default, and dtypes meet as they do in NumPy."""

    index_dtype = dtype_module.int64
    computes_with_booleans = True

    def tensor(self, value: Any, dtype: Any = None) -> Tensor:
        return asarray(value, dtype)

    def promoted(self, *values: Any) -> list[Tensor]:
        dtype = dtypes.of_operands(*values)
        return [asarray(value, dtype) for value in values]

    def pair(self, x1: Any, x2: Any) -> Sequence[Tensor]:
        same = isinstance(x1, Tensor) and isinstance(x2, Tensor) and x1.dtype == x2.dtype
        return (x1, x2) if same and dtypes.default_float() == np.float64 else self.promoted(x1, x2)

    def joined(self, *values: Any) -> Sequence[Tensor]:
        if not dtypes.prefers_weak():
            return self.promoted(*values)
        return promotion.joined(values) or self.promoted(*values)

    def divided(self, x: Tensor) -> Tensor:
        if dtypes.prefers_weak() and x.dtype.is_integer and x.dtype.size >= 4:
            return _ops.cast(x, dtype_module.float64)
        return self.as_floating(x)

    def dtype(self, dtype: Any) -> DType:
        return dtype_module.as_dtype(dtypes.as_numpy(dtype))

    def as_floating(self, x: Tensor) -> Tensor:
        result = super().as_floating(x)
        return _core.weakened(result) if result is not x and is_weak(x) else result

    def float_dtype(self) -> DType:
        return dtype_module.as_dtype(dtypes.default_float())

    def sum_dtype(self, dtype: DType) -> DType:
        if dtypes.prefers_weak():
            short = dtype.is_bool or (dtype.is_integer and dtype.size < 4)
            return dtype_module.int32 if short else dtype
        if dtype.is_unsigned:
            return dtype_module.uint64
        return dtype_module.int64 if dtype.is_integer or dtype.is_bool else dtype

    cumulative_dtype = sum_dtype


NUMPY = _NumPyRules()


def array(val: Any, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A tensor of the value, of rank `ndmin` at least; tensors never change, so none is copied.

    >>> tf.experimental.numpy.array([1.0, 2.0]).dtype
    tf.float64
    """
    return shapes.at_least(ndmin, asarray(val, dtype))


def full(shape: ShapeLike, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor filled with a value, which is broadcast to the shape."""
    return _ops.broadcast_to(asarray(fill_value, dtype), sizes(shape))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: DTypeLike | None = None) -> Tensor:
    """Numbers from `start` (or 0) up to, not including, `stop`.

    Raises:
        ValueError: for a step of 0.

    >>> tf.experimental.numpy.arange(3).numpy()
    array([0, 1, 2])
    """
    if not step:
        raise ValueError("step must be non-zero")
    if stop is None:
        start, stop = 0, start
    if dtype is None and dtypes.prefers_weak():
        values = np.arange(start, stop, step).tolist()
        return conversion.constant(values or np.zeros(0, np.int32))
    dtype = dtypes.result_type(start, stop, step) if dtype is None else dtype
    return conversion.cast(conversion.constant(np.arange(start, stop, step)), NUMPY.dtype(dtype))


def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Numbers each of which is the same multiple of the one before."""
    first, last = (conversion.cast(asarray(x), dtypes.float_type()) for x in (start, stop))
    exponents = creation.linspace(NUMPY, 0, 1, num, endpoint)
    exponents = _ops.reshape(_ops.cast(exponents, first.dtype), [num] + [1] * first.ndim)
    result = shapes.move_axis(first * _ops.pow(last / first, exponents), 0, axis)
    return result if dtype is None else conversion.cast(result, dtype)


def diag_indices(n: int, ndim: int = 2) -> list[Tensor]:
    """The indices of the main diagonal of an array of `ndim` axes of size n."""
    start, limit, step = (_core.convert(k, NUMPY.index_dtype, None) for k in (0, n, 1))
    return [_ops.range(start, limit, step)] * ndim


def meshgrid(*xi: Any, **kwargs: Any) -> list[Tensor]:
    """Coordinates of the points of a grid; `indexing` is "xy" or "ij", `sparse` leaves axes of 1."""
    sparse = kwargs.pop("sparse", False)
    if kwargs.pop("copy", True) is not True:
        raise ValueError("copy=False is not possible for tensors")
    indexing = kwargs.pop("indexing", "xy")
    grids = _array.meshgrid(*[asarray(x) for x in xi], indexing=indexing, **kwargs)
    if not sparse:
        return grids
    axes = np.meshgrid(*[np.empty(len(x)) for x in xi], indexing=indexing, sparse=True)
    return [_ops.reshape(asarray(x), part.shape) for x, part in zip(xi, axes, strict=True)]


def ix_(*args: TensorLike) -> list[Tensor]:
    """Vectors shaped so that they index a grid together.

    Raises:
        ValueError: for an argument that is not a vector.
    """
    rank = len(args)
    result = []
    for axis, vector in enumerate(map(asarray, args)):
        if vector.ndim != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {axis} of rank {vector.ndim}")
        if vector.dtype.is_bool:
            vector = _ops.where_indices(vector)[:, 0]
        result.append(_ops.reshape(vector, [1] * axis + [-1] + [1] * (rank - 1 - axis)))
    return result
