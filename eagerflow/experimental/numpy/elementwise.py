"""Functions of corresponding elements, with NumPy's dtypes."""

from __future__ import annotations

import math as _math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental.numpy import dtypes
from eagerflow.experimental.numpy.arrays import asarray, promoted

__all__ = ["angle", "around", "round", "clip", "divmod", "isclose", "allclose", "array_equal"]


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The functions that the tables below make."""


def _function(name: str, doc: str, body: Callable, inputs: int) -> None:
    if inputs == 1:

        def function(x: Any) -> tf.Tensor:
            return body(asarray(x))

    else:

        def function(x1: Any, x2: Any) -> tf.Tensor:  # type: ignore[misc]
            return body(*promoted(x1, x2))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}; `numpy.{name}` for tensors, of its dtype."
    globals()[name] = function
    __all__.append(name)


def _floats(function: Callable) -> Callable:
    """A function that is defined for floats, and turns integers into such."""
    return lambda *values: function(*[tf.cast(x, dtypes.floating(x.dtype)) for x in values])


def _kept(function: Callable) -> Callable:
    """A function that leaves integers and booleans as they are."""
    return lambda x: x if x.dtype.is_integer or x.dtype == tf.bool else function(x)


def _real_only(value: bool, function: Callable) -> Callable:
    """A test of floats, whose answer for other numbers is known."""
    return lambda x: (
        function(x) if x.dtype.is_floating else tf.fill(x.shape.as_list(), tf.constant(value))
    )


def _infinite(sign: int) -> Callable:
    return lambda x: tf.equal(x, tf.constant(sign * _math.inf, x.dtype))


def _reciprocal(x: tf.Tensor) -> tf.Tensor:
    return tf.constant(1 // x.numpy(), x.dtype) if x.dtype.is_integer else tf.math.reciprocal(x)


def _sinc(x: tf.Tensor) -> tf.Tensor:
    scaled = x * _math.pi
    safe = tf.where(x == 0, tf.ones_like(scaled), scaled)
    return tf.where(x == 0, tf.ones_like(x), tf.sin(safe) / safe)


def _arithmetic(function: Callable) -> Callable:
    """Arithmetic of booleans is that of small integers."""
    return lambda x, y: (
        function(tf.cast(x, tf.int8), tf.cast(y, tf.int8)) if x.dtype == tf.bool else function(x, y)
    )


def _boolean(numbers: Callable, booleans: Callable) -> Callable:
    return lambda *xs: booleans(*xs) if xs[0].dtype == tf.bool else numbers(*xs)


def _logical(function: Callable) -> Callable:
    return lambda *values: function(*[tf.cast(x, tf.bool) for x in values])


def _gcd(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    return tf.constant(np.gcd(x.numpy(), y.numpy()))


def _heaviside(x: tf.Tensor, at_zero: tf.Tensor) -> tf.Tensor:
    step = tf.where(x < 0, tf.zeros_like(x), tf.where(x > 0, tf.ones_like(x), at_zero))
    return tf.where(tf.math.is_nan(x), x, step)


def _log_sum(x: tf.Tensor, y: tf.Tensor, base: float) -> tf.Tensor:
    scale = _math.log(base)
    larger = tf.maximum(x, y)
    difference = tf.where(x == y, tf.zeros_like(x), tf.abs(x - y))
    return larger + tf.math.log1p(tf.exp(-difference * scale)) / scale


_UNARY: dict[str, tuple[str, Callable]] = {
    "abs": ("Absolute values", tf.abs),
    "absolute": ("Absolute values", tf.abs),
    "arccos": ("Inverse cosines", _floats(tf.acos)),
    "arccosh": ("Inverse hyperbolic cosines", _floats(tf.acosh)),
    "arcsin": ("Inverse sines", _floats(tf.asin)),
    "arcsinh": ("Inverse hyperbolic sines", _floats(tf.asinh)),
    "arctan": ("Inverse tangents", _floats(tf.atan)),
    "arctanh": ("Inverse hyperbolic tangents", _floats(tf.atanh)),
    "bitwise_not": ("Inverted bits", _boolean(tf.bitwise.invert, tf.logical_not)),
    "cbrt": ("Cube roots", _floats(lambda x: tf.sign(x) * tf.pow(tf.abs(x), 1 / 3))),
    "ceil": ("The nearest whole numbers above", _floats(tf.math.ceil)),
    "conj": ("Complex conjugates", tf.math.conj),
    "conjugate": ("Complex conjugates", tf.math.conj),
    "cos": ("Cosines", _floats(tf.cos)),
    "cosh": ("Hyperbolic cosines", _floats(tf.cosh)),
    "deg2rad": ("Degrees as radians", _floats(lambda x: x * (_math.pi / 180))),
    "exp": ("Exponentials", _floats(tf.exp)),
    "exp2": ("Powers of 2", _floats(lambda x: tf.pow(tf.constant(2, x.dtype), x))),
    "expm1": ("Exponentials minus 1", _floats(tf.math.expm1)),
    "fabs": ("Absolute values as floats", _floats(tf.abs)),
    "fix": ("Whole numbers towards 0", _floats(lambda x: tf.sign(x) * tf.floor(tf.abs(x)))),
    "floor": ("The nearest whole numbers below", _floats(tf.floor)),
    "imag": ("Imaginary parts", lambda x: tf.math.imag(x) if x.dtype.is_complex else x * 0),
    "iscomplex": ("Where the imaginary part is not 0", lambda x: _imaginary(x)),
    "isfinite": ("Where numbers are finite", _real_only(True, tf.math.is_finite)),
    "isinf": ("Where numbers are infinite", _real_only(False, tf.math.is_inf)),
    "isnan": ("Where numbers are NaN", _real_only(False, tf.math.is_nan)),
    "isneginf": ("Where numbers are -inf", _real_only(False, _infinite(-1))),
    "isposinf": ("Where numbers are inf", _real_only(False, _infinite(1))),
    "isreal": ("Where the imaginary part is 0", lambda x: tf.logical_not(_imaginary(x))),
    "log": ("Natural logarithms", _floats(tf.math.log)),
    "log10": ("Logarithms to base 10", _floats(lambda x: tf.math.log(x) / _math.log(10))),
    "log1p": ("Logarithms of 1 + x", _floats(tf.math.log1p)),
    "log2": ("Logarithms to base 2", _floats(lambda x: tf.math.log(x) / _math.log(2))),
    "logical_not": ("Where values are false", _logical(tf.logical_not)),
    "negative": ("Negated numbers", tf.negative),
    "positive": ("The numbers themselves", tf.identity),
    "rad2deg": ("Radians as degrees", _floats(lambda x: x * (180 / _math.pi))),
    "real": ("Real parts", lambda x: tf.math.real(x) if x.dtype.is_complex else x),
    "reciprocal": ("1 / x", _reciprocal),
    "sign": ("Signs", tf.sign),
    "signbit": ("Where numbers are negative", lambda x: tf.constant(np.signbit(x.numpy()))),
    "sin": ("Sines", _floats(tf.sin)),
    "sinc": ("sin(pi x) / (pi x)", _floats(_sinc)),
    "sinh": ("Hyperbolic sines", _floats(tf.sinh)),
    "sqrt": ("Square roots", _floats(tf.sqrt)),
    "square": ("Squares", tf.square),
    "tan": ("Tangents", _floats(tf.tan)),
    "tanh": ("Hyperbolic tangents", _floats(tf.tanh)),
}

_BINARY: dict[str, tuple[str, Callable]] = {
    "add": ("Sums", _boolean(tf.add, tf.logical_or)),
    "arctan2": ("Angles of points (x2, x1)", _floats(tf.atan2)),
    "bitwise_and": ("Bits of both", _boolean(tf.bitwise.bitwise_and, tf.logical_and)),
    "bitwise_or": ("Bits of either", _boolean(tf.bitwise.bitwise_or, tf.logical_or)),
    "bitwise_xor": ("Bits of one", _boolean(tf.bitwise.bitwise_xor, tf.math.logical_xor)),
    "divide": ("Quotients", _floats(tf.divide)),
    "equal": ("Where values are equal", tf.equal),
    "float_power": (
        "Powers in double precision",
        lambda x, y: tf.pow(tf.cast(x, tf.float64), tf.cast(y, tf.float64)),
    ),
    "floor_divide": ("Whole quotients", _arithmetic(tf.math.floordiv)),
    "gcd": ("Greatest common divisors", _gcd),
    "greater": ("Where x1 > x2", tf.greater),
    "greater_equal": ("Where x1 >= x2", tf.greater_equal),
    "heaviside": ("0 below, 1 above, x2 at 0", _floats(_heaviside)),
    "hypot": ("Lengths of (x1, x2)", _floats(lambda x, y: tf.sqrt(x * x + y * y))),
    "lcm": ("Least common multiples", lambda x, y: tf.constant(np.lcm(x.numpy(), y.numpy()))),
    "less": ("Where x1 < x2", tf.less),
    "less_equal": ("Where x1 <= x2", tf.less_equal),
    "logaddexp": ("log(exp(x1) + exp(x2))", _floats(lambda x, y: _log_sum(x, y, _math.e))),
    "logaddexp2": ("log2(2^x1 + 2^x2)", _floats(lambda x, y: _log_sum(x, y, 2.0))),
    "logical_and": ("Where both are true", _logical(tf.logical_and)),
    "logical_or": ("Where either is true", _logical(tf.logical_or)),
    "logical_xor": ("Where one is true", _logical(tf.math.logical_xor)),
    "maximum": ("The larger values", _boolean(tf.maximum, tf.logical_or)),
    "minimum": ("The smaller values", _boolean(tf.minimum, tf.logical_and)),
    "mod": ("Remainders with the divisor's sign", _arithmetic(tf.math.floormod)),
    "multiply": ("Products", _boolean(tf.multiply, tf.logical_and)),
    "nextafter": ("The next floats towards x2", _floats(tf.math.nextafter)),
    "not_equal": ("Where values differ", tf.not_equal),
    "power": ("Powers", _arithmetic(tf.pow)),
    "remainder": ("Remainders with the divisor's sign", _arithmetic(tf.math.floormod)),
    "subtract": ("Differences", tf.subtract),
    "true_divide": ("Quotients", _floats(tf.divide)),
}


def _imaginary(x: tf.Tensor) -> tf.Tensor:
    if not x.dtype.is_complex:
        return tf.zeros(x.shape.as_list(), tf.bool)
    return tf.not_equal(tf.math.imag(x), tf.zeros([], x.dtype.real_dtype))


for _name, (_doc, _body) in _UNARY.items():
    _function(_name, _doc, _body, 1)
for _name, (_doc, _body) in _BINARY.items():
    _function(_name, _doc, _body, 2)


def angle(z: Any, deg: bool = False) -> tf.Tensor:
    """The angles of complex numbers, in radians or degrees."""
    z = asarray(z)
    result = tf.math.angle(z if z.dtype.is_complex else tf.cast(z, dtypes.floating(z.dtype)))
    return result * (180 / _math.pi) if deg else result


def clip(a: Any, a_min: Any, a_max: Any) -> tf.Tensor:
    """Values brought into a range; a limit of None does not bound."""
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    a = asarray(a)
    if a_min is not None:
        a, low = promoted(a, a_min)
        a = tf.maximum(a, low)
    if a_max is not None:
        a, high = promoted(a, a_max)
        a = tf.minimum(a, high)
    return a


def divmod(x1: Any, x2: Any) -> tuple[tf.Tensor, tf.Tensor]:
    """Whole quotients and remainders."""
    return globals()["floor_divide"](x1, x2), globals()["mod"](x1, x2)


def around(a: Any, decimals: int = 0) -> tf.Tensor:
    """Numbers rounded to so many decimals; halves go to the even one.

    >>> tf.experimental.numpy.around([1.25, 1.75], 1).numpy()
    array([1.2, 1.8])
    """
    a = asarray(a)
    if a.dtype.is_integer and decimals >= 0:
        return a
    factor = 10.0**decimals
    floats = tf.cast(a, dtypes.floating(a.dtype))
    return tf.cast(tf.round(floats * factor) / factor, a.dtype)


round = around


def isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> tf.Tensor:
    """Where `|a - b| <= atol + rtol * |b|`."""
    a, b = promoted(a, b)
    if not a.dtype.is_floating and not a.dtype.is_complex:
        return tf.equal(a, b)
    result = tf.abs(a - b) <= atol + rtol * tf.abs(b)
    result = result & tf.math.is_finite(tf.abs(b)) | tf.equal(a, b)
    if equal_nan:
        result = result | (tf.math.is_nan(tf.abs(a)) & tf.math.is_nan(tf.abs(b)))
    return result


def allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> tf.Tensor:
    """Whether all elements are close to each other, see `isclose`."""
    return tf.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any) -> tf.Tensor:
    """Whether two arrays have the same shape and elements."""
    a1, a2 = promoted(a1, a2)
    if a1.shape != a2.shape:
        return tf.constant(False)
    return tf.reduce_all(tf.equal(a1, a2))
