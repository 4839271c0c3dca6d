"""Adam."""

from __future__ import annotations

from typing import Any

from eagerflow.framework import dtypes
from eagerflow.framework.variable import Variable
from eagerflow.keras import config
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer, slots_named, takes_rows
from eagerflow.keras.optimizers.scalars import cached_float32, float32_power, number, power, sqrt
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.keras.optimizers.update_hooks import SlotList


def bias_corrected(
    learning_rate: Any, beta_1: Any, beta_2: Any, step: Any, dtype: dtypes.DType
) -> Any:
    """The learning rate with the corrections of both biases, for variables of a dtype.

    TensorFlow computes the powers in the variable's own dtype: where 1 - beta_2 is small, that
    shows after the first steps.
    """
    if dtype is dtypes.float64:
        beta_1_power = cached_float32(beta_1) ** step
        beta_2_power = cached_float32(beta_2) ** step
    else:
        beta_1_power, beta_2_power = float32_power(beta_1, step), float32_power(beta_2, step)
    return learning_rate * sqrt(1 - beta_2_power) / (1 - beta_1_power)


class Adam(Optimizer):
    """Adam: steps scaled by running means of the gradient and of its square.

    Kingma and Ba, "Adam: a method for stochastic optimization" (ICLR 2015), in the form of its
    section 2: the bias corrections go into the step size. `amsgrad` is Reddi et al., ICLR 2018.

    Args:
        beta_1: decay of the mean of gradients.
        beta_2: decay of the mean of their squares.
        epsilon: added to the root, against division by zero.
        amsgrad: whether the mean of squares never shrinks.
        adaptive_epsilon: whether epsilon grows with the correction of the mean of squares, which
            makes it the epsilon of the paper's algorithm 1.

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.Adam(0.1).minimize(lambda: v * v, [v])
    >>> print(round(float(v), 4))
    0.9
    """

    _unsaved_arguments = frozenset({"learning_rate", "adaptive_epsilon"})

    def __init__(
        self,
        learning_rate: LearningRate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = 1e-7,
        amsgrad: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "Adam",
        *,
        adaptive_epsilon: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = config.epsilon_or(epsilon)
        self.amsgrad = amsgrad
        self.adaptive_epsilon = adaptive_epsilon

    _momentums = SlotList("m")
    _velocities = SlotList("v")
    _velocity_hats = SlotList("vhat")

    def _initial_slots(self) -> dict[str, float]:
        slots = {"m": 0.0, "v": 0.0}
        return slots | {"vhat": 0.0} if self.amsgrad else slots

    def _slot_groups(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [names[:2], names[2:]]

    @takes_rows
    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
    ) -> None:
        self._rules.adam(
            variables,
            slots_named(slots, "m"),
            slots_named(slots, "v"),
            slots_named(slots, "vhat") if self.amsgrad else None,
            gradients,
            learning_rate=bias_corrected(
                learning_rate, self.beta_1, self.beta_2, self._step(), variables[0].dtype
            ),
            beta_1=number(self.beta_1),
            beta_2=number(self.beta_2),
            epsilon=self._epsilon_hat() if self.adaptive_epsilon else self.epsilon,
        )

    def _epsilon_hat(self) -> Any:
        """The epsilon of the paper's section 2, which is added to the uncorrected root."""
        return self.epsilon * sqrt(1 - power(cached_float32(self.beta_2), self._step()))
