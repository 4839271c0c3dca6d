"""Functions of corresponding elements that NumPy's namespace alone has, or has in its own way."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.experimental.numpy.arrays import NUMPY, asarray
from eagerflow.experimental.numpy.dtypes import prefers_weak
from eagerflow.framework import dtypes
from eagerflow.framework.sizes import is_known, may_equal
from eagerflow.ops import math as _math
from eagerflow.ops.control_flow import cond
from eagerflow.ops.numpy_functions import elementwise as shared
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def angle(z: TensorLike, deg: bool = False) -> Tensor:
    """The angles of complex numbers, in radians or degrees."""
    result = _math.angle(NUMPY.floating(z))
    return result * (180 / math.pi) if deg else result


def fix(x: TensorLike) -> Tensor:
    """The nearest whole numbers towards zero, as floats."""
    x = NUMPY.floating(x)
    return _ops.sign(x) * _ops.floor(_ops.abs(x))


def iscomplex(x: TensorLike) -> Tensor:
    """Whether imaginary parts are not zero."""
    return _ops.logical_not(shared.isreal(NUMPY, x))


def float_power(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Powers in double precision; in the promoted dtype where Python's numbers are weak tensors."""
    base, exponent = NUMPY.promoted(x1, x2)
    if not prefers_weak():
        base, exponent = _ops.cast(base, dtypes.float64), _ops.cast(exponent, dtypes.float64)
    return _ops.pow(base, exponent)


def reciprocal(x: TensorLike) -> Tensor:
    """Reciprocals, in integers for integers."""
    x = asarray(x)
    if x.dtype.is_integer:
        return _core.convert(1 // x.numpy(), x.dtype, None)
    return _ops.reciprocal(x)


def divmod(x1: TensorLike, x2: TensorLike) -> tuple[Tensor, Tensor]:
    """Quotients rounded down, and remainders."""
    return shared.floor_divide(NUMPY, x1, x2), shared.mod(NUMPY, x1, x2)


def clip(a: TensorLike, a_min: TensorLike, a_max: Any) -> Tensor:
    """Values clipped to a range; a limit of None does not bound.

    Raises:
        ValueError: if both limits are None.
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is not None:
        a, lower = NUMPY.promoted(a, a_min)
        a = _ops.maximum(a, lower)
    if a_max is None:
        return a
    a, upper = NUMPY.promoted(a, a_max)
    return _ops.minimum(a, upper)


def isclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether `|a - b| <= atol + rtol * |b|`; integers must be equal."""
    a, b = NUMPY.promoted(a, b)
    if not a.dtype.is_floating and not a.dtype.is_complex:
        return _ops.equal(a, b)
    return shared.isclose(NUMPY, a, b, rtol, atol, equal_nan)


def allclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether all elements are close to each other, see `isclose`."""
    return _ops.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: TensorLike, a2: TensorLike) -> Tensor:
    """Whether two arrays have the same shape and elements."""
    a1, a2 = NUMPY.promoted(a1, a2)
    if not may_equal(a1._shape_tuple(), a2._shape_tuple()):
        return _core.as_tensor(False)
    if is_known(*a1._sizes(), *a2._sizes()):
        return _ops.reduce_all(_ops.equal(a1, a2))
    same = _ops.reduce_all(_ops.equal(_ops.shape(a1), _ops.shape(a2)))
    return cond(same, lambda: _ops.reduce_all(_ops.equal(a1, a2)), lambda: same)
