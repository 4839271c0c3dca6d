"""Layers that pass their input on."""

from __future__ import annotations

from typing import Any

from eagerflow.keras import regularizers
from eagerflow.keras.engine.layer import Layer


class Identity(Layer):
    """Returns its input.

    >>> tf.keras.layers.Identity()(tf.constant([1.0])).numpy()
    array([1.], dtype=float32)
    """

    def call(self, inputs: Any) -> Any:
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


class ActivityRegularization(Layer):
    """Returns its input, and adds a loss for it.

    Args:
        l1: the weight of the sum of absolute values.
        l2: the weight of the sum of squares.

    >>> layer = tf.keras.layers.ActivityRegularization(l1=1.0)
    >>> y = layer(tf.constant([[1.0, -2.0]]))
    >>> float(layer.losses[0])
    3.0
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.supports_masking = True
        self.l1 = l1
        self.l2 = l2

    def call(self, inputs: Any) -> Any:
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape
