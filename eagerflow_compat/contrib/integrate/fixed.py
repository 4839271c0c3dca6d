"""Integration of ordinary differential equations with given steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.ops import array
from eagerflow.ops.control_flow import while_loop
from eagerflow.ops.conversion import convert_to_tensor, get_static_value
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.typing import TensorLike

_ops = _core.ops


def rk4(func: Callable[[Any, Any], Any], y: _core.Tensor, t: _core.Tensor, dt: Any) -> Any:
    """The change of y in one step by Runge's and Kutta's method of order four."""
    half = dt / 2.0
    k1 = func(y, t)
    k2 = func(y + k1 * _as(half, y), t + half)
    k3 = func(y + k2 * _as(half, y), t + half)
    k4 = func(y + k3 * _as(dt, y), t + dt)
    return (k1 + 2.0 * k2 + 2.0 * k3 + k4) * _as(dt / 6.0, y)


def midpoint(func: Callable[[Any, Any], Any], y: _core.Tensor, t: _core.Tensor, dt: Any) -> Any:
    """The change of y in one step by the slope in its middle."""
    half = dt / 2.0
    return func(y + func(y, t) * _as(half, y), t + half) * _as(dt, y)


_STEPS = {"rk4": rk4, "midpoint": midpoint}


def _as(scalar: Any, like: Any) -> _core.Tensor:
    return _ops.cast(scalar, like.dtype)


def stacked(found: TensorArray, count: TensorLike, y0: Any) -> _core.Tensor:
    """The values at all times, whose number may be known."""
    result = found.stack()
    known = get_static_value(count)
    result.set_shape([None if known is None else int(known), *y0.shape.as_list()])
    return result


def odeint_fixed(
    func: Callable[[_core.Tensor, _core.Tensor], _core.Tensor],
    y0: TensorLike,
    t: TensorLike,
    dt: TensorLike | None = None,
    method: str = "rk4",
    name: str | None = None,
) -> Any:
    """Solutions of dy/dt = func(y, t) at some times, in steps that do not depend on the values.

    Args:
        func: takes y and the time; returns the slope, of y's shape and dtype.
        y0: y at the first time, a floating-point or complex tensor.
        t: the times, a vector that rises.
        dt: the length of steps, a scalar or one for each interval; an interval is one step by
            default. The last step of an interval is as long as is left.
        method: "rk4" or "midpoint".
        name: ignored.

    Returns:
        y at the times, stacked along a first axis.

    Raises:
        ValueError: if the method is another one, or `t` is not a vector.

    >>> y = tf.contrib.integrate.odeint_fixed(lambda y, t: -y, 1.0, [0.0, 0.5, 1.0], 0.1)
    >>> y.numpy().round(4)
    array([1.    , 0.6065, 0.3679], dtype=float32)
    """
    if method not in _STEPS:
        raise ValueError(f"method not supported: {method!r}")
    step = _STEPS[method]
    y0, t = convert_to_tensor(y0, name="y0"), convert_to_tensor(t, name="t")
    if t.shape.rank not in (None, 1):
        raise ValueError(f"t must be a vector, got the shape {t.shape}")
    lengths = t[1:] - t[:-1] if dt is None else convert_to_tensor(dt, t.dtype)
    lengths = _ops.broadcast_to(lengths, array.shape(t)[:1] - 1)
    count = array.shape(t)[0]
    found = TensorArray(y0.dtype, count, element_shape=y0.shape).write(0, y0)

    def interval(i: _core.Tensor, y: _core.Tensor, found: TensorArray) -> tuple[Any, ...]:
        def within(y: _core.Tensor, now: _core.Tensor) -> tuple[_core.Tensor, ...]:
            length = _ops.minimum(lengths[i - 1], t[i] - now)
            return y + step(func, y, now, length), now + length

        y, _ = while_loop(lambda y, now: now < t[i], within, (y, t[i - 1]))
        return i + 1, y, found.write(i, y)

    first = convert_to_tensor(1, dtypes.int32)
    *_, found = while_loop(lambda i, y, found: i < count, interval, (first, y0, found))
    return stacked(found, count, y0)
