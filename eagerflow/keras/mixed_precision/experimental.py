"""tf.keras.mixed_precision.experimental: mixed precision as TensorFlow 2.1 to 2.8 spelled it."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.mixed_precision.policy import Policy as _Policy
from eagerflow.keras.mixed_precision.policy import global_policy, set_global_policy
from eagerflow.keras.optimizers import loss_scale_optimizer


class Policy(_Policy):
    """A dtype policy with a loss scale.

    Args:
        name: as for `tf.keras.mixed_precision.Policy`.
        loss_scale: "dynamic", a number, None, or "auto": "dynamic" for mixed_float16 only.

    >>> tf.keras.mixed_precision.experimental.Policy("mixed_float16").loss_scale
    'dynamic'
    """

    def __init__(self, name: str | None, loss_scale: Any = "auto") -> None:
        super().__init__(name)
        if loss_scale == "auto":
            loss_scale = "dynamic" if self.name == "mixed_float16" else None
        self._loss_scale = loss_scale

    @property
    def loss_scale(self) -> Any:
        """The loss scale."""
        return self._loss_scale


class LossScaleOptimizer(loss_scale_optimizer.LossScaleOptimizer):
    """Wraps an optimizer for a loss that is multiplied by a scale.

    Args:
        optimizer: the optimizer that makes the steps.
        loss_scale: "dynamic", or the number that losses are multiplied by.

    >>> make = tf.keras.mixed_precision.experimental.LossScaleOptimizer
    >>> float(make(tf.keras.optimizers.SGD(), loss_scale=8).loss_scale)
    8.0
    """

    def __init__(self, optimizer: object, loss_scale: Any = "dynamic") -> None:
        if loss_scale == "dynamic":
            super().__init__(optimizer)
        else:
            super().__init__(optimizer, dynamic=False, initial_scale=float(loss_scale))


def set_policy(policy: object) -> None:
    """Sets the policy of new layers; None resets it to float32."""
    set_global_policy("float32" if policy is None else policy)


def get_layer_policy(layer: object) -> Any:
    """The dtype policy of a layer.

    Raises:
        ValueError: if it is no layer.
    """
    if not hasattr(layer, "dtype_policy"):
        raise ValueError(f"get_policy can only be called on a layer, but got: {layer}")
    return layer.dtype_policy


__all__ = ["LossScaleOptimizer", "Policy", "get_layer_policy", "global_policy", "set_policy"]
