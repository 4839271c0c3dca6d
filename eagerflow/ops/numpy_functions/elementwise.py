"""Functions of corresponding elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.type_spec import is_weak
from eagerflow.ops import control_flow, indexing, reduction, special
from eagerflow.ops import math as _math
from eagerflow.ops.numpy_functions.rules import Rules, keeps_weakness
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor
Operation = Callable[..., Any]


def _of_tensor(operation: Operation, doc: str | None = None) -> Operation:
    """A function of one tensor of any dtype."""

    def body(rules: Rules, x: Tensor) -> Tensor:
        return operation(rules.tensor(x))

    body.__doc__ = doc or operation.__doc__
    return body


def _of_float(operation: Operation, doc: str | None = None) -> Operation:
    """A function of one floating tensor, to which integers are converted."""

    def body(rules: Rules, x: Tensor) -> Tensor:
        return operation(rules.floating(x))

    body.__doc__ = doc or operation.__doc__
    return body


def _of_pair(
    operation: Operation, doc: str | None = None, booleans: Operation | None = None
) -> Operation:
    """A function of two tensors, promoted to one dtype.

    Args:
        operation: the operation on numbers.
        doc: the function's docstring; by default the operation's.
        booleans: the operation on booleans, if the namespace computes with booleans.
    """

    def body(rules: Rules, x1: Tensor, x2: Tensor) -> Tensor:
        x1, x2 = rules.pair(x1, x2)
        if booleans is not None and x1.dtype.is_bool and rules.computes_with_booleans:
            return booleans(x1, x2)
        return operation(x1, x2)

    body.__doc__ = doc or operation.__doc__
    return body


def _of_floats(operation: Operation, doc: str | None = None) -> Operation:
    """A function of two floating tensors of one dtype."""

    def body(rules: Rules, x1: Tensor, x2: Tensor) -> Tensor:
        return operation(*map(rules.as_floating, rules.pair(x1, x2)))

    body.__doc__ = doc or operation.__doc__
    return body


def _of_truths(operation: Operation, doc: str) -> Operation:
    """A function of two tensors, converted to booleans."""

    def body(rules: Rules, x1: Tensor, x2: Tensor) -> Tensor:
        return operation(rules.truth(x1), rules.truth(x2))

    body.__doc__ = doc
    return body


def _in_integers(operation: Operation) -> Operation:
    """Arithmetic of booleans as small integers."""
    return lambda x, y: operation(_ops.cast(x, dtypes.int8), _ops.cast(y, dtypes.int8))


def _of_magnitude(operation: Operation) -> Operation:
    """An operation of real numbers, and of the magnitudes of complex ones."""
    return lambda x: operation(_ops.abs(x) if x.dtype.is_complex else x)


absolute = abs = _of_tensor(_ops.abs, "Absolute values.")
negative = _of_tensor(_ops.negative, "Values of the opposite sign.")
positive = _of_tensor(_ops.identity, "The values themselves.")
square = _of_tensor(_ops.square, "Squares.")
sign = _of_tensor(_ops.sign, "Signs: -1, 0 or 1.")
conjugate = conj = _of_tensor(_ops.conj, "Complex conjugates.")

fabs = _of_float(_ops.abs, "Absolute values, as floats.")
angle = _of_float(_math.angle, "Angles of complex numbers, in radians.")
sqrt = _of_float(_ops.sqrt, "Square roots.")
exp = _of_float(_ops.exp, "Exponentials.")
exp2 = _of_float(lambda x: _ops.pow(2.0, x), "Powers of 2.")
expm1 = _of_float(_ops.expm1, "`exp(x) - 1`, accurate near zero.")
log = _of_float(_ops.log, "Natural logarithms.")
log1p = _of_float(_ops.log1p, "`log(1 + x)`, accurate near zero.")
log2 = _of_float(lambda x: _ops.log(x) / math.log(2.0), "Logarithms to base 2.")
log10 = _of_float(lambda x: _ops.log(x) / math.log(10.0), "Logarithms to base 10.")
sin = _of_float(_ops.sin, "Sines.")
cos = _of_float(_ops.cos, "Cosines.")
tan = _of_float(_ops.tan, "Tangents.")
sinh = _of_float(_ops.sinh, "Hyperbolic sines.")
cosh = _of_float(_ops.cosh, "Hyperbolic cosines.")
tanh = _of_float(_ops.tanh, "Hyperbolic tangents.")
arcsin = _of_float(_ops.asin, "Inverse sines.")
arccos = _of_float(_ops.acos, "Inverse cosines.")
arctan = _of_float(_ops.atan, "Inverse tangents.")
arcsinh = _of_float(_ops.asinh, "Inverse hyperbolic sines.")
arccosh = _of_float(_ops.acosh, "Inverse hyperbolic cosines.")
arctanh = _of_float(_ops.atanh, "Inverse hyperbolic tangents.")
floor = _of_float(_ops.floor, "The largest integers that are not greater, as floats.")
ceil = _of_float(_ops.ceil, "The smallest integers that are not less, as floats.")
deg2rad = _of_float(lambda x: x * (math.pi / 180.0), "Degrees in radians.")
rad2deg = _of_float(lambda x: x * (180.0 / math.pi), "Radians in degrees.")
reciprocal = _of_float(_ops.reciprocal, "Reciprocals.")
i0 = _of_float(_ops.bessel_i0, "The modified Bessel function of order zero.")
isfinite = _of_float(_of_magnitude(_ops.is_finite), "Whether values are finite.")
isinf = _of_float(_of_magnitude(_ops.is_inf), "Whether values are infinite.")
isnan = _of_float(_of_magnitude(_ops.is_nan), "Whether values are NaN.")
isposinf = _of_float(lambda x: _ops.equal(x, math.inf), "Whether values are inf.")
isneginf = _of_float(lambda x: _ops.equal(x, -math.inf), "Whether values are -inf.")

add = _of_pair(_ops.add, "Sums.", _ops.logical_or)
subtract = _of_pair(_ops.subtract, "Differences.")
multiply = _of_pair(_ops.multiply, "Products.", _ops.logical_and)
maximum = _of_pair(_ops.maximum, "The larger values.", _ops.logical_or)
minimum = _of_pair(_ops.minimum, "The smaller values.", _ops.logical_and)
remainder = mod = _of_pair(
    _ops.floormod, "Remainders, of the divisor's sign.", _in_integers(_ops.floormod)
)
floor_divide = _of_pair(_ops.floordiv, "Quotients rounded down.", _in_integers(_ops.floordiv))
power = _of_pair(_ops.pow, "Powers.", _in_integers(_ops.pow))
equal = _of_pair(_ops.equal, "Whether elements are equal.")
not_equal = _of_pair(_ops.not_equal, "Whether elements differ.")
less = _of_pair(_ops.less, "Whether `x1 < x2`.")
less_equal = _of_pair(_ops.less_equal, "Whether `x1 <= x2`.")
greater = _of_pair(_ops.greater, "Whether `x1 > x2`.")
greater_equal = _of_pair(_ops.greater_equal, "Whether `x1 >= x2`.")
bitwise_and = _of_pair(_ops.bitwise_and, "Bits set in both.", _ops.logical_and)
bitwise_or = _of_pair(_ops.bitwise_or, "Bits set in either.", _ops.logical_or)
bitwise_xor = _of_pair(_ops.bitwise_xor, "Bits set in exactly one.", _ops.logical_xor)

left_shift = bitwise_left_shift = _of_pair(_ops.left_shift, "Bits shifted to the left.")
right_shift = bitwise_right_shift = _of_pair(_ops.right_shift, "Bits shifted to the right.")
fmod = _of_pair(_ops.truncatemod, "Remainders, of the dividend's sign.")

arctan2 = _of_floats(_ops.atan2, "Angles of the points `(x2, x1)`, in radians.")
nextafter = _of_floats(special.nextafter, "The next floating numbers after x1 towards x2.")

logical_and = _of_truths(_ops.logical_and, "Whether both are true.")
logical_or = _of_truths(_ops.logical_or, "Whether either is true.")
logical_xor = _of_truths(_ops.not_equal, "Whether exactly one is true.")


def bitwise_not(rules: Rules, x: TensorLike) -> Tensor:
    """Integers with all bits inverted."""
    x = rules.tensor(x)
    invert = x.dtype.is_bool and rules.computes_with_booleans
    return _ops.logical_not(x) if invert else _ops.invert(x)


bitwise_invert = bitwise_not


def logical_not(rules: Rules, x: TensorLike) -> Tensor:
    """Whether values are false."""
    return _ops.logical_not(rules.truth(x))


def divide(rules: Rules, x1: TensorLike, x2: TensorLike) -> Tensor:
    """Quotients, as floats."""
    x1, x2 = rules.pair(x1, x2)
    return _ops.divide_real(rules.divided(x1), rules.divided(x2))


true_divide = divide


def divide_no_nan(rules: Rules, x1: TensorLike, x2: TensorLike) -> Tensor:
    """Quotients, as floats, and zero where the divisor is zero."""
    x1, x2 = rules.pair(x1, x2)
    return _ops.divide_no_nan(rules.as_floating(x1), rules.as_floating(x2))


@_of_float
def cbrt(x: Tensor) -> Tensor:
    """Cube roots; negative numbers have negative ones."""
    return _ops.sign(x) * _ops.pow(_ops.abs(x), 1.0 / 3.0)


_SINC_TERMS = 11  # so that second derivatives have all digits, too


@keeps_weakness
@_of_float
def sinc(x: Tensor) -> Tensor:
    """`sin(pi x) / (pi x)`, and 1 at zero."""
    angle = x * math.pi
    # Below 1, quotients of the derivatives lose digits: there, the series at zero.
    near = _ops.less(_ops.abs(angle), 1.0)
    inside = _ops.select(near, angle, _ops.zeros_like(angle))
    outside = _ops.select(near, _ops.ones_like(angle), angle)
    square = _ops.square(inside)
    series = _ops.ones_like(angle)
    for k in range(_SINC_TERMS, 0, -1):
        series = 1.0 - series * square * (1.0 / (2 * k * (2 * k + 1)))
    return _ops.select(near, series, _ops.sin(outside) / outside)


@_of_tensor
def real(x: Tensor) -> Tensor:
    """Real parts."""
    return _ops.real(x) if x.dtype.is_complex else x


@_of_tensor
def imag(x: Tensor) -> Tensor:
    """Imaginary parts."""
    return _ops.imag(x) if x.dtype.is_complex else _ops.zeros_like(x)


@_of_tensor
def isreal(x: Tensor) -> Tensor:
    """Whether imaginary parts are zero."""
    if x.dtype.is_complex:
        return _ops.equal(_ops.imag(x), 0.0)
    return _ops.ones_like(_ops.equal(x, x))


@_of_tensor
def signbit(x: Tensor) -> Tensor:
    """Whether the sign is negative, that of zeros included."""
    if x.dtype.is_bool:
        return _ops.zeros_like(x)
    if x.dtype.is_complex:
        x = _ops.real(x)
    below = _ops.less(x, _ops.zeros_like(x))
    if not x.dtype.is_floating:
        return below
    return _ops.logical_or(below, _ops.logical_and(_ops.equal(x, 0.0), _ops.less(1.0 / x, 0.0)))


def hypot(rules: Rules, x1: TensorLike, x2: TensorLike) -> Tensor:
    """Lengths of the vectors `(x1, x2)`."""
    x1, x2 = rules.floats(x1, x2)
    if x1.dtype.is_complex:
        return _ops.sqrt(_ops.square(x1) + _ops.square(x2))
    result = _ops.hypot(x1, x2)
    return _core.weakened(result) if is_weak(x1) and is_weak(x2) else result


@_of_floats
def heaviside(x1: Tensor, x2: Tensor) -> Tensor:
    """0 where x1 is negative, 1 where it is positive, and x2 where it is zero."""
    above = _ops.greater(x1, 0.0)
    known = _ops.logical_or(above, _ops.less(x1, 0.0))
    return indexing.where(known, _ops.cast(above, x1.dtype), x2)


@_of_floats
def logaddexp(x1: Tensor, x2: Tensor) -> Tensor:
    """`log(exp(x1) + exp(x2))`, without overflow."""
    return reduction.log_of_sum(x1, x2)


@_of_floats
def logaddexp2(x1: Tensor, x2: Tensor) -> Tensor:
    """`log2(2 ** x1 + 2 ** x2)`, without overflow."""
    return reduction.log_of_sum(x1, x2, 2.0)


def _gcd(x1: Tensor, x2: Tensor) -> Tensor:
    """Greatest common divisors of integers."""
    if not (is_symbolic(x1) or is_symbolic(x2)):
        return _core.as_tensor(np.gcd(x1.numpy(), x2.numpy()))
    sizes = _ops.shape(x1 + x2)

    def step(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        ends = _ops.equal(b, 0)
        rest = _ops.floormod(a, _ops.select(ends, _ops.ones_like(b), b))
        return _ops.select(ends, a, b), _ops.select(ends, b, rest)

    return control_flow.while_loop(
        lambda a, b: _ops.reduce_any(_ops.not_equal(b, 0)),
        step,
        [_ops.broadcast_to(_ops.abs(x), sizes) for x in (x1, x2)],
    )[0]


def _lcm(x1: Tensor, x2: Tensor) -> Tensor:
    """Least common multiples of integers."""
    divisors = _ops.maximum(_gcd(x1, x2), 1)
    return _ops.abs(x1 * _ops.floordiv(x2, divisors))


gcd = _of_pair(_gcd)
lcm = _of_pair(_lcm)


@keeps_weakness
def around(rules: Rules, x: TensorLike, decimals: int = 0) -> Tensor:
    """Values rounded to a number of decimals; halves are rounded to the even neighbour.

    >>> tf.experimental.numpy.around([1.25, 1.75], 1).numpy()
    array([1.2, 1.8])
    """
    x = rules.tensor(x)
    if not x.dtype.is_floating and not x.dtype.is_complex and decimals >= 0:
        return x
    values = rules.as_floating(x)
    if not decimals:
        return _ops.round(values)
    scale = 10.0**decimals
    return _ops.cast(_ops.round(values * scale) / scale, x.dtype)


round = around


def isclose(
    rules: Rules, x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether values differ by no more than `atol + rtol * abs(x2)`."""
    x1, x2 = rules.floats(x1, x2)
    size = _ops.abs(x2)
    close = _ops.less_equal(_ops.abs(x1 - x2), atol + rtol * size)
    close = _ops.logical_or(_ops.logical_and(close, _ops.is_finite(size)), _ops.equal(x1, x2))
    if equal_nan:
        both = _ops.logical_and(_ops.is_nan(_ops.abs(x1)), _ops.is_nan(size))
        close = _ops.logical_or(close, both)
    return close


def allclose(
    rules: Rules, x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether all values are close to each other, as `isclose` defines it."""
    return _ops.reduce_all(isclose(rules, x1, x2, rtol, atol, equal_nan))
