"""Convolutions of each channel by itself, followed by one that mixes the channels."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.layer_config import resolve_arguments, serialize_argument
from eagerflow.keras.layers.arguments import UNCHANGED, with_arguments_of, with_defaults
from eagerflow.keras.layers.convolution import Conv
from eagerflow.keras.layers.depthwise_convolution import depthwise
from eagerflow.keras.typing import (
    ActivationLike,
    Config,
    ConstraintLike,
    InitializerLike,
    RegularizerLike,
    Sizes,
)

_ops = _core.ops


class SeparableConv(Conv):
    """The base of separable convolutions.

    Args:
        padding: "valid" or "same"; of sequences also "causal".
        depth_multiplier: how many channels between the two come from one of the input.
        depthwise_initializer: for the filters of the first convolution.
        pointwise_initializer: for those of the second.
        depthwise_regularizer: adds a loss for the first filters.
        pointwise_regularizer: adds a loss for the second.
        depthwise_constraint: is applied to the first filters after each step of an optimizer.
        pointwise_constraint: is applied to the second.
        bias_constraint: is applied to the bias.

    Raises:
        ValueError: if arguments or shapes do not fit.
    """

    _adapted_weight = None

    def __init__(
        self,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        depth_multiplier: int = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike = "glorot_uniform",
        pointwise_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        depthwise_regularizer: RegularizerLike = None,
        pointwise_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        depthwise_constraint: ConstraintLike = None,
        pointwise_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate,
            activation=activation, use_bias=use_bias, bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint, **kwargs
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier
        resolve_arguments(self, locals())

    def build(self, input_shape: Any) -> None:
        channels = self._get_input_channel(input_shape)
        axis = -1 - self._rank if self._channels_first else -1
        self.input_spec = InputSpec(ndim=self._rank + 2, axes={axis: channels})
        self.depthwise_kernel = self.add_weight(
            name="depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self.pointwise_kernel = self.add_weight(
            name="pointwise_kernel",
            shape=(*(1,) * self._rank, channels * self.depth_multiplier, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self._add_bias(self.filters)  # type: ignore[arg-type]
        Layer.build(self, input_shape)

    def _quantizable_weights(self) -> dict[str, Any]:
        if self._channels_first:
            return {}
        depthwise_shape = self._as_image(self.depthwise_kernel)
        pointwise_shape = self._as_image(self.pointwise_kernel)
        return {
            "depthwise_kernel": (tuple(range(self._rank)), depthwise_shape),
            "pointwise_kernel": (tuple(range(self._rank + 1)), pointwise_shape),
        }

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        if self._is_causal:
            inputs = self._shifted(inputs)
        images = depthwise(self, inputs, self.depthwise_kernel)
        kernel: Any = self.pointwise_kernel
        if self._rank == 1:
            kernel = _ops.expand_dims(kernel, 0)
        order = self._image_format
        outputs = _ops.conv2d(images, kernel, [1] * 4, "VALID", None, [1] * 4, order)
        if self._rank == 1:
            outputs = _ops.squeeze(outputs, [self._row_axis])
        if self.bias is not None:
            outputs = _ops.bias_add(outputs, self.bias, order)
        activation = self.activation
        return outputs if activation in UNCHANGED else activation(outputs)

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        functions = ("kernel_initializer", "kernel_regularizer", "kernel_constraint")
        unused = {name: serialize_argument(name, getattr(self, name)) for name in functions}
        return super().get_config() | {"groups": self.groups} | unused


@with_arguments_of(SeparableConv)
class SeparableConv1D(SeparableConv):
    """Depthwise convolution of sequences `[batch, length, channels]`, then a mix of the channels.

    >>> tf.keras.layers.SeparableConv1D(8, 3)(tf.ones([2, 5, 4])).shape
    TensorShape([2, 3, 8])
    """

    rank = 1
    _may_be_causal = True


@with_defaults(strides=(1, 1), dilation_rate=(1, 1))
@with_arguments_of(SeparableConv)
class SeparableConv2D(SeparableConv):
    """Depthwise convolution of images, followed by one of 1x1 windows that mixes the channels.

    >>> tf.keras.layers.SeparableConv2D(8, 3)(tf.ones([2, 5, 5, 4])).shape
    TensorShape([2, 3, 3, 8])
    """

    rank = 2


SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
