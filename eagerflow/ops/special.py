"""Special functions, which SciPy computes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow import dtype as dtypes
from eagerflow.composite import elementwise
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.host import array_of, checked, differentiable, text
from eagerflow.ops.op_arguments import raises_like

_ops = _core.ops
Tensor = _core.Tensor

_FLOATS = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)
_WIDE = (dtypes.float32, dtypes.float64)


# Numbers that a thread takes at a time: what is computed in double precision stays in its caches.
_BLOCK = 16_384


def _computed(function: Callable, *tensors: Tensor) -> Tensor:
    """An elementwise function of arrays of double precision, in the dtype of the inputs.

    Inputs broadcast. SciPy lets other threads run, so that they share what is large.
    """
    like = tensors[0].dtype
    arrays = np.broadcast_arrays(*(array_of(tensor) for tensor in tensors))

    def of(*parts: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            values = function(*(part.astype(np.float64) for part in parts))
            return np.asarray(values, like.as_numpy_dtype)

    size = arrays[0].size
    if size <= 2 * _BLOCK:
        return _core.convert(of(*arrays), like, None)
    from concurrent.futures import ThreadPoolExecutor

    flat = [array.reshape(-1) for array in arrays]
    result = np.empty(size, like.as_numpy_dtype)

    def run(begin: int) -> None:
        block = slice(begin, begin + _BLOCK)
        result[block] = of(*(array[block] for array in flat))

    with ThreadPoolExecutor(_core.num_threads()) as pool:
        for _ in pool.map(run, range(0, size, _BLOCK)):
            pass
    return _core.convert(result.reshape(arrays[0].shape), like, None)


def _without_negatives(name: str) -> Callable:
    """A function of SciPy's that is -inf at negative numbers, as at its pole at 0."""

    def function(x: np.ndarray) -> np.ndarray:
        import scipy.special

        return np.where(x < 0, -np.inf, getattr(scipy.special, name)(np.abs(x)))

    return function


def _unary(x: Any, op: str, name: str | Callable, derivative: Callable) -> Tensor:
    """`scipy.special.name` of a tensor; `derivative(x, y)` is its derivative, by operations."""
    import scipy.special

    x = checked(x, _FLOATS, op)
    function = getattr(scipy.special, name) if isinstance(name, str) else name
    (y,) = differentiable([_computed(function, x)], [x], lambda dy: dy * derivative(x, y))
    return y


@elementwise
def ndtri(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the standard normal distribution function.

    >>> f"{float(tf.math.ndtri(0.975)):.4f}"
    '1.9600'
    """
    to_density = math.sqrt(2 * math.pi)
    return _unary(x, "Ndtri", "ndtri", lambda x, y: to_density * _ops.exp(_ops.square(y) / 2))


@elementwise
def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 0.

    >>> float(tf.math.bessel_i0(0.0))
    1.0
    """
    return _unary(x, "BesselI0", "i0", lambda x, y: bessel_i1(x))


@elementwise
def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """`bessel_i0(x) * exp(-|x|)`.

    >>> float(tf.math.bessel_i0e(0.0))
    1.0
    """
    return _unary(x, "BesselI0e", "i0e", lambda x, y: bessel_i1e(x) - _ops.sign(x) * y)


@elementwise
def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 1.

    >>> float(tf.math.bessel_i1(0.0))
    0.0
    """

    def derivative(x: Tensor, y: Tensor) -> Tensor:
        # Its limit at 0, where y / x is not defined, is 1/2.
        ratio = _at_zero(x, 0.5, lambda safe: y / safe)
        return bessel_i0(x) - ratio

    return _unary(x, "BesselI1", "i1", derivative)


@elementwise
def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """`bessel_i1(x) * exp(-|x|)`.

    >>> float(tf.math.bessel_i1e(0.0))
    0.0
    """

    def derivative(x: Tensor, y: Tensor) -> Tensor:
        return bessel_i0e(x) - _ops.sign(x) * y - _at_zero(x, 0.5, lambda safe: y / safe)

    return _unary(x, "BesselI1e", "i1e", derivative)


def _at_zero(x: Tensor, limit: float, function: Callable) -> Tensor:
    """`function(x)`, and a limit where x is 0."""
    zero = _ops.equal(x, _ops.zeros_like(x))
    safe = _ops.select(zero, _ops.ones_like(x), x)
    return _ops.select(zero, _ops.ones_like(x) * limit, function(safe))


@elementwise
def bessel_j0(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind and order 0.

    >>> float(tf.math.special.bessel_j0(0.0))
    1.0
    """
    return _unary(x, "BesselJ0", "j0", lambda x, y: _ops.negative(bessel_j1(x)))


@elementwise
def bessel_j1(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind and order 1.

    >>> float(tf.math.special.bessel_j1(0.0))
    0.0
    """

    def derivative(x: Tensor, y: Tensor) -> Tensor:
        return bessel_j0(x) - _at_zero(x, 0.5, lambda safe: y / safe)

    return _unary(x, "BesselJ1", "j1", derivative)


@elementwise
def bessel_y0(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind and order 0.

    >>> f"{float(tf.math.special.bessel_y0(1.0)):.4f}"
    '0.0883'
    """
    return _unary(x, "BesselY0", _without_negatives("y0"), lambda x, y: _ops.negative(bessel_y1(x)))


@elementwise
def bessel_y1(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind and order 1.

    >>> f"{float(tf.math.special.bessel_y1(1.0)):.4f}"
    '-0.7812'
    """
    return _unary(x, "BesselY1", _without_negatives("y1"), lambda x, y: bessel_y0(x) - y / x)


@elementwise
def bessel_k0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 0.

    >>> f"{float(tf.math.special.bessel_k0(1.0)):.4f}"
    '0.4210'
    """
    return _positive(x, "BesselK0", "k0", lambda x, y: _ops.negative(bessel_k1(x)))


@elementwise
def bessel_k0e(x: Any, name: str | None = None) -> Tensor:
    """`bessel_k0(x) * exp(x)`.

    >>> f"{float(tf.math.special.bessel_k0e(1.0)):.4f}"
    '1.1445'
    """
    return _positive(x, "BesselK0e", "k0e", lambda x, y: y - bessel_k1e(x))


@elementwise
def bessel_k1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind and order 1.

    >>> f"{float(tf.math.special.bessel_k1(1.0)):.4f}"
    '0.6019'
    """
    return _positive(x, "BesselK1", "k1", lambda x, y: _ops.negative(bessel_k0(x)) - y / x)


@elementwise
def bessel_k1e(x: Any, name: str | None = None) -> Tensor:
    """`bessel_k1(x) * exp(x)`.

    >>> f"{float(tf.math.special.bessel_k1e(1.0)):.4f}"
    '1.6362'
    """
    return _positive(x, "BesselK1e", "k1e", lambda x, y: y * (1 - 1 / x) - bessel_k0e(x))


def _positive(x: Any, op: str, name: str, derivative: Callable) -> Tensor:
    """Like `_unary`, for functions that are infinite at and below 0."""
    import scipy.special

    x = checked(x, _FLOATS, op)
    function = getattr(scipy.special, name)
    values = _computed(lambda points: np.where(points <= 0, np.inf, function(points)), x)
    (y,) = differentiable([values], [x], lambda dy: dy * derivative(x, y))
    return y


@elementwise
def dawsn(x: Any, name: str | None = None) -> Tensor:
    """Dawson's integral, `exp(-x^2) * integral of exp(t^2) from 0 to x`.

    >>> f"{float(tf.math.special.dawsn(1.0)):.4f}"
    '0.5381'
    """
    return _unary(x, "Dawsn", "dawsn", lambda x, y: 1 - 2 * x * y)


@elementwise
def expint(x: Any, name: str | None = None) -> Tensor:
    """The exponential integral, of `exp(t) / t` from -inf to x; NaN below 0.

    >>> f"{float(tf.math.special.expint(1.0)):.4f}"
    '1.8951'
    """
    import scipy.special

    x = checked(x, _FLOATS, "Expint")
    function = scipy.special.expi
    values = _computed(lambda points: np.where(points < 0, np.nan, function(points)), x)
    (y,) = differentiable([values], [x], lambda dy: dy * _ops.exp(x) / x)
    return y


@elementwise
def fresnel_cos(x: Any, name: str | None = None) -> Tensor:
    """Fresnel's cosine integral, of `cos(pi t^2 / 2)` from 0 to x.

    >>> f"{float(tf.math.special.fresnel_cos(1.0)):.4f}"
    '0.7799'
    """
    return _fresnel(x, "FresnelCos", 1, _ops.cos)


@elementwise
def fresnel_sin(x: Any, name: str | None = None) -> Tensor:
    """Fresnel's sine integral, of `sin(pi t^2 / 2)` from 0 to x.

    >>> f"{float(tf.math.special.fresnel_sin(1.0)):.4f}"
    '0.4383'
    """
    return _fresnel(x, "FresnelSin", 0, _ops.sin)


def _fresnel(x: Any, op: str, which: int, function: Callable) -> Tensor:
    import scipy.special

    x = checked(x, _FLOATS, op)
    values = _computed(lambda points: scipy.special.fresnel(points)[which], x)

    def backward(dy: Tensor) -> Tensor:
        return dy * function(_ops.square(x) * (math.pi / 2))

    (y,) = differentiable([values], [x], backward)
    return y


@elementwise
def spence(x: Any, name: str | None = None) -> Tensor:
    """Spence's integral, of `log(t) / (1 - t)` from 1 to x.

    >>> float(tf.math.special.spence(1.0))
    0.0
    """

    def derivative(x: Tensor, y: Tensor) -> Tensor:
        return _at_zero(x - 1, -1.0, lambda safe: _ops.negative(_ops.log(safe + 1) / safe))

    return _unary(x, "Spence", "spence", derivative)


def _broadcast(parts: list, op: str) -> list[Tensor]:
    """Values as tensors of one dtype, whose shapes broadcast."""
    hint = next((dtypes.result_dtype(part) for part in parts if dtypes.result_dtype(part)), None)
    tensors: list[Tensor] = []
    for part in parts:
        tensor = checked(part, _FLOATS, op, hint)
        if tensors and tensor.dtype is not tensors[0].dtype:
            raise invalid_argument(
                f"cannot compute {op} as input #{len(tensors)}(zero-based) was expected to be a "
                f"{tensors[0].dtype.name} tensor but is a {tensor.dtype.name} tensor [Op:{op}]"
            )
        tensors.append(tensor)
    try:
        np.broadcast_shapes(*(tensor._shape_tuple() for tensor in tensors))
        return tensors
    except ValueError:
        shapes = " vs. ".join(text(tensor._shape_tuple()) for tensor in tensors)
        raise invalid_argument(f"Incompatible shapes: {shapes} [Op:{op}]") from None


def _summed(gradient: Tensor, like: Tensor) -> Tensor:
    """A gradient summed over the axes along which `like` was broadcast."""
    shape, target = gradient._shape_tuple(), like._shape_tuple()
    if shape == target:
        return gradient
    extra = len(shape) - len(target)
    axes = [
        *range(extra),
        *(extra + k for k, size in enumerate(target) if size == 1 and shape[extra + k] != 1),
    ]
    return _ops.reshape(_ops.reduce_sum(gradient, axis=axes), target) if axes else gradient


@raises_like("Igamma")
@elementwise(inputs=2)
def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The lower regularized incomplete gamma function P(a, x).

    Args:
        a: floating, positive.
        x: of the same dtype, not negative; the shapes broadcast.
        name: ignored.

    Returns:
        P(a, x); NaN outside of its domain.

    Raises:
        tf.errors.InvalidArgumentError: if dtypes or shapes do not fit.

    >>> f"{float(tf.math.igamma(1.0, 1.0)):.4f}"
    '0.6321'
    """
    return _incomplete_gamma(a, x, "Igamma", False)


@raises_like("Igammac")
@elementwise(inputs=2)
def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The upper regularized incomplete gamma function, Q(a, x) = 1 - P(a, x).

    >>> f"{float(tf.math.igammac(1.0, 1.0)):.4f}"
    '0.3679'
    """
    return _incomplete_gamma(a, x, "Igammac", True)


def _incomplete_gamma(a: Any, x: Any, op: str, upper: bool) -> Tensor:
    import scipy.special

    a, x = _broadcast([a, x], op)
    function = scipy.special.gammaincc if upper else scipy.special.gammainc

    def inside(order: np.ndarray, point: np.ndarray) -> np.ndarray:
        return np.where((order <= 0) | (point < 0), np.nan, function(order, point))

    sign = -1.0 if upper else 1.0

    def backward(dy: Tensor) -> list[Tensor]:
        density = _ops.exp(_ops.negative(x) + (a - 1) * _ops.log(x) - _ops.lgamma(a))
        slope = _computed(order_derivative, a, x)
        return [_summed(dy * slope * sign, a), _summed(dy * density * sign, x)]

    (y,) = differentiable([_computed(inside, a, x)], [a, x], backward)
    return y


def order_derivative(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The derivative of P(a, x) by a.

    Up to x = a + 10 by its power series, x^a e^-x / gamma(a + 1) * sum of x^n / ((a+1)...(a+n)),
    differentiated term by term; beyond, by quadrature of the tail of the integral.
    """
    import scipy.special

    result = np.full(a.shape, np.nan)
    valid = (a > 0) & (x >= 0)
    result[valid & (x == 0)] = 0
    near = valid & (x > 0) & (x <= a + 10)
    result[near] = _order_series(a[near], x[near])
    far = valid & (x > a + 10) & np.isfinite(x)
    if far.any():
        b, t = a[far], x[far]
        nodes, weights = np.polynomial.laguerre.laggauss(80)
        ratio = 1 + nodes / t[:, None]
        tail = (weights * ratio ** (b[:, None] - 1) * np.log(ratio)).sum(axis=1)
        scale = np.exp((b - 1) * np.log(t) - t - scipy.special.gammaln(b))
        upper = scipy.special.gammaincc(b, t)
        result[far] = -((np.log(t) - scipy.special.digamma(b)) * upper + scale * tail)
    result[valid & np.isinf(x)] = 0
    return result


def _order_series(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    import scipy.special

    term, slope = np.ones_like(a), np.zeros_like(a)
    total, total_slope = term.copy(), slope.copy()
    n = 0
    while True:
        n += 1
        ratio = x / (a + n)
        slope = slope * ratio - term * ratio / (a + n)
        term = term * ratio
        total, total_slope = total + term, total_slope + slope
        small = np.abs(slope) <= 1e-17 * np.abs(total_slope)
        if n >= 10000 or np.all(small & (term <= 1e-17 * total)):
            break
    scale = np.exp(a * np.log(x) - x - scipy.special.gammaln(a + 1))
    return scale * ((np.log(x) - scipy.special.digamma(a + 1)) * total + total_slope)


@raises_like("Betainc")
def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularized incomplete beta function.

    Args:
        a: floating, positive.
        b: of the same dtype, positive.
        x: of the same dtype, within [0, 1]. Scalars are combined with tensors of any shape, other
            shapes must be equal.
        name: ignored.

    Returns:
        The function's value; NaN outside of its domain. Its gradient is that by `x`.

    Raises:
        tf.errors.InvalidArgumentError: if dtypes or shapes do not fit.

    >>> f"{float(tf.math.betainc(2.0, 2.0, 0.5)):.4f}"
    '0.5000'
    """
    import scipy.special

    a, b, x = _broadcast([a, b, x], "Betainc")
    shapes = {tensor._shape_tuple() for tensor in (a, b, x) if tensor.ndim}
    if len(shapes) > 1:
        names = " vs. ".join(text(shape) for shape in sorted(shapes))
        raise invalid_argument(f"Shapes of a, b and x are inconsistent: {names} [Op:Betainc]")
    values = _computed(scipy.special.betainc, a, b, x)

    def backward(dy: Tensor) -> list[Tensor | None]:
        scale = _ops.lgamma(a) + _ops.lgamma(b) - _ops.lgamma(a + b)
        powers = _ops.xlog1py(b - 1, _ops.negative(x)) + _ops.xlogy(a - 1, x)
        return [None, None, _summed(dy * _ops.exp(powers - scale), x)]

    (y,) = differentiable([values], [a, b, x], backward)
    return y


@raises_like("Zeta")
@elementwise(inputs=2)
def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function, the sum of `(q + n) ** -x` over n = 0, 1, ...

    Args:
        x: floating, at least 1.
        q: of the same dtype; the shapes broadcast. The gradient is that by `q`.
        name: ignored.

    Raises:
        tf.errors.InvalidArgumentError: if dtypes or shapes do not fit.

    >>> f"{float(tf.math.zeta(2.0, 1.0)):.4f}"
    '1.6449'
    """
    x, q = _broadcast([x, q], "Zeta")

    def backward(dy: Tensor) -> list[Tensor | None]:
        return [None, _summed(dy * (_ops.negative(x) * zeta(x + 1, q)), q)]

    (y,) = differentiable([_computed(_zeta, x, q)], [x, q], backward)
    return y


def _zeta(power: np.ndarray, start: np.ndarray) -> np.ndarray:
    import scipy.special

    values = np.where(power < 1, np.nan, scipy.special.zeta(power, start))
    if (start > 0).all():
        return values
    whole = (start <= 0) & (start == np.floor(start))
    # The limits that TensorFlow gives at the poles.
    poles = np.where(np.mod(power, 2) == 0, np.inf, np.nan)
    values = np.where(whole & (power > 1), poles, values)
    below = (start < 0) & ~whole & (power > 1)
    values[below] = _zeta_below(power[below], start[below])
    return values


def _zeta_below(power: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Zeta for negative starts, whose first terms have real values for whole powers only."""
    import scipy.special

    values = np.where(power == np.floor(power), 0.0, np.nan)
    start = start.copy()
    while (active := start < 0).any():
        values[active] += start[active] ** -power[active]
        start[active] += 1
    return values + scipy.special.zeta(power, start)


@raises_like("NextAfter")
@elementwise(inputs=2)
def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The next number after `x1` that its dtype can hold, in the direction of `x2`.

    Args:
        x1: float32 or float64.
        x2: of the same dtype; the shapes broadcast.
        name: ignored.

    Raises:
        tf.errors.InvalidArgumentError: if dtypes or shapes do not fit.

    >>> tf.math.nextafter(1.0, 2.0).numpy()
    np.float32(1.0000001)
    """
    hint = dtypes.result_dtype(x1) or dtypes.result_dtype(x2) or dtypes.float32
    x1, x2 = checked(x1, _WIDE, "NextAfter", hint), checked(x2, _WIDE, "NextAfter", hint)
    if x1.dtype is not x2.dtype:
        raise invalid_argument(
            "cannot compute NextAfter as input #1(zero-based) was expected to be a "
            f"{x1.dtype.name} tensor but is a {x2.dtype.name} tensor [Op:NextAfter]"
        )

    def backward(dy: Tensor) -> list[Tensor]:
        return [_summed(dy, x1), _ops.zeros_like(x2)]

    (y,) = differentiable([np.nextafter(array_of(x1), array_of(x2))], [x1, x2], backward)
    return y


@raises_like("SobolSample")
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Points of the Sobol sequence, which fill a cube evenly.

    Args:
        dim: the number of dimensions.
        num_results: how many points.
        skip: how many points to leave out first.
        dtype: float32 or float64.
        name: ignored.

    Returns:
        `[num_results, dim]`, within [0, 1).

    Raises:
        tf.errors.InvalidArgumentError: if a number is out of range.

    >>> tf.math.sobol_sample(2, 3).numpy()
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]], dtype=float32)
    """
    import warnings

    from scipy.stats import qmc

    sizes = {"dim": dim, "num_results": num_results, "skip": skip}
    for name, value in sizes.items():
        tensor = _core.convert(value, dtypes.int32, None)
        if tensor.ndim:
            raise invalid_argument(f"{name} must be a scalar [Op:SobolSample]")
        sizes[name] = int(tensor)
    dim, num_results, skip = sizes.values()
    if dim < 1:
        raise invalid_argument(f"dim must be at least one, got {dim} [Op:SobolSample]")
    if num_results < 1:
        raise invalid_argument(
            f"num_results must be at least one, got {num_results} [Op:SobolSample]"
        )
    if skip < 0:
        raise invalid_argument(f"skip must be non-negative, got {skip} [Op:SobolSample]")
    if dim > 2560:
        raise invalid_argument(f"dim must be at most 2560, got {dim} [Op:SobolSample]")
    sequence = qmc.Sobol(dim, scramble=False, bits=32)
    # The sequence begins after the origin.
    sequence.fast_forward(skip + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        points = sequence.random(num_results)
    return _core.convert(points.astype(dtypes.as_dtype(dtype).as_numpy_dtype), None, None)
