"""The densely connected layer."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.adaptable import AdaptableLayer
from eagerflow.keras.layers.arguments import UNCHANGED
from eagerflow.keras.typing import (
    ActivationLike,
    AdaptableLayerOptions,
    ConstraintLike,
    InitializerLike,
    RegularizerLike,
    Unpack,
)
from eagerflow.typing import ShapeLike
from eagerflow.util import lazy

composite_inputs = lazy.Module("eagerflow.keras.engine.calls.composite_inputs")

_ops = _core.ops


class Dense(AdaptableLayer):
    """activation(inputs @ kernel + bias), over the last axis.

    Args:
        units: the size of the last axis of the result.
        kernel_initializer: for the matrix `[last axis of the input, units]`.
        bias_initializer: for the bias `[units]`.
        kernel_regularizer: adds a loss for the matrix.
        kernel_constraint: is applied to the matrix after each step of an optimizer.
        **kwargs: `name`, `dtype`, `trainable`, `input_shape`, …

    Raises:
        ValueError: if `units` is not positive, or the last axis of the input is unknown.

    >>> layer = tf.keras.layers.Dense(3)
    >>> layer(tf.ones([2, 5])).shape, [weight.name for weight in layer.weights]
    (TensorShape([2, 3]), ['dense/kernel:0', 'dense/bias:0'])
    """

    _composite_call = "product"

    def __init__(
        self,
        units: int,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        **kwargs: Unpack[AdaptableLayerOptions],
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units) if not isinstance(units, int) else units
        if self.units <= 0:
            raise ValueError(
                "Received an invalid value for `units`, expected a positive integer. "
                f"Received: units={units}"
            )
        self.use_bias = use_bias
        resolve_arguments(self, locals())
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: ShapeLike) -> None:
        dtype = dtypes.as_dtype(self.dtype or "float32")
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(
                "A Dense layer can only be built with a floating-point dtype. "
                f"Received: dtype={dtype}"
            )
        last = TensorShape(input_shape)[-1]
        if last is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. "
                f"Full input shape received: {input_shape}"
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight(
            "kernel",
            shape=[last, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            dtype=self.dtype,
            trainable=True,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                dtype=self.dtype,
                trainable=True,
            )
        super().build(input_shape)

    _takes_float8 = True

    def _quantizable_weights(self) -> dict[str, Any]:
        return {"kernel": ((0,), None)}

    def call(self, inputs: Any) -> Any:
        try:
            rank = inputs.ndim
        except AttributeError:
            if isinstance(inputs, _core.Variable):  # the same
                return self.call(_ops.identity(inputs))
            if hasattr(inputs, "dense_shape"):  # from a `call` of the program's
                return composite_inputs.sparse_product(self, inputs)
            raise ValueError(
                "Dense layer only supports RaggedTensors when the innermost dimension is "
                f"non-ragged. Received: inputs.shape={inputs.shape}."
            ) from None
        if inputs.dtype is not self._dtype_policy.compute:
            inputs = self._in_compute_dtype(inputs)
        if rank == 2:
            outputs = _ops.matmul(inputs, self.kernel)
        else:
            shape = inputs._sizes()
            flat = _ops.matmul(_ops.reshape(inputs, [-1, shape[-1]]), self.kernel)
            outputs = _ops.reshape(flat, [*shape[:-1], self.units])
        if self.bias is not None:
            outputs = _ops.bias_add(outputs, self.bias, "NHWC")
        activation = self.activation
        return outputs if activation in UNCHANGED else activation(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        shape = TensorShape(input_shape).with_rank_at_least(2)
        if shape[-1] is None:
            raise ValueError(
                "The last dimension of the input shape of a Dense layer should be defined. "
                f"Found None. Received: input_shape={input_shape}"
            )
        return shape[:-1].concatenate(self.units)
