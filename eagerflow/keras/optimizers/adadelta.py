"""Adadelta."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.variable import Variable
from eagerflow.keras import config
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer, slots_named, takes_rows
from eagerflow.keras.optimizers.scalars import number
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.keras.optimizers.update_hooks import SlotList


class Adadelta(Optimizer):
    """Adadelta: steps in the units of the variables, by running means of squares of both.

    Zeiler, "ADADELTA: an adaptive learning rate method" (2012).

    Args:
        learning_rate: as in `Optimizer`; 1.0 is the paper's form.
        rho: decay of the running means.
        epsilon: added under the roots.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Adadelta(1.0).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.9986
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        rho: float = 0.95,
        epsilon: float | None = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        self.rho = rho
        self.epsilon = config.epsilon_or(epsilon)

    _accumulated_grads = SlotList("accumulated_grad")
    _accumulated_delta_vars = SlotList("accumulated_delta_var")

    def _initial_slots(self) -> dict[str, float]:
        return {"accumulated_grad": 0.0, "accumulated_delta_var": 0.0}

    @takes_rows
    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
    ) -> None:
        self._rules.adadelta(
            variables,
            slots_named(slots, "accumulated_grad"),
            slots_named(slots, "accumulated_delta_var"),
            gradients,
            learning_rate=learning_rate,
            rho=number(self.rho),
            epsilon=self.epsilon,
        )
