"""Integration of ordinary differential equations with steps that follow the error.

The method is that of Dormand and Prince, of order five with an error estimate of order four ("A
family of embedded Runge-Kutta formulae", 1980). Values between steps come from a polynomial of
degree four through both ends and the middle, with Shampine's weights for the middle ("Some
practical Runge-Kutta formulas", 1986).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from eagerflow import _core, debugging
from eagerflow.framework import dtypes
from eagerflow.ops import array
from eagerflow.ops.control_flow import while_loop
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.ops.tensor_array import TensorArray
from eagerflow_compat.contrib.integrate.fixed import stacked

_ops = _core.ops

_TIMES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_WEIGHTS = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
_MIDDLE = (
    6025192743 / 30085553152 / 2,
    0.0,
    51252292925 / 65400821598 / 2,
    -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2,
    -1776094331 / 19743644256 / 2,
    11237099 / 235043384 / 2,
)


class _State(NamedTuple):
    """The last step, from `before` to `now`, and the polynomial between them."""

    y: Any
    slope: _core.Tensor
    before: _core.Tensor
    now: _core.Tensor
    dt: _core.Tensor
    steps: _core.Tensor
    coefficients: tuple[_core.Tensor, ...]


def _sum(weights: tuple[float, ...], slopes: list[_core.Tensor], dt: _core.Tensor) -> _core.Tensor:
    parts = [slope * (dt * weight) for weight, slope in zip(weights, slopes, strict=True) if weight]
    return _ops.add_n(parts) if len(parts) > 1 else parts[0]


def _step(func: Callable[[Any, Any], Any], state: _State) -> tuple[Any, Any, Any, tuple[Any, ...]]:
    """The new value and slope, the error's estimate, and the polynomial."""
    y, dt = state.y, _ops.cast(state.dt, state.y.dtype)
    slopes = [state.slope]
    for time, weights in zip(_TIMES, _WEIGHTS, strict=True):
        end = y + _sum(weights, slopes, dt)
        slopes.append(func(end, state.now + state.dt * time))
    middle = y + _sum(_MIDDLE, slopes, dt)
    first, last = slopes[0] * dt, slopes[-1] * dt
    coefficients = (
        -2.0 * first + 2.0 * last - 8.0 * y - 8.0 * end + 16.0 * middle,
        5.0 * first - 3.0 * last + 18.0 * y + 14.0 * end - 32.0 * middle,
        -4.0 * first + last - 11.0 * y - 5.0 * end + 16.0 * middle,
        first,
        y,
    )
    return end, slopes[-1], _sum(_ERROR, slopes, dt), coefficients


