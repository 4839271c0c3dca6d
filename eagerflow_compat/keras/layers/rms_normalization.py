"""Normalization with the root mean square of each example."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import axes_of
from eagerflow_compat.keras.ops.nn import rms_normalization

_ops = _core.ops


class RMSNormalization(Layer):
    """scale * x / sqrt(mean(x ** 2) + epsilon) over axes of each example.

    Zhang and Sennrich, "Root mean square layer normalization" (NeurIPS 2019).

    Args:
        axis: the axis, or a list of axes.
        epsilon: keeps the divisor from zero.

    >>> layer = tf.keras.layers.RMSNormalization()
    >>> layer(tf.constant([[3.0, 4.0]])).numpy().round(3)
    array([[0.849, 1.131]], dtype=float32)
    """

    def __init__(self, axis: Any = -1, epsilon: float = 1e-6, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.epsilon = epsilon
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Makes the scale."""
        shape = TensorShape(input_shape)
        self._axes = axes_of(self.axis, len(shape))
        self.scale = self.add_weight(
            name="scale", shape=[shape[axis] for axis in self._axes], initializer="ones"
        )
        self._spread = [shape[k] if k in self._axes else 1 for k in range(len(shape))]
        super().build(input_shape)

    def call(self, inputs: _core.Tensor) -> Any:
        """The normalized values."""
        scale = _ops.reshape(self.scale, self._spread)
        return rms_normalization(inputs, scale, self._axes, self.epsilon)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The inputs' shape."""
        return input_shape
