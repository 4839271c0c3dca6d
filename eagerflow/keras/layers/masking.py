"""The layer that masks missing steps of sequences."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras.engine.layer import Layer

_ops = _core.ops


class Masking(Layer):
    """Masks the steps of sequences all of whose features have a certain value.

    Args:
        mask_value: the value.

    The result has zeros there, and later layers skip them.

    >>> x = tf.constant([[[1.0, 2.0], [0.0, 0.0]]])
    >>> tf.keras.layers.Masking().compute_mask(x).numpy()
    array([[ True, False]])
    """

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value
        self._compute_output_and_mask_jointly = True

    def compute_mask(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> _core.Tensor:
        return _ops.reduce_any(_ops.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        known = _ops.reduce_any(_ops.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = _ops.multiply(inputs, _ops.cast(known, inputs.dtype))
        outputs._keras_mask = _ops.squeeze(known, [-1])
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape
