"""Normal values between any two bounds, by rejection.

C. P. Robert, "Simulation of truncated normal variables" (1995). All values of one distribution
are drawn from one stream in turn; the next distribution starts at the following block.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.op_function import op_function
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.numpy_ops import array_of, differentiable
from eagerflow.ops.random.distributions import sampled
from eagerflow.ops.random.stateful import check_sizes, sizes_of
from eagerflow.ops.random.stateless import start_of
from eagerflow.typing import Array, DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_OP = "StatelessParameterizedTruncatedNormal"
# Bounds this wide keep most of a normal distribution, so plain normal values are proposals.
_WIDE = 1.3
# After so many rounds without a value, the bounds contain none that the dtype can represent.
_MOST_ROUNDS = 100


class _Stream:
    """Uniform and normal values in blocks of one Philox stream."""

    def __init__(self, start: tuple[int, int, int], dtype: DTypeLike) -> None:
        self.key, self.low, self.high = start
        self.dtype = dtype
        self.width = 2 if dtype is dtypes.float64 else 4
        self.position = 0

    def ahead(self, kind: Any, blocks: int) -> np.ndarray:
        """The next values of a kind, a row for each block; the position stays the same."""
        low = random_seed.signed((self.low + self.position) % 2**64)
        sizes = [blocks * self.width]
        drawn = kind(sizes, self.dtype, self.key, low, self.high)
        return array_of(drawn).reshape(blocks, self.width)


class _Bounds(NamedTuple):
    """The bounds in standard deviations, the lower one next to the mean if both are on one side."""

    low: Any
    high: Any


def _normal(stream: _Stream, bounds: _Bounds, units: int) -> tuple[np.ndarray, np.ndarray, int]:
    values = stream.ahead(_ops.philox_normal, units)
    return values, (values >= bounds.low) & (values <= bounds.high), 1


def _uniform(stream: _Stream, bounds: _Bounds, units: int) -> tuple[np.ndarray, np.ndarray, int]:
    drawn = stream.ahead(_ops.philox_uniform, 2 * units)
    values = drawn[0::2] * (bounds.high - bounds.low) + bounds.low
    nearest = max(bounds.low, 0)
    odds = np.exp((nearest * nearest - values * values) / 2)
    return values, drawn[1::2] <= odds, 2


def _exponential(
    stream: _Stream, bounds: _Bounds, units: int
) -> tuple[np.ndarray, np.ndarray, int]:
    drawn = stream.ahead(_ops.philox_uniform, units)
    low = bounds.low
    alpha = (low + np.sqrt(low * low + 4)) / 2
    values = -np.log(drawn[:, 0::2]) / alpha + low
    away = alpha - values if low < alpha else low - alpha
    return values, (drawn[:, 1::2] <= np.exp(-away * away / 2)) & (values < bounds.high), 1


def _method(bounds: _Bounds) -> Any:
    """The sampler with the fewest rejections."""
    low, high = float(bounds.low), float(bounds.high)
    if (low < -_WIDE and high >= 0) or (high > _WIDE and low <= 0):
        return _normal
    root = math.sqrt(low * low + 4)
    cutoff = 2 * math.exp(0.5 + low * (low - root) / 4) / (low + root)
    return _uniform if high - low < cutoff else _exponential


def _samples(stream: _Stream, count: int, parameters: tuple) -> np.ndarray:
    """Samples of one distribution."""
    mean, deviation, low, high = parameters
    if not (low < high and deviation > 0) or (math.isinf(low) and math.isinf(high)):
        raise invalid_argument(f"Invalid parameters [Op:{_OP}]")
    if math.isinf(low) or high < mean:
        low, high, deviation = high, low, -deviation
    bounds = _Bounds((low - mean) / deviation, (high - mean) / deviation)
    method = _method(bounds)
    accepted: list[np.ndarray] = []
    missing = count
    rounds = 0
    while missing:
        values, taken, blocks = method(stream, bounds, missing // 2 + 16)
        totals = np.cumsum(taken.sum(axis=1))
        units = int(np.searchsorted(totals, missing)) + 1
        kept = values[:units][taken[:units]][:missing]
        stream.position += blocks * min(units, len(values))
        missing -= len(kept)
        accepted.append(kept)
        rounds = 0 if len(kept) else rounds + 1
        if rounds > _MOST_ROUNDS:
            raise errors.InternalError._of(
                f"TruncatedNormal rejection sampler failed to accept a sample between {low} and "
                f"{high} [Op:{_OP}]"
            )
    return np.concatenate(accepted) * deviation + mean if accepted else np.zeros(0)


@op_function
def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal values between bounds, determined by the arguments alone.

    Args:
        shape: the shape of the result, which ends with that of the parameters.
        seed: two integers.
        means: the means before truncation; float16, float32 or float64, as all
            that follow.
        stddevs: the standard deviations before truncation, positive.
        minvals: the lower bounds.
        maxvals: the upper bounds; only one of the bounds may be infinite.

    Raises:
        tf.errors.InvalidArgumentError: if the shapes do not fit, or bounds are in the wrong order.
        tf.errors.InternalError: if no value is found between the bounds.

    >>> x = tf.random.stateless_parameterized_truncated_normal([50], seed=[1, 2], minvals=0.5)
    >>> bool(tf.reduce_min(x) >= 0.5), bool(tf.reduce_max(x) <= 2.0)
    (True, True)
    """
    sizes, _ = sizes_of(shape, _OP)
    start = start_of(seed, "auto_select")
    check_sizes(sizes, _OP)
    inputs = (means, stddevs, minvals, maxvals)
    dtype = next((dt for dt in map(dtypes.result_dtype, inputs) if dt), dtypes.float32)
    if dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
        _core.refuse_attr("dtype", dtype, (dtypes.float16, dtypes.float32, dtypes.float64), _OP)
    tensors = [_core.convert(value, dtype, None) for value in inputs]
    return sampled(_truncated_normal_tensor, _OP, sizes, dtype, start, *tensors)