def odeint(
    func: Callable[[_core.Tensor, _core.Tensor], _core.Tensor],
    y0: Any,
    t: Any,
    rtol: float = 1e-6,
    atol: float = 1e-12,
    method: str | None = None,
    options: dict[str, Any] | None = None,
    full_output: bool = False,
    name: str | None = None,
) -> Any:
    """Solutions of dy/dt = func(y, t) at some times.

    Args:
        func: takes y and the time; returns the slope, of y's shape and dtype.
        y0: y at the first time, a floating-point or complex tensor.
        t: the times, a floating-point vector that rises or falls.
        rtol: the error of a step may be this part of y,
        atol: and this much more.
        method: None or "dopri5".
        options: "first_step" (1.0), "safety" (0.9), "ifactor" (10.0) and "dfactor" (0.2), by
            which steps grow at most and shrink at least, and "max_num_steps" (1000) between two
            times.
        full_output: whether to return a dictionary with the number of evaluations as well.
        name: ignored.

    Returns:
        y at the times, stacked along a first axis; with `full_output` a pair of that and the
        dictionary.

    Raises:
        ValueError: for another method, or options that it does not have.
        TypeError: if y0 is not floating-point or complex, or t not floating-point.
        tf.errors.InvalidArgumentError: if steps become too small or too many.

    >>> y = tf.contrib.integrate.odeint(lambda y, t: -y, 1.0, [0.0, 0.5, 1.0])
    >>> y.numpy().round(5)
    array([1.     , 0.60653, 0.36788], dtype=float32)
    """
    if method not in (None, "dopri5"):
        raise ValueError(f"invalid method: {method!r}")
    if method is None and options is not None:
        raise ValueError("cannot supply `options` without specifying `method`")
    given = {"first_step": 1.0, "safety": 0.9, "ifactor": 10.0, "dfactor": 0.2}
    given |= {"max_num_steps": 1000}
    unknown = set(options or {}) - set(given)
    if unknown:
        raise ValueError(f"unknown options: {sorted(unknown)}; there are {sorted(given)}")
    given |= options or {}
    y0 = convert_to_tensor(y0, name="y0")
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise TypeError(
            f"`y0` must have a floating point or complex floating point dtype, got {y0.dtype}"
        )
    t = convert_to_tensor(t, dtype_hint=dtypes.float64, name="t")
    if not t.dtype.is_floating:
        raise TypeError(f"`t` must have a floating point dtype, got {t.dtype}")

    def accepted(error: _core.Tensor, y: _core.Tensor, end: _core.Tensor) -> _core.Tensor:
        """The mean square of the errors in units of the tolerance."""
        allowed = atol + rtol * _ops.maximum(_ops.abs(y), _ops.abs(end))
        return _ops.cast(_ops.reduce_mean(_ops.square(_ops.abs(error) / allowed)), t.dtype)

    def advance(state: _State) -> _State:
        end, slope, error, coefficients = _step(func, state)
        ratio = accepted(error, state.y, end)
        debugging.assert_greater(_ops.abs(state.dt), 0.0 * state.dt, message="underflow in dt")
        fits = ratio <= 1.0
        slowest = _ops.select(ratio < 1.0, _constant(1.0, t), _constant(given["dfactor"], t))
        factor = given["safety"] * _ops.pow(_ops.maximum(ratio, 1e-30), _constant(-0.1, t))
        factor = _ops.minimum(_ops.maximum(factor, slowest), given["ifactor"])

        def chosen(new: Any, old: _core.Tensor) -> _core.Tensor:
            return _ops.select(fits, new, old)

        return _State(
            chosen(end, state.y),
            chosen(slope, state.slope),
            chosen(state.now, state.before),
            chosen(state.now + state.dt, state.now),
            state.dt * factor,
            state.steps + 1,
            tuple(map(chosen, coefficients, state.coefficients)),
        )

    count = array.shape(t)[0]
    direction = _ops.sign(t[-1] - t[0])
    found = TensorArray(y0.dtype, count, element_shape=y0.shape).write(0, y0)
    zero = convert_to_tensor(0, dtypes.int32)
    state = _State(
        y0,
        func(y0, t[0]),
        t[0],
        t[0],
        direction * _constant(given["first_step"], t),
        zero,
        (_ops.zeros_like(y0),) * 4 + (y0,),
    )

    def reach(i: Any, state: _State, found: Any) -> tuple[Any, ...]:
        limit = state.steps + given["max_num_steps"]
        state = while_loop(
            lambda *state: _ops.logical_and((t[i] - state[3]) * direction > 0.0, state[5] < limit),
            lambda *state: tuple(advance(_State(*state))),
            tuple(state),
        )
        state = _State(*state)
        debugging.assert_less_equal(
            (t[i] - state.now) * direction, 0.0 * state.now, message="max_num_steps exceeded"
        )
        place = _ops.cast((t[i] - state.before) / (state.now - state.before), y0.dtype)
        y = state.coefficients[0]
        for coefficient in state.coefficients[1:]:
            y = y * place + coefficient
        return i + 1, tuple(state), found.write(i, y)

    first = convert_to_tensor(1, dtypes.int32)
    _, last, found = while_loop(
        lambda i, state, found: i < count,
        lambda i, state, found: reach(i, _State(*state), found),
        (first, tuple(state), found),
    )
    result = stacked(found, count, y0)
    if not full_output:
        return result
    return result, {"num_func_evals": 1 + 6 * _State(*last).steps}


def _constant(value: float, like: _core.Tensor) -> _core.Tensor:
    return convert_to_tensor(value, like.dtype)
