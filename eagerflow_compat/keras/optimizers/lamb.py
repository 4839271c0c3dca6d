"""Lamb."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer
from eagerflow.keras.optimizers.scalars import (
    float32_power,
    number,
    of_dtype,
    sqrt,
)
from eagerflow.keras.optimizers.schedules.schedule import LearningRate

_ops = _core.ops


class Lamb(Optimizer):
    """Adam whose update of each variable has the norm of the variable, times the learning rate.

    You et al., "Large batch optimization for deep learning" (ICLR 2020).

    Args:
        beta_1: decay of the mean of gradients.
        beta_2: decay of the mean of their squares.
        epsilon: added to the root, against division by zero.

    >>> v = tf.Variable(2.0)
    >>> _ = tf.keras.optimizers.Lamb(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    1.8
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        name: str = "lamb",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon

    def _initial_slots(self) -> dict[str, float]:
        return {"momentum": 0.0, "velocity": 0.0}

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        step = self._step()
        power_1 = float32_power(self.beta_1, step)
        power_2 = float32_power(self.beta_2, step)
        for variable, gradient, entry in zip(variables, gradients, slots, strict=True):
            m, v = entry["momentum"], entry["velocity"]
            dtype = variable.dtype
            correction_1, correction_2 = (of_dtype(1.0 - p, dtype) for p in (power_1, power_2))
            m.assign_add((gradient - m) * (1 - self.beta_1))
            v.assign_add((_ops.square(gradient) - v) * (1 - self.beta_2))
            update = (m / correction_1) / (_ops.sqrt(v / correction_2) + self.epsilon)
            variable_norm, update_norm = _norm(variable), _norm(update)
            trust_ratio: Any = 1.0
            if _core.building() is not None:
                both = _ops.logical_and(variable_norm > 0.0, update_norm > 0.0)
                trust_ratio = _ops.select(both, variable_norm / update_norm, 1.0)
            elif variable_norm > 0 and update_norm > 0:
                trust_ratio = variable_norm / update_norm
            variable.assign_sub(update * of_dtype(trust_ratio * learning_rate, dtype))


def _norm(values: Any) -> Any:
    """The root of the sum of squares, as a product of a row and a column."""
    row = _ops.reshape(values, [1, math.prod(values.shape)])
    return sqrt(number(_ops.matmul(row, row, transpose_b=True)[0, 0]))
