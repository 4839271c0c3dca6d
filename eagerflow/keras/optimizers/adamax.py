"""Adamax."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.keras import config
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer, slots_named, takes_rows
from eagerflow.keras.optimizers.scalars import cached_float32, number, power
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.keras.optimizers.update_hooks import SlotList


class Adamax(Optimizer):
    """Adam with a decaying maximum of gradients in place of the mean of their squares.

    Kingma and Ba, "Adam: a method for stochastic optimization" (ICLR 2015), section 7.

    Args:
        beta_1: decay of the mean of gradients.
        beta_2: decay of the maximum.
        epsilon: added to the maximum, against division by zero.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Adamax(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.9
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = config.epsilon_or(epsilon)

    _m = SlotList("m")
    _u = SlotList("u")

    def _initial_slots(self) -> dict[str, float]:
        return {"m": 0.0, "u": 0.0}

    @takes_rows
    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        _core.adamax_update(
            variables,
            slots_named(slots, "m"),
            slots_named(slots, "u"),
            gradients,
            learning_rate=learning_rate / (1 - power(cached_float32(self.beta_1), self._step())),
            beta_1=number(self.beta_1),
            beta_2=number(self.beta_2),
            epsilon=self.epsilon,
        )
