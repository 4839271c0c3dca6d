"""Updates by the agreement of signs of gradient and momentum (Bello et al., ICML 2017)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework.variable import Variable
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.optimizers import Optimizer

_ops = _core.ops


class _SignOptimizer(Optimizer):
    """Base class: `m = beta * m + (1 - beta) * g`, then an update that sees where signs agree."""

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        beta: Any,
        sign_decay_fn: Callable[[TensorLike], TensorLike] | None,
        use_locking: bool,
        name: str,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._beta = beta
        self._sign_decay_fn = sign_decay_fn
        self._sign_decay: Any = 1.0

    def apply_gradients(
        self, grads_and_vars: Any, global_step: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """Updates variables by their gradients; a decay of signs needs `global_step`.

        Raises:
            ValueError: if there is a decay of signs and no step.
        """
        if self._sign_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for sign_decay_fn")
            self._sign_decay = self._sign_decay_fn(global_step)
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _initial_slots(self) -> dict[str, float]:
        return {"m": 0.0}

    def _agreement(self, gradient: Any, momentum: Variable) -> _core.Tensor:
        beta = self._number(self._beta)
        momentum.assign(momentum * beta + gradient * (1 - beta))
        agreement = _ops.sign(gradient) * _ops.sign(momentum)
        return agreement * self._number(self._sign_decay)


class PowerSignOptimizer(_SignOptimizer):
    """`v -= rate * base ** (sign(g) * sign(m)) * g`.

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        base: larger than one: how much agreement accelerates.
        beta: the decay of the momentum.
        sign_decay_fn: takes the global step; returns what the signs are multiplied by.
        use_locking: accepted.
        name: the optimizer's name.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.1,
        base: float = math.e,
        beta: Any = 0.9,
        sign_decay_fn: Callable[[TensorLike], TensorLike] | None = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._log_base = math.log(base)

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        factor = _ops.exp(self._agreement(gradient, slots["m"]) * self._log_base)
        variable.assign_sub(factor * gradient * self._number(self._learning_rate))


class AddSignOptimizer(_SignOptimizer):
    """`v -= rate * (alpha + sign(g) * sign(m)) * g`.

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        alpha: the factor where signs neither agree nor differ.
        beta: the decay of the momentum.
        sign_decay_fn: takes the global step; returns what the signs are multiplied by.
        use_locking: accepted.
        name: the optimizer's name.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.1,
        alpha: float = 1.0,
        beta: Any = 0.9,
        sign_decay_fn: Callable[[TensorLike], TensorLike] | None = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._alpha = alpha

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        factor = self._agreement(gradient, slots["m"]) + self._alpha
        variable.assign_sub(factor * gradient * self._number(self._learning_rate))
