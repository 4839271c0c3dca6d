"""Keras 3's operations on elements, with NumPy's names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.keras.ops.promotion import floating, pair, tensor
from eagerflow.ops import math as _math
from eagerflow.ops import special

_ops = _core.ops


def _of_one(name: str, operation: Any, text: str, convert: Any = tensor) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return operation(convert(x))

    return _named(function, name, text)


def _of_two(name: str, operation: Any, text: str) -> Callable[[Any, Any], Any]:
    def function(x1: Any, x2: Any) -> Any:
        return operation(*pair(x1, x2))

    return _named(function, name, text)


def _of_bits(name: str, operation: Any, text: str) -> Callable[[Any, Any], Any]:
    def function(x: Any, y: Any) -> Any:
        return operation(*pair(x, y))

    return _named(function, name, text)


def _named(function: Any, name: str, text: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


absolute = _of_one("absolute", _ops.abs, "Absolute values.")
abs = _of_one("abs", _ops.abs, "Absolute values.")
fabs = _of_one("fabs", _ops.abs, "Absolute values, floating.", floating)
negative = _of_one("negative", _ops.negative, "Values with the other sign.")
square = _of_one("square", _ops.square, "Squares.")
sign = _of_one("sign", _ops.sign, "-1, 0 or 1.")
conjugate = _of_one("conjugate", _ops.conj, "Complex conjugates.")
conj = _of_one("conj", _ops.conj, "Complex conjugates.")
real = _of_one("real", _ops.real, "Real parts.")
imag = _of_one("imag", _ops.imag, "Imaginary parts.")
angle = _of_one("angle", _math.angle, "Angles of complex numbers.", floating)
sqrt = _of_one("sqrt", _ops.sqrt, "Square roots.", floating)
rsqrt = _of_one("rsqrt", _ops.rsqrt, "Reciprocal square roots.", floating)
exp = _of_one("exp", _ops.exp, "Exponentials.", floating)
expm1 = _of_one("expm1", _ops.expm1, "exp(x) - 1, exact near zero.", floating)
log = _of_one("log", _ops.log, "Natural logarithms.", floating)
log1p = _of_one("log1p", _ops.log1p, "log(1 + x), exact near zero.", floating)
sin = _of_one("sin", _ops.sin, "Sines.", floating)
cos = _of_one("cos", _ops.cos, "Cosines.", floating)
tan = _of_one("tan", _ops.tan, "Tangents.", floating)
sinh = _of_one("sinh", _ops.sinh, "Hyperbolic sines.", floating)
cosh = _of_one("cosh", _ops.cosh, "Hyperbolic cosines.", floating)
tanh = _of_one("tanh", _ops.tanh, "Hyperbolic tangents.", floating)
arcsin = _of_one("arcsin", _ops.asin, "Inverse sines.", floating)
arccos = _of_one("arccos", _ops.acos, "Inverse cosines.", floating)
arctan = _of_one("arctan", _ops.atan, "Inverse tangents.", floating)
arcsinh = _of_one("arcsinh", _ops.asinh, "Inverse hyperbolic sines.", floating)
arccosh = _of_one("arccosh", _ops.acosh, "Inverse hyperbolic cosines.", floating)
arctanh = _of_one("arctanh", _ops.atanh, "Inverse hyperbolic tangents.", floating)
reciprocal = _of_one("reciprocal", _ops.reciprocal, "1 / x.", floating)
erf = _of_one("erf", _ops.erf, "The error function.", floating)
erfc = _of_one("erfc", _ops.erfc, "One minus the error function.", floating)
erfinv = _of_one("erfinv", _ops.erfinv, "The inverse of the error function.", floating)
i0 = _of_one("i0", special.bessel_i0, "The modified Bessel function of order zero.", floating)
isfinite = _of_one("isfinite", _ops.is_finite, "Whether values are finite.", floating)
isinf = _of_one("isinf", _ops.is_inf, "Whether values are infinite.", floating)
isnan = _of_one("isnan", _ops.is_nan, "Whether values are no numbers.", floating)
bitwise_not = _of_one("bitwise_not", _ops.invert, "Integers with all bits turned.")
bitwise_invert = _of_one("bitwise_invert", _ops.invert, "Integers with all bits turned.")

add = _of_two("add", _ops.add, "Sums.")
subtract = _of_two("subtract", _ops.subtract, "Differences.")
multiply = _of_two("multiply", _ops.multiply, "Products.")
maximum = _of_two("maximum", _ops.maximum, "The larger ones.")
minimum = _of_two("minimum", _ops.minimum, "The smaller ones.")
mod = _of_two("mod", _ops.floormod, "Remainders, with the divisor's sign.")
floor_divide = _of_two("floor_divide", _ops.floordiv, "Quotients, rounded down.")
equal = _of_two("equal", _ops.equal, "Whether elements are equal.")
not_equal = _of_two("not_equal", _ops.not_equal, "Whether elements differ.")
less = _of_two("less", _ops.less, "Whether the first ones are less.")
less_equal = _of_two("less_equal", _ops.less_equal, "Whether the first ones are not greater.")
greater = _of_two("greater", _ops.greater, "Whether the first ones are greater.")
greater_equal = _of_two("greater_equal", _ops.greater_equal, "Whether none is less.")
power = _of_two("power", _ops.pow, "Powers.")
bitwise_and = _of_bits("bitwise_and", _ops.bitwise_and, "Bits that are set in both.")
bitwise_or = _of_bits("bitwise_or", _ops.bitwise_or, "Bits that are set in one or both.")
bitwise_xor = _of_bits("bitwise_xor", _ops.bitwise_xor, "Bits that are set in one of both.")
left_shift = _of_bits("left_shift", _ops.left_shift, "Bits moved to the left.")
bitwise_left_shift = _of_bits("bitwise_left_shift", _ops.left_shift, "Bits moved to the left.")
right_shift = _of_bits("right_shift", _ops.right_shift, "Bits moved to the right.")
bitwise_right_shift = _of_bits("bitwise_right_shift", _ops.right_shift, "Bits moved to the right.")


floor = _of_one("floor", _ops.floor, "The largest integers that are not greater.", floating)
ceil = _of_one("ceil", _ops.ceil, "The smallest integers that are not less.", floating)


@op_function
def trunc(x: Any) -> Any:
    """Values without what is behind the point."""
    x = tensor(x)
    if x.dtype.is_integer or x.dtype.is_bool:
        return x
    return _ops.select(_ops.less(x, 0.0), _ops.ceil(x), _ops.floor(x))


@op_function
def round(x: Any, decimals: int = 0) -> Any:
    """Values with a number of decimals; halves go to the even neighbour."""
    x = tensor(x)
    if x.dtype.is_integer or x.dtype.is_bool:
        return x
    if not decimals:
        return _ops.round(x)
    scale = 10.0**decimals
    return _ops.round(x * scale) / scale


@op_function
def divide(x1: Any, x2: Any) -> Any:
    """Quotients, which are floating."""
    x1, x2 = pair(x1, x2)
    return _ops.divide_real(floating(x1), floating(x2))


true_divide = divide


@op_function
def divide_no_nan(x1: Any, x2: Any) -> Any:
    """Quotients, zero where the divisor is."""
    x1, x2 = pair(x1, x2)
    return _ops.divide_no_nan(floating(x1), floating(x2))


@op_function
def fmod(x1: Any, x2: Any) -> Any:
    """Remainders, with the dividend's sign."""
    x1, x2 = pair(x1, x2)
    return _ops.truncatemod(x1, x2)


@op_function
def fmax(x1: Any, x2: Any) -> Any:
    """The larger ones; a number where the other one is none."""
    x1, x2 = pair(x1, x2)
    larger = _ops.maximum(x1, x2)
    if not x1.dtype.is_floating:
        return larger
    return _ops.select(_ops.is_nan(x1), x2, _ops.select(_ops.is_nan(x2), x1, larger))


@op_function
def fmin(x1: Any, x2: Any) -> Any:
    """The smaller ones; a number where the other one is none."""
    x1, x2 = pair(x1, x2)
    smaller = _ops.minimum(x1, x2)
    if not x1.dtype.is_floating:
        return smaller
    return _ops.select(_ops.is_nan(x1), x2, _ops.select(_ops.is_nan(x2), x1, smaller))


@op_function
def arctan2(x1: Any, x2: Any) -> Any:
    """Angles of points (x2, x1)."""
    x1, x2 = pair(floating(x1), floating(x2))
    return _ops.atan2(x1, x2)


@op_function
def nextafter(x1: Any, x2: Any) -> Any:
    """The next number that can be represented, towards another."""
    x1, x2 = pair(floating(x1), floating(x2))
    return special.nextafter(x1, x2)


@op_function
def hypot(x1: Any, x2: Any) -> Any:
    """Lengths of hypotenuses."""
    x1, x2 = pair(floating(x1), floating(x2))
    return _ops.sqrt(_ops.square(x1) + _ops.square(x2))


