"""Adamax."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.keras.optimizers.optimizer import Optimizer, column, rounded


class Adamax(Optimizer):
    """Adam with the largest gradient of late in place of the mean of squares.

    Kingma and Ba, "Adam: a method for stochastic optimization" (ICLR 2015), section 7.

    Args:
        beta_1: decay of the mean of gradients.
        beta_2: decay of the largest gradient.
        epsilon: added to the divisor.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Adamax(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.9
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
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
        jit_compile: bool = True,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            name,
            weight_decay,
            clipnorm,
            clipvalue,
            global_clipnorm,
            use_ema,
            ema_momentum,
            ema_overwrite_frequency,
            jit_compile,
            learning_rate=learning_rate,
            **kwargs,
        )
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon

    def _slot_values(self) -> dict[str, float]:
        return {"m": 0.0, "u": 0.0}

    def _update(self, variables: list, gradients: list, slots: list, rate: float) -> None:
        step = int(self._iterations) + 1
        _core.adamax_update(
            variables,
            column(slots, "m"),
            column(slots, "u"),
            gradients,
            learning_rate=rate / (1 - math.pow(rounded(self.beta_1), step)),
            beta_1=self.beta_1,
            beta_2=self.beta_2,
            epsilon=self.epsilon,
        )
