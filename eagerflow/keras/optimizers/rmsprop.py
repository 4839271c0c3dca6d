"""RMSprop."""

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


class RMSprop(Optimizer):
    """RMSprop: steps divided by the root of a running mean of squared gradients.

    Tieleman and Hinton, "Lecture 6.5: rmsprop" (2012).

    Args:
        rho: decay of the running means.
        momentum: between 0 and 1.
        epsilon: added under the root.
        centered: whether to divide by the estimated standard deviation of the gradient.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.RMSprop(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 3))
    0.684
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float | None = 1e-7,
        centered: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = 100,  # only RMSprop has another default in Keras
        jit_compile: bool = True,
        name: str = "RMSprop",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        self.rho = rho
        self.momentum = momentum
        self.epsilon = config.epsilon_or(epsilon)
        self.centered = centered

    def _uses_momentum(self) -> bool:
        return bool(self.momentum)

    _velocities = SlotList("velocity")
    _momentums = SlotList("momentum")
    _average_gradients = SlotList("average_gradient")

    def _initial_slots(self) -> dict[str, float]:
        slots = {"velocity": 0.0}
        if self._uses_momentum():
            slots["momentum"] = 0.0
        if self.centered:
            slots["average_gradient"] = 0.0
        return slots

    def _slot_groups(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [(name,) for name in names]

    @takes_rows
    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
    ) -> None:
        self._rules.rmsprop(
            variables,
            slots_named(slots, "velocity"),
            slots_named(slots, "momentum") if self._uses_momentum() else None,
            slots_named(slots, "average_gradient") if self.centered else None,
            gradients,
            learning_rate=learning_rate,
            rho=number(self.rho),
            momentum=number(self.momentum),
            epsilon=self.epsilon,
        )
