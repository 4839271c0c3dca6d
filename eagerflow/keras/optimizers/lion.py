"""Lion."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer, slots_named, takes_rows
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.keras.optimizers.update_hooks import SlotList


class Lion(Optimizer):
    """Lion: steps of one size, in the direction of the sign of a running mean.

    Chen et al., "Symbolic discovery of optimization algorithms" (2023).

    Args:
        beta_1: the weight of the running mean in the step; the gradient has the rest.
        beta_2: decay of the running mean.

    Raises:
        ValueError: if `beta_1` is not in ]0, 1].

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Lion(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.9
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.0001,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Lion",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        if beta_1 <= 0 or beta_1 > 1:
            raise ValueError(
                f"`beta_1`={beta_1} must be between ]0, 1]. Otherwise, the optimizer degenerates "
                "to SignSGD."
            )
        self.beta_1 = beta_1
        self.beta_2 = beta_2

    momentums = SlotList("m")

    def _initial_slots(self) -> dict[str, float]:
        return {"m": 0.0}

    @takes_rows
    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
    ) -> None:
        _core.lion_update(
            variables,
            slots_named(slots, "m"),
            gradients,
            learning_rate=learning_rate,
            beta_1=self.beta_1,
            beta_2=self.beta_2,
        )
