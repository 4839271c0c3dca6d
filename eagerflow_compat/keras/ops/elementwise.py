"""Keras 3's operations on elements that NumPy's other namespace does not share."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.ops.numpy_functions import elementwise as shared
from eagerflow.typing import TensorLike
from eagerflow_compat.keras.ops.promotion import KERAS, floating, pair, tensor

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def rsqrt(x: TensorLike) -> Tensor:
    """Reciprocal square roots."""
    return _ops.rsqrt(floating(x))


@op_function
def erf(x: TensorLike) -> Tensor:
    """The error function."""
    return _ops.erf(floating(x))


@op_function
def erfc(x: TensorLike) -> Tensor:
    """One minus the error function."""
    return _ops.erfc(floating(x))


@op_function
def erfinv(x: TensorLike) -> Tensor:
    """The inverse of the error function."""
    return _ops.erfinv(floating(x))


@op_function
def trunc(x: TensorLike) -> Tensor:
    """Values rounded towards zero."""
    x = tensor(x)
    if x.dtype.is_integer or x.dtype.is_bool:
        return x
    return _ops.select(_ops.less(x, 0.0), _ops.ceil(x), _ops.floor(x))


@op_function
def nextafter(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The next floating numbers after x1 towards x2; those of float16 are computed as float64."""
    x1, x2 = KERAS.floats(x1, x2)
    if x1.dtype != dtypes.float16:
        return shared.nextafter(KERAS, x1, x2)
    doubles = (_ops.cast(x, dtypes.float64) for x in (x1, x2))
    return _ops.cast(shared.nextafter(KERAS, *doubles), x1.dtype)


@op_function
def fmax(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The larger values; a number where the other value is NaN."""
    return _of_numbers(_ops.maximum, x1, x2)


@op_function
def fmin(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The smaller values; a number where the other value is NaN."""
    return _of_numbers(_ops.minimum, x1, x2)


def _of_numbers(pick: Any, x1: Any, x2: TensorLike) -> Tensor:
    x1, x2 = pair(x1, x2)
    picked = pick(x1, x2)
    if not x1.dtype.is_floating:
        return picked
    return _ops.select(_ops.is_nan(x1), x2, _ops.select(_ops.is_nan(x2), x1, picked))


@op_function
def ldexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """`x1 * 2 ** x2`."""
    return floating(x1) * shared.exp2(KERAS, x2)


@op_function
def clip(x: TensorLike, x_min: TensorLike, x_max: TensorLike) -> Tensor:
    """Values within bounds."""
    x = tensor(x)
    if x.dtype.is_bool:
        x = _ops.cast(x, dtypes.int32)
    # Integers stay as they are: bounds beyond the dtype's range have no effect.
    low, high = (
        bound if type(bound) is int else tensor(bound, x.dtype) for bound in (x_min, x_max)
    )
    return _ops.maximum(_ops.minimum(x, high), low)


@op_function
def nan_to_num(x: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Values with NaN and infinities replaced by numbers."""
    x = tensor(x)
    if not x.dtype.is_floating:
        return x

    def full(value: Any) -> Any:
        return _ops.zeros_like(x) + tensor(value, x.dtype)

    high = x.dtype.max if posinf is None else posinf
    low = x.dtype.min if neginf is None else neginf
    x = _ops.select(_ops.is_nan(x), full(nan), x)
    x = _ops.select(_ops.equal(x, math.inf), full(high), x)
    return _ops.select(_ops.equal(x, -math.inf), full(low), x)


@op_function
def polar(abs_: TensorLike, angle: TensorLike) -> Tensor:
    """Complex numbers from absolute values and angles."""
    length, angle = floating(abs_), floating(angle)
    return _ops.complex(length * _ops.cos(angle), length * _ops.sin(angle))
