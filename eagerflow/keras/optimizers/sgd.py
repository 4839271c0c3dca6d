"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.common_arguments import common_arguments
from eagerflow.keras.optimizers.keras2_hooks import Slots
from eagerflow.keras.optimizers.optimizer import Optimizer, slots_named, takes_rows
from eagerflow.keras.optimizers.scalars import cached_float32
from eagerflow.keras.optimizers.schedules.schedule import LearningRate
from eagerflow.keras.optimizers.update_hooks import SlotList

_ops = _core.ops


class SGD(Optimizer):
    """Gradient descent, optionally with momentum.

    `w -= rate * g`; with momentum `m = momentum * m - rate * g` and `w += m`, or, with Nesterov's
    lookahead, `w += momentum * m - rate * g` (Sutskever et al., ICML 2013).

    Args:
        momentum: between 0 and 1.
        nesterov: whether to use Nesterov's lookahead.

    Raises:
        ValueError: if momentum is not in [0, 1].

    >>> v = tf.Variable(1.0)
    >>> _ = tf.optimizers.SGD(0.1).minimize(lambda: v * v, [v])
    >>> print(v.numpy())
    0.8
    """

    _slot_names = {"m": "momentum"}

    def __init__(
        self,
        learning_rate: LearningRate = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        name: str = "SGD",
        **kwargs: Any,
    ) -> None:
        super().__init__(**common_arguments(locals()))
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be between [0, 1].")
        self.momentum = momentum
        self.nesterov = nesterov

    def _has_slots_in_keras3(self) -> bool:
        return self._uses_momentum()

    def _uses_momentum(self) -> bool:
        # A momentum that is computed at each step may become positive.
        momentum = self.momentum
        if type(momentum) is float:  # a union of types would be created for each check
            return momentum != 0.0
        return bool(momentum) if isinstance(momentum, int | float) else True

    momentums = SlotList("m")

    def _initial_slots(self) -> dict[str, float]:
        # Keras creates it even without momentum, and saved optimizers contain it.
        return {"m": 0.0}

    def _sparse(self, gradient: IndexedSlices) -> tuple[Any, Any] | None:
        return None if self._uses_momentum() else (gradient.indices, gradient.values)

    @takes_rows
    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
    ) -> None:
        if not self._uses_momentum():
            self._rules.gradient_descent(variables, gradients, learning_rate=learning_rate)
            return
        self._rules.momentum(
            variables,
            slots_named(slots, "m"),
            gradients,
            learning_rate=learning_rate,
            momentum=cached_float32(self.momentum),
            nesterov=self.nesterov,
        )
