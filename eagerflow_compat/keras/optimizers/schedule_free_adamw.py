"""Schedule-free AdamW."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer
from eagerflow.keras.optimizers.scalars import cached_float32, float32_power, of_dtype, smaller
from eagerflow.keras.optimizers.schedules.schedule import LearningRate

_ops = _core.ops


class ScheduleFreeAdamW(Optimizer):
    """AdamW without a schedule: Adam moves z, and variables interpolate between z and its mean x.

    Defazio et al., "The road less scheduled" (NeurIPS 2024): the mean takes the place of a falling
    learning rate.

    Args:
        beta_1: the weight of x in the variables; z has the rest.
        beta_2: decay of the mean of squared gradients.
        epsilon: added to the root, against division by zero.
        warmup_steps: the number of steps over which the learning rate rises from zero.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.keras.optimizers.ScheduleFreeAdamW(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.9
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.0025,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        warmup_steps: int = 0,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        name: str = "schedule_free_adam_w",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.warmup_steps = warmup_steps

    def _initial_slots(self) -> Mapping[str, float | None]:
        return {"momentum": None, "velocity": 0.0}

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        step = self._step()
        correction = 1.0 - float32_power(self.beta_2, step)
        if self.warmup_steps:
            learning_rate = learning_rate * smaller(step / self.warmup_steps, 1.0)
        beta_1, beta_2 = cached_float32(self.beta_1), cached_float32(self.beta_2)
        for variable, gradient, entry in zip(variables, gradients, slots, strict=True):
            z, v = entry["momentum"], entry["velocity"]
            rate, corrected, c = (
                of_dtype(value, variable.dtype) for value in (learning_rate, correction, 1.0 / step)
            )
            v.assign_add((_ops.square(gradient) - v) * (1.0 - beta_2))
            z.assign_sub(gradient * rate / (_ops.sqrt(v / corrected) + self.epsilon))
            # Like Keras, this derives the old x from the variable and the new z.
            x = (variable - z * (1.0 - beta_1)) / beta_1 * (1.0 - c) + z * c
            variable.assign(z * (1.0 - beta_1) + x * beta_1)
