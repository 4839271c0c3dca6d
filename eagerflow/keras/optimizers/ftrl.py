"""FTRL."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer, slots_named
from eagerflow.keras.optimizers.scalars import number
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.keras.optimizers.update_hooks import SlotList


class Ftrl(Optimizer):
    """Follow the regularized leader (FTRL-proximal), for sparse linear models.

    McMahan et al., "Ad click prediction: a view from the trenches" (KDD 2013).

    Args:
        learning_rate_power: the exponent of the sums of squares in the rate; not positive.
        initial_accumulator_value: the initial sums of squares; not negative.
        l1_regularization_strength: the weight of the absolute values; not negative.
        l2_regularization_strength: the weight of the squares; not negative.
        l2_shrinkage_regularization_strength: the weight of the squares in the gradient; not
            negative.
        beta: the paper's beta.

    Raises:
        ValueError: for an argument of the wrong sign.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Ftrl(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.7451
    """

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Ftrl",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        if learning_rate_power > 0.0:
            raise ValueError(
                "`learning_rate_power` needs to be negative or zero. Received: "
                f"learning_rate_power={learning_rate_power}."
            )
        positive = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for argument, value in positive.items():
            if value < 0.0:
                raise ValueError(
                    f"`{argument}` needs to be positive or zero. Received: {argument}={value}."
                )
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta

    _accumulators = SlotList("accumulator")
    _linears = SlotList("linear")

    def _initial_slots(self) -> dict[str, float]:
        return {"accumulator": self.initial_accumulator_value, "linear": 0.0}

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: Any
    ) -> None:
        _core.ftrl_update(
            variables,
            slots_named(slots, "accumulator"),
            slots_named(slots, "linear"),
            gradients,
            learning_rate=learning_rate,
            learning_rate_power=number(self.learning_rate_power),
            l1=number(self.l1_regularization_strength),
            l2=number(self.l2_regularization_strength) + number(self.beta) / (2.0 * learning_rate),
            l2_shrinkage=self.l2_shrinkage_regularization_strength,
        )
