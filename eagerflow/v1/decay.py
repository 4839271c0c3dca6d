"""Learning rate schedules as functions of the global step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.nodes import python_node


def _schedule(rate_at: Callable[[float], float], global_step: Any, name: str) -> Any:
    """A node that computes the rate, or, eagerly, a function that returns it."""
    if global_step is None:
        raise ValueError(f"global_step is required for {name}.")

    def rate(step: Any) -> Any:
        return _core.convert(rate_at(float(step)), dtypes.float32, None)

    if context.building_graph() is None:
        return lambda: rate(global_step() if callable(global_step) else global_step)
    return python_node(rate, global_step, kind=name, outputs=TensorSpec([], dtypes.float32))


def exponential_decay(
    learning_rate: float,
    global_step: Any,
    decay_steps: float,
    decay_rate: float,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """rate * decay_rate ** (step / decay_steps), in steps if `staircase`.

    >>> step = tf.Variable(20)
    >>> rate = tf.compat.v1.train.exponential_decay(0.5, step, 10, 0.5)
    >>> rate().numpy()
    np.float32(0.125)
    """

    def rate_at(step: float) -> float:
        power = step / decay_steps
        return learning_rate * decay_rate ** (math.floor(power) if staircase else power)

    return _schedule(rate_at, global_step, name or "ExponentialDecay")


def natural_exp_decay(
    learning_rate: float,
    global_step: Any,
    decay_steps: float,
    decay_rate: float,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """rate * exp(-decay_rate * step / decay_steps), in steps if `staircase`."""

    def rate_at(step: float) -> float:
        power = step / decay_steps
        return learning_rate * math.exp(-decay_rate * (math.floor(power) if staircase else power))

    return _schedule(rate_at, global_step, name or "NaturalExpDecay")


def inverse_time_decay(
    learning_rate: float,
    global_step: Any,
    decay_steps: float,
    decay_rate: float,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """rate / (1 + decay_rate * step / decay_steps), in steps if `staircase`."""

    def rate_at(step: float) -> float:
        power = step / decay_steps
        return learning_rate / (1 + decay_rate * (math.floor(power) if staircase else power))

    return _schedule(rate_at, global_step, name or "InverseTimeDecay")


def polynomial_decay(
    learning_rate: float,
    global_step: Any,
    decay_steps: float,
    end_learning_rate: float = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """A polynomial decay to the end rate within `decay_steps`, repeated if `cycle`."""

    def rate_at(step: float) -> float:
        steps = decay_steps
        if cycle:
            steps = decay_steps * max(1.0, math.ceil(step / decay_steps))
        else:
            step = min(step, decay_steps)
        return (learning_rate - end_learning_rate) * (1 - step / steps) ** power + end_learning_rate

    return _schedule(rate_at, global_step, name or "PolynomialDecay")


def cosine_decay(
    learning_rate: float,
    global_step: Any,
    decay_steps: float,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Half a period of the cosine, from the rate down to `alpha` times the rate."""

    def rate_at(step: float) -> float:
        cosine = 0.5 * (1 + math.cos(math.pi * min(step, decay_steps) / decay_steps))
        return learning_rate * ((1 - alpha) * cosine + alpha)

    return _schedule(rate_at, global_step, name or "CosineDecay")


def piecewise_constant(
    x: Any, boundaries: Sequence[float], values: Sequence[float], name: str | None = None
) -> Any:
    """The first value up to the first boundary, the second up to the second, and so on.

    Raises:
        ValueError: unless there is one value more than boundaries.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def rate_at(step: float) -> float:
        index = sum(step > boundary for boundary in boundaries)
        return float(values[index])

    return _schedule(rate_at, x, name or "PiecewiseConstant")


piecewise_constant_decay = piecewise_constant
