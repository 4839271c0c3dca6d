"""Weight decay beside the gradient (Loshchilov and Hutter, ICLR 2019)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from eagerflow import _core
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.optimizers import AdamOptimizer, MomentumOptimizer, Optimizer


class DecoupledWeightDecayExtension:
    """What an optimizer gets that also takes a share of each variable away: `v -= decay * v`.

    Args:
        weight_decay: the share, which the learning rate does not change: a number, a tensor, or a
            function that returns one.
        **kwargs: the optimizer's arguments.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._weight_decay = weight_decay
        self._decayed: set[int] | None = None  # identities of variables; None: all
        super().__init__(**kwargs)

    def minimize(
        self,
        loss: TensorLike | Callable[[], TensorLike],
        global_step: TensorLike | None = None,
        var_list: Iterable[_core.Variable] | None = None,
        *args: Any,
        decay_var_list: Iterable[_core.Variable] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Computes the gradients of a loss and applies them; `decay_var_list`: only these decay."""
        self._choose(decay_var_list)
        return super().minimize(loss, global_step, var_list, *args, **kwargs)  # type: ignore[misc]

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: TensorLike | None = None,
        name: str | None = None,
        decay_var_list: Iterable[_core.Variable] | None = None,
    ) -> Any:
        """Updates variables by their gradients; `decay_var_list`: only these decay."""
        if decay_var_list is not None:
            self._choose(decay_var_list)
        return super().apply_gradients(grads_and_vars, global_step, name)  # type: ignore[misc]

    def _choose(self, variables: Iterable[Any] | None) -> None:
        self._decayed = None if not variables else {variable._id for variable in variables}

    def _apply(self, gradient: Any, variable: Any) -> None:
        if self._decayed is None or variable._id in self._decayed:
            self._dtype = variable.dtype
            with _core.stop_recording():
                decay = self._number(self._weight_decay)  # type: ignore[attr-defined]
                variable.assign_sub(variable * decay)
        super()._apply(gradient, variable)  # type: ignore[misc]


def extend_with_decoupled_weight_decay(base_optimizer: type[Optimizer]) -> type[Optimizer]:
    """A class of optimizers that is another one with weight decay, its first argument.

    >>> Decayed = tf.contrib.opt.extend_with_decoupled_weight_decay(
    ...     tf.compat.v1.train.GradientDescentOptimizer
    ... )
    >>> v = tf.compat.v1.Variable(2.0)
    >>> _ = Decayed(weight_decay=0.5, learning_rate=0.1).minimize(lambda: v * 1.0)
    >>> round(float(v), 3)
    0.9
    """
    bases = (DecoupledWeightDecayExtension, base_optimizer)
    return type("OptimizerWithDecoupledWeightDecay", bases, {})


class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with weight decay; arguments as those of `tf.train.MomentumOptimizer`."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: TensorLike | Callable[[], TensorLike],
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with weight decay; arguments as those of `tf.train.AdamOptimizer`."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )
