"""Adagrad."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.variable import Variable
from eagerflow.keras import config
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots, summed_rows
from eagerflow.keras.optimizers.optimizer import Optimizer, slots_named
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.keras.optimizers.update_hooks import SlotList


class Adagrad(Optimizer):
    """Adagrad: steps divided by the root of the sum of all squared gradients so far.

    Duchi et al., "Adaptive subgradient methods" (JMLR 12, 2011).

    Args:
        initial_accumulator_value: the initial sums; not negative.
        epsilon: added under the root.

    Raises:
        ValueError: if `initial_accumulator_value` is negative.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Adagrad(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.9012
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float | None = 1e-7,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Adagrad",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        if initial_accumulator_value < 0.0:
            raise ValueError(
                f"initial_accumulator_value must be non-negative: {initial_accumulator_value}"
            )
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = config.epsilon_or(epsilon)

    _accumulators = SlotList("accumulator")

    def _initial_slots(self) -> dict[str, float]:
        return {"accumulator": self.initial_accumulator_value}

    def _sparse(self, gradient: IndexedSlices) -> tuple[Any, Any]:
        # The square of a row's sum is needed, not the sum of squares.
        return summed_rows(gradient)

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
    ) -> None:
        self._rules.adagrad(
            variables,
            slots_named(slots, "accumulator"),
            gradients,
            learning_rate=learning_rate,
            epsilon=self.epsilon,
        )
