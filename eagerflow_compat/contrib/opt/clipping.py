"""Limits for the norms of variables and of gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eagerflow.framework import context
from eagerflow.ops.control_flow import control_dependencies, group
from eagerflow.ops.linalg.products import clip_by_global_norm, clip_by_norm
from eagerflow_compat.v1.optimizers import Optimizer


class VariableClippingOptimizer(Optimizer):
    """Updates variables by another optimizer, and then limits the norms of some.

    Args:
        opt: the other optimizer.
        vars_to_clip_dims: from variables to the axes over which their norms are taken.
        max_norm: the limit.
        use_locking: accepted.
        colocate_clip_ops_with_vars: accepted.
        name: the optimizer's name.

    >>> v = tf.compat.v1.Variable([[3.0, 4.0], [0.3, 0.4]])
    >>> descent = tf.compat.v1.train.GradientDescentOptimizer(0.0)
    >>> optimizer = tf.contrib.opt.VariableClippingOptimizer(descent, {v.ref(): [1]}, 1.0)
    >>> _ = optimizer.minimize(lambda: v * 1.0)
    >>> v.numpy().round(3)
    array([[0.6, 0.8],
           [0.3, 0.4]], dtype=float32)
    """

    def __init__(
        self,
        opt: Optimizer,
        vars_to_clip_dims: Mapping[Any, Sequence[int]],
        max_norm: Any,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(use_locking, name)
        self._optimizer = opt
        self._axes = list(_pairs(vars_to_clip_dims))
        self._max_norm = max_norm

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The other optimizer's gradients."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def get_slot(self, var: Any, name: str) -> Any:
        """The other optimizer's slot."""
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """The names of the other optimizer's slots."""
        return self._optimizer.get_slot_names()

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: Any = None
    ) -> Any:
        """Updates variables by their gradients, and limits them."""
        train = self._optimizer.apply_gradients(list(grads_and_vars), global_step)
        if context.executing_eagerly():
            self._clip()
            return None
        with control_dependencies([train]):
            return group(*self._clip(), name=name)

    def _clip(self) -> list[Any]:
        return [
            variable.assign(clip_by_norm(variable.read_value(), self._max_norm, list(axes)))
            for variable, axes in self._axes
        ]


def _pairs(axes: Mapping[Any, Sequence[int]]) -> Iterable[tuple[Any, Sequence[int]]]:
    # Keys that cannot be hashed are references to variables.
    for key, value in axes.items():
        yield key.deref() if hasattr(key, "deref") else key, value


def clip_gradients_by_global_norm(
    gradients_variables: Iterable[tuple[Any, Any]], clip_norm: Any = 20.0
) -> list[tuple[Any, Any]]:
    """Pairs of gradients and variables whose gradients have a joint norm up to a limit.

    Args:
        gradients_variables: the pairs; gradients may be None.
        clip_norm: the limit.

    >>> pairs = [(tf.constant([3.0]), "v"), (None, "w"), (tf.constant([4.0]), "x")]
    >>> clipped = tf.contrib.opt.clip_gradients_by_global_norm(pairs, 1.0)
    >>> [gradient if gradient is None else round(float(gradient[0]), 3) for gradient, _ in clipped]
    [0.6, None, 0.8]
    """
    gradients, variables = zip(*gradients_variables, strict=True)
    clipped, _ = clip_by_global_norm(list(gradients), clip_norm)
    return list(zip(clipped, variables, strict=True))