@op_function
def log2(x: Any) -> Any:
    """Logarithms to base 2."""
    return _ops.log(floating(x)) / math.log(2.0)


@op_function
def log10(x: Any) -> Any:
    """Logarithms to base 10."""
    return _ops.log(floating(x)) / math.log(10.0)


@op_function
def exp2(x: Any) -> Any:
    """Powers of 2."""
    return _ops.exp(floating(x) * math.log(2.0))


@op_function
def cbrt(x: Any) -> Any:
    """Cubic roots, of negative numbers, too."""
    x = floating(x)
    return _ops.sign(x) * _ops.pow(_ops.abs(x), 1.0 / 3.0)


@op_function
def deg2rad(x: Any) -> Any:
    """Degrees as radians."""
    return floating(x) * (math.pi / 180.0)


@op_function
def rad2deg(x: Any) -> Any:
    """Radians as degrees."""
    return floating(x) * (180.0 / math.pi)


@op_function
def sinc(x: Any) -> Any:
    """`sin(pi x) / (pi x)`, one at zero."""
    x = floating(x) * math.pi
    zero = _ops.equal(x, 0.0)
    safe = _ops.select(zero, _ops.ones_like(x), x)
    return _ops.select(zero, _ops.ones_like(x), _ops.sin(safe) / safe)


@op_function
def heaviside(x1: Any, x2: Any) -> Any:
    """0 below zero, 1 above, and x2 at zero."""
    x1, x2 = pair(floating(x1), floating(x2))
    step = _ops.cast(_ops.greater(x1, 0.0), x1.dtype)
    return _ops.select(_ops.equal(x1, 0.0), x2 + _ops.zeros_like(x1), step + _ops.zeros_like(x2))


@op_function
def ldexp(x1: Any, x2: Any) -> Any:
    """`x1 * 2 ** x2`."""
    return floating(x1) * exp2(x2)


@op_function
def logaddexp(x1: Any, x2: Any) -> Any:
    """`log(exp(x1) + exp(x2))`, without overflow."""
    x1, x2 = pair(floating(x1), floating(x2))
    top = _ops.stop_gradient(_ops.maximum(x1, x2))
    finite = _ops.select(_ops.is_finite(top), top, _ops.zeros_like(top))
    return _ops.log(_ops.exp(x1 - finite) + _ops.exp(x2 - finite)) + finite


@op_function
def logaddexp2(x1: Any, x2: Any) -> Any:
    """`log2(2 ** x1 + 2 ** x2)`, without overflow."""
    two = math.log(2.0)
    x1, x2 = pair(floating(x1), floating(x2))
    return logaddexp(x1 * two, x2 * two) / two


@op_function
def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Values within bounds."""
    x = tensor(x)
    if x.dtype.is_bool:
        x = _ops.cast(x, dtypes.int32)
    low, high = (tensor(bound, x.dtype) for bound in (x_min, x_max))
    return _ops.maximum(_ops.minimum(x, high), low)


@op_function
def nan_to_num(x: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Values with numbers in the place of those that are not finite."""
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
def isposinf(x: Any) -> Any:
    """Whether values are infinite and positive."""
    return _ops.equal(floating(x), math.inf)


@op_function
def isneginf(x: Any) -> Any:
    """Whether values are infinite and negative."""
    return _ops.equal(floating(x), -math.inf)


@op_function
def isreal(x: Any) -> Any:
    """Whether imaginary parts are zero."""
    x = tensor(x)
    return _ops.equal(_ops.imag(x), 0.0) if x.dtype.is_complex else _ops.equal(x, x) | True


@op_function
def isclose(
    x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Whether values differ by no more than `atol + rtol * abs(x2)`."""
    x1, x2 = pair(floating(x1), floating(x2))
    near = _ops.less_equal(_ops.abs(x1 - x2), atol + rtol * _ops.abs(x2))
    near = _ops.logical_or(_ops.logical_and(near, _ops.is_finite(x2)), _ops.equal(x1, x2))
    if equal_nan:
        near = _ops.logical_or(near, _ops.logical_and(_ops.is_nan(x1), _ops.is_nan(x2)))
    return near


@op_function
def allclose(
    x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Whether all values are close."""
    return _ops.reduce_all(isclose(x1, x2, rtol, atol, equal_nan))


@op_function
def signbit(x: Any) -> Any:
    """Whether the sign is negative, that of zeros included."""
    x = tensor(x)
    if not x.dtype.is_floating:
        return _ops.less(_ops.cast(x, dtypes.int64), _ops.cast(0, dtypes.int64))
    negative_zero = _ops.logical_and(_ops.equal(x, 0.0), _ops.less(1.0 / x, 0.0))
    return _ops.logical_or(_ops.less(x, 0.0), negative_zero)


def _truth(x: Any) -> Any:
    x = tensor(x)
    return x if x.dtype.is_bool else _ops.cast(x, dtypes.as_dtype("bool"))


@op_function
def logical_and(x1: Any, x2: Any) -> Any:
    """Whether both hold."""
    return _ops.logical_and(_truth(x1), _truth(x2))


@op_function
def logical_or(x1: Any, x2: Any) -> Any:
    """Whether one or both hold."""
    return _ops.logical_or(_truth(x1), _truth(x2))


@op_function
def logical_xor(x1: Any, x2: Any) -> Any:
    """Whether one of both holds."""
    return _ops.not_equal(_truth(x1), _truth(x2))


@op_function
def logical_not(x: Any) -> Any:
    """Whether it does not hold."""
    return _ops.logical_not(_truth(x))


@op_function
def gcd(x1: Any, x2: Any) -> Any:
    """Greatest common divisors of integers."""
    x1, x2 = pair(x1, x2)
    a = _ops.abs(x1) + _ops.zeros_like(x2)
    b = _ops.abs(x2) + _ops.zeros_like(x1)
    while bool(_ops.reduce_any(_ops.not_equal(b, _ops.zeros_like(b)))):
        zero = _ops.equal(b, _ops.zeros_like(b))
        safe = _ops.select(zero, _ops.ones_like(b), b)
        a, b = _ops.select(zero, a, b), _ops.select(zero, b, _ops.floormod(a, safe))
    return a


@op_function
def lcm(x1: Any, x2: Any) -> Any:
    """Least common multiples of integers."""
    x1, x2 = pair(x1, x2)
    divisor = gcd(x1, x2)
    safe = _ops.maximum(divisor, _ops.ones_like(divisor))
    return _ops.abs(_ops.floordiv(x1, safe) * x2)


@op_function
def polar(abs_: Any, angle: Any) -> Any:
    """Complex numbers from absolute values and angles."""
    length, angle = floating(abs_), floating(angle)
    return _ops.complex(length * _ops.cos(angle), length * _ops.sin(angle))