def _truncated_normal_tensor(start: Any, sizes: tuple[int, ...], *tensors: Tensor) -> Tensor:
    dtype = tensors[0].dtype
    arrays = [array_of(tensor) for tensor in tensors]
    try:
        parameters = [array.reshape(-1) for array in np.broadcast_arrays(*arrays)]
        ending = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = [list(array.shape) for array in arrays]
        raise invalid_argument(f"Parameters of shapes {shapes} do not fit [Op:{_OP}]") from None
    if tuple(sizes)[len(sizes) - len(ending) :] != ending or len(sizes) < len(ending):
        raise invalid_argument(
            f"Shape passed in must end with broadcasted shape {list(ending)}. [Op:{_OP}]"
        )
    kinds = parameters[0].size
    values = np.zeros((math.prod(sizes) // max(kinds, 1), kinds), dtype.as_numpy_dtype)
    stream = _Stream(start, dtype)
    with np.errstate(all="ignore"):
        for kind in range(kinds if values.size else 0):
            own = tuple(array[kind] for array in parameters)
            values[:, kind] = _samples(stream, len(values), own)
    values = values.reshape(sizes)

    def backward(dy: Tensor) -> list:
        slopes = _slopes(values, *arrays)
        upstream = array_of(dy).astype(np.float64)
        return [
            _core.convert(_summed(upstream * slope, array.shape), dtype, None)
            for slope, array in zip(slopes, arrays, strict=True)
        ]

    (result,) = differentiable([values], list(tensors), backward)
    return result


def _below(x: np.ndarray) -> np.ndarray:
    """The cumulative standard normal distribution at `x`."""
    return np.asarray(_ops.erfc(x * -math.sqrt(0.5))) / 2


def _log_below(x: np.ndarray) -> np.ndarray:
    """The logarithm of `_below(x)`, far below zero by Abramowitz and Stegun, 26.2.12."""
    z = 1 / np.square(x)
    tail = np.log1p(-z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z * (1 - 9 * z)))))
    far = tail - np.square(x) / 2 - np.log(-x * math.sqrt(2 * math.pi))
    return np.where(x < -30, far, np.log(_below(x)))


def _slopes(values: np.ndarray, mean: Array, deviation: Array, low: Array, high: Array) -> tuple:
    """The derivative of the values with respect to each parameter.

    For the bounds, the quantile of a value in the distribution is kept; for the mean and deviation,
    as in TensorFlow, its distance from the mean in deviations.
    """
    x, mean, deviation, low, high = (
        np.asarray(value, np.float64) for value in (values, mean, deviation, low, high)
    )
    z, first, last = ((value - mean) / deviation for value in (x, low, high))
    with np.errstate(all="ignore"):
        # On the right of zero the function is nearly 1, and its mirror image is exact.
        right = first > 0
        mass = np.where(right, _below(-first) - _below(-last), _below(last) - _below(first))
        below = np.where(right, _below(-first) - _below(-z), _below(z) - _below(first))
        far = mass < 1e-300
        share = np.where(far, -np.expm1(_log_below(-z) - _log_below(-first)), below / mass)
        share = np.clip(share, 0, 1)
        by_low = np.exp((z * z - first * first) / 2) * (1 - share)
        by_high = np.where(np.isinf(last), 0, np.exp((z * z - last * last) / 2) * share)
        by_low = np.where(np.isinf(first), 0, by_low)
    return np.ones_like(z), z, by_low, by_high


def _summed(gradient: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A gradient summed over the axes along which a parameter was broadcast."""
    front = gradient.ndim - len(shape)
    axes = [axis for axis in range(gradient.ndim) if axis < front or shape[axis - front] == 1]
    return gradient.sum(axis=tuple(axes)).reshape(shape)
