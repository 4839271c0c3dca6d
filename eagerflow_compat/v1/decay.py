"""Learning rate schedules as functions of the global step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, random
from eagerflow.framework import context, dtypes
from eagerflow.graph.defaults import name_scope
from eagerflow.typing import TensorLike

_ops = _core.ops


def _late(rate: Callable[[Any], Any], global_step: TensorLike, name: str) -> Any:
    """The tensor of the rate where a graph or function is built, or, eagerly, a function that returns it."""
    if global_step is None:
        raise ValueError(f"global_step is required for {name}.")

    def computed() -> _core.Tensor:
        with name_scope(name) as scope:
            step = global_step() if callable(global_step) else global_step
            return _ops.identity(rate(_core.as_tensor(step)), name=scope)

    return computed if context.executing_eagerly() else computed()


def _schedule(
    rate_at: Callable[..., Any], learning_rate: Any, global_step: Any, name: str, *numbers: Any
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """The rate that `rate_at(start, step, *numbers)` computes in the dtype of the rate at the start."""

    def rate(step: _core.Tensor) -> _core.Tensor | Callable[[], _core.Tensor]:
        start = _core.as_tensor(learning_rate)
        values = (_ops.cast(_core.as_tensor(value), start.dtype) for value in numbers)
        return rate_at(start, _ops.cast(step, start.dtype), *values)

    return _late(rate, global_step, name)


def _power(step: _core.Tensor, decay_steps: TensorLike, staircase: bool) -> _core.Tensor:
    """How many times a rate has decayed; whole numbers if `staircase`."""
    power = step / decay_steps
    return _ops.floor(power) if staircase else power


def _half_wave(fraction: _core.Tensor) -> _core.Tensor:
    """Falls from 1 to 0 along half a cosine, while the fraction goes from 0 to 1."""
    return 0.5 * (1.0 + _ops.cos(fraction * math.pi))


def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """rate * decay_rate ** (step / decay_steps), in steps if `staircase`.

    >>> step = tf.Variable(20)
    >>> rate = tf.compat.v1.train.exponential_decay(0.5, step, 10, 0.5)
    >>> rate().numpy()
    np.float32(0.125)
    """

    def rate_at(start: Any, step: Any, steps: _core.Tensor, base: _core.Tensor) -> _core.Tensor:
        return start * _ops.pow(base, _power(step, steps, staircase))

    name = name or "ExponentialDecay"
    return _schedule(rate_at, learning_rate, global_step, name, decay_steps, decay_rate)


def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """rate * exp(-decay_rate * step / decay_steps), in steps if `staircase`."""

    def rate_at(start: Any, step: Any, steps: _core.Tensor, factor: _core.Tensor) -> _core.Tensor:
        return start * _ops.exp(-factor * _power(step, steps, staircase))

    name = name or "ExponentialDecay"
    return _schedule(rate_at, learning_rate, global_step, name, decay_steps, decay_rate)


def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """rate / (1 + decay_rate * step / decay_steps), in steps if `staircase`."""

    def rate_at(start: Any, step: Any, steps: _core.Tensor, factor: _core.Tensor) -> _core.Tensor:
        return start / (1.0 + factor * _power(step, steps, staircase))

    name = name or "InverseTimeDecay"
    return _schedule(rate_at, learning_rate, global_step, name, decay_steps, decay_rate)


def polynomial_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """A polynomial decay to the end rate within `decay_steps`, repeated if `cycle`."""

    def rate_at(start: Any, step: Any, steps: Any, end: Any, power: TensorLike) -> _core.Tensor:
        if cycle:
            steps = steps * _ops.maximum(_ops.ceil(step / steps), 1.0)
        else:
            step = _ops.minimum(step, steps)
        return (start - end) * _ops.pow(1.0 - step / steps, power) + end

    numbers = (decay_steps, end_learning_rate, power)
    return _schedule(rate_at, learning_rate, global_step, name or "PolynomialDecay", *numbers)


def cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    alpha: TensorLike = 0.0,
    name: str | None = None,
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """Half a period of the cosine, from the rate down to `alpha` times the rate."""

    def rate_at(start: Any, step: Any, steps: _core.Tensor, least: _core.Tensor) -> _core.Tensor:
        wave = _half_wave(_ops.minimum(step, steps) / steps)
        return start * ((1.0 - least) * wave + least)

    return _schedule(rate_at, learning_rate, global_step, name or "CosineDecay", decay_steps, alpha)


def cosine_decay_restarts(
    learning_rate: TensorLike,
    global_step: TensorLike,
    first_decay_steps: TensorLike,
    t_mul: TensorLike = 2.0,
    m_mul: TensorLike = 1.0,
    alpha: TensorLike = 0.0,
    name: str | None = None,
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """Half periods of the cosine, each `t_mul` times as long and `m_mul` times as high as the last.

    Args:
        learning_rate: the rate at step 0.
        global_step: the step, an integer tensor or variable, or a function that returns one.
        first_decay_steps: the length of the first period.
        t_mul: the factor of the periods' lengths, at least 1.
        m_mul: the factor of their heights.
        alpha: the least rate, as a fraction of the first.
        name: the name of the result.

    >>> rate = tf.compat.v1.train.cosine_decay_restarts(1.0, tf.constant(10), 10, m_mul=0.5)
    >>> rate().numpy()
    np.float32(0.5)
    """

    def rate_at(start: Any, step: Any, steps: Any, longer: Any, higher: Any, least: Any) -> Any:
        done = step / steps
        # Periods of growing lengths end at the sums of a geometric series.
        index = _ops.floor(_ops.log(1.0 - done * (1.0 - longer)) / _ops.log(longer))
        length = _ops.pow(longer, index)
        grown = (done - (1.0 - length) / (1.0 - longer)) / length
        same = _ops.equal(longer, 1.0)
        wave = _half_wave(_ops.select(same, done - _ops.floor(done), grown))
        height = _ops.pow(higher, _ops.select(same, _ops.floor(done), index))
        return start * ((1.0 - least) * height * wave + least)

    numbers = (first_decay_steps, t_mul, m_mul, alpha)
    return _schedule(rate_at, learning_rate, global_step, name or "SGDRDecay", *numbers)


def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """rate * ((alpha + linear) * cosine + beta): a line from 1 to 0 times `num_periods` of a cosine."""

    def rate_at(start: Any, step: Any, steps: Any, periods: Any, least: Any, constant: Any) -> Any:
        done = _ops.minimum(step, steps) / steps
        return start * ((least + 1.0 - done) * _half_wave(2.0 * periods * done) + constant)

    numbers = (decay_steps, num_periods, alpha, beta)
    return _schedule(rate_at, learning_rate, global_step, name or "LinearCosineDecay", *numbers)


def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    initial_variance: TensorLike = 1.0,
    variance_decay: TensorLike = 0.55,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """`linear_cosine_decay` with normal noise on its line.

    The noise has the variance `initial_variance / (1 + step) ** variance_decay`.
    """

    def rate_at(
        start: _core.Tensor,
        step: _core.Tensor,
        steps: _core.Tensor,
        variance: _core.Tensor,
        fall: _core.Tensor,
        periods: _core.Tensor,
        least: _core.Tensor,
        constant: _core.Tensor,
    ) -> _core.Tensor:
        step = _ops.minimum(step, steps)
        deviation = _ops.sqrt(variance / _ops.pow(1.0 + step, fall))
        noise = random.normal([], dtype=start.dtype) * deviation
        done = step / steps
        line = 1.0 - done + noise
        return start * ((least + line) * _half_wave(2.0 * periods * done) + constant)

    numbers = (decay_steps, initial_variance, variance_decay, num_periods, alpha, beta)
    name = name or "NoisyLinearCosineDecay"
    return _schedule(rate_at, learning_rate, global_step, name, *numbers)


def _check_boundaries(wanted: dtypes.DType, boundaries: Sequence[TensorLike]) -> None:
    """Raises a ValueError unless boundaries have the dtype of the step."""
    for boundary in boundaries:
        dtype = _core.as_tensor(boundary).dtype
        if dtype != wanted and (dtype, wanted) != (dtypes.int32, dtypes.int64):
            raise ValueError(f"Boundaries ({dtype!r}) must have the same dtype as x ({wanted!r}).")


def piecewise_constant(
    x: TensorLike, boundaries: Sequence[Any], values: Sequence[TensorLike], name: str | None = None
) -> _core.Tensor | Callable[[], _core.Tensor]:
    """The first value up to the first boundary, the second up to the second, and so on.

    Raises:
        ValueError: unless there is one value more than boundaries, and dtypes fit.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    kinds = [_core.as_tensor(value).dtype for value in values]
    for kind in kinds[1:]:
        if kind != kinds[0]:
            raise ValueError(
                f"Values must have elements all with the same dtype ({kinds[0]!r} vs {kind!r})."
            )
    _check_boundaries(_core.as_tensor(x).dtype, boundaries)

    def rate(step: _core.Tensor) -> _core.Tensor | Callable[[], _core.Tensor]:
        ends = _ops.cast(_core.as_tensor(list(boundaries)), dtypes.float64)
        passed = _ops.greater(_ops.cast(step, dtypes.float64), ends)
        index = _ops.reduce_sum(_ops.cast(passed, dtypes.int32))
        return _ops.gather(_core.as_tensor(list(values)), index)

    return _late(rate, x, name or "PiecewiseConstant")


piecewise_constant_decay = piecewise_constant
