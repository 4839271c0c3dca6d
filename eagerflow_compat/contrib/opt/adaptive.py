"""Relatives of Adam and momentum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.ops import norms
from eagerflow_compat.v1.optimizers import AdamOptimizer, MomentumOptimizer

_ops = _core.ops


class NadamOptimizer(AdamOptimizer):
    """Adam that looks ahead (Dozat, 2016): the first moment of the next step takes part already."""

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        beta1, beta2 = self._number(self._beta1), self._number(self._beta2)
        power1, power2 = (self._number(power) for power in self._current)
        rate = self._number(self._learning_rate) * (1 - power2) ** 0.5 / (1 - power1)
        first, second = slots["m"], slots["v"]
        first.assign(first * beta1 + gradient * (1 - beta1))
        second.assign(second * beta2 + gradient * gradient * (1 - beta2))
        ahead = first * beta1 + gradient * (1 - beta1)
        variable.assign_sub(ahead * rate / (_ops.sqrt(second) + self._number(self._epsilon)))


class AdaMaxOptimizer(AdamOptimizer):
    """Adam with the largest decayed gradient in place of the second moment (section 7 of its paper).

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        beta1: how much of the first moment stays.
        beta2: how much of the largest gradient stays.
        epsilon: keeps the denominator from zero.
        use_locking: accepted.
        name: the optimizer's name.
    """

    _changes_all_rows = False

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        beta1, beta2 = self._number(self._beta1), self._number(self._beta2)
        rate = self._number(self._learning_rate) / (1 - self._number(self._current[0]))
        first, largest = slots["m"], slots["v"]
        first.assign(first * beta1 + gradient * (1 - beta1))
        largest.assign(_ops.maximum(largest * beta2, _ops.abs(gradient)))
        variable.assign_sub(first * rate / (largest + self._number(self._epsilon)))


class LazyAdamOptimizer(AdamOptimizer):
    """Adam whose gradients of some rows leave the moments of all other rows alone."""

    _changes_all_rows = False


class LARSOptimizer(MomentumOptimizer):
    """Momentum whose rate follows each layer's norms (You, Gitman and Ginsburg, arXiv 1708.03888).

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        momentum: the decay of the accumulated updates.
        weight_decay: the share of a variable that is added to its gradient.
        eeta: the rate relative to the quotient of the norms.
        epsilon: keeps the quotient finite.
        name: the optimizer's name.
        skip_list: parts of names of variables that are updated by plain momentum.
        use_nesterov: whether to look ahead.
    """

    _changes_all_rows = True

    def __init__(
        self,
        learning_rate: Any,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(learning_rate, momentum, name=name, use_nesterov=use_nesterov)
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        skipped = self._skip_list is not None and any(
            part in variable.name for part in self._skip_list
        )
        if not skipped:
            value = variable.read_value()
            of_value, of_gradient = (norms.euclidean_norm(x) for x in (value, gradient))
            decay = self._weight_decay
            divisor = of_gradient + of_value * decay + self._epsilon
            usable = _ops.logical_and(of_value > 0.0, of_gradient > 0.0)
            ones = _ops.ones_like(divisor)
            scale = _ops.select(usable, of_value * self._eeta / divisor, ones)
            gradient = (gradient + value * decay) * scale
        super()._update(variable, gradient, slots)
