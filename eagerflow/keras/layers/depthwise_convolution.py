"""Convolutions of each channel with its own filters."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.arguments import UNCHANGED, sizes_of, with_arguments_of, with_defaults
from eagerflow.keras.layers.convolution import Conv
from eagerflow.keras.typing import (
    ActivationLike,
    Config,
    ConstraintLike,
    InitializerLike,
    RegularizerLike,
    Sizes,
)

_ops = _core.ops


def depthwise(layer: Conv, inputs: Any, kernel: Any) -> _core.Tensor:
    """The depthwise convolution of images, or of sequences as images of one row.

    The operation takes equal strides for rows and columns, as TensorFlow's does; a sequence's one
    row is not affected by them.
    """
    strides = layer._strides
    if layer._rank == 1:
        row = layer._row_axis
        strides = list(strides)
        strides[row] = strides[row + 1]
        inputs, kernel = _ops.expand_dims(inputs, row), _ops.expand_dims(kernel, 0)
    return _ops.depthwise_conv2d(
        inputs, kernel, strides, layer._padding, None, layer._dilations, layer._image_format
    )


class DepthwiseConv(Conv):
    """The base of depthwise convolutions.

    Args:
        strides: its step: one number, or equal ones for all axes.
        padding: "valid" or "same".
        depth_multiplier: how many channels of the result come from one of the input.
        depthwise_initializer: for the filters `[*kernel_size, channels, depth_multiplier]`.
        bias_initializer: for the bias `[channels * depth_multiplier]`.
        depthwise_regularizer: adds a loss for the filters.
        depthwise_constraint: is applied to the filters after each step of an optimizer.

    Raises:
        ValueError: if arguments or shapes do not fit.
    """

    _adapted_weight = None

    def __init__(
        self,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        depthwise_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        depthwise_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            None, kernel_size, strides, padding, data_format, dilation_rate,
            activation=activation, use_bias=use_bias, bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint, **kwargs
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier
        resolve_arguments(self, locals())

    def build(self, input_shape: Any) -> None:
        if len(input_shape) != self._rank + 2:
            raise ValueError(
                f"Inputs to `DepthwiseConv` should have rank {self._rank + 2}. "
                f"Received input_shape={input_shape}."
            )
        channels = self._get_input_channel(input_shape)
        self.depthwise_kernel = self.add_weight(
            name="depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self._add_bias(channels * self.depth_multiplier)
        self.input_spec = InputSpec(
            min_ndim=self._rank + 2, axes={self._get_channel_axis(): channels}
        )
        Layer.build(self, input_shape)

    def _quantizable_weights(self) -> dict[str, Any]:
        kernel = self.depthwise_kernel
        if self._channels_first:
            return {}
        return {"depthwise_kernel": (tuple(range(self._rank)), self._as_image(kernel))}

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        outputs = depthwise(self, inputs, self.depthwise_kernel)
        if self._rank == 1:
            outputs = _ops.squeeze(outputs, [self._row_axis])
        if self.bias is not None:
            outputs = _ops.bias_add(outputs, self.bias, self._image_format)
        activation = self.activation
        return outputs if activation in UNCHANGED else activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = sizes_of(input_shape)
        channels = sizes[self._get_channel_axis()]
        if self._channels_first:
            spatial = self._spatial_output_shape(sizes[2:])
        else:
            spatial = self._spatial_output_shape(sizes[1:-1])
        out = None if channels is None else channels * self.depth_multiplier
        if self._channels_first:
            return TensorShape([sizes[0], out, *spatial])
        return TensorShape([sizes[0], *spatial, out])

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        return super().get_config() | {"groups": self.groups}


@with_arguments_of(DepthwiseConv)
class DepthwiseConv1D(DepthwiseConv):
    """Convolution of each channel of sequences `[batch, length, channels]` by itself.

    >>> tf.keras.layers.DepthwiseConv1D(3)(tf.ones([2, 5, 4])).shape
    TensorShape([2, 3, 4])
    """

    rank = 1


@with_defaults(strides=(1, 1), dilation_rate=(1, 1))
@with_arguments_of(DepthwiseConv)
class DepthwiseConv2D(DepthwiseConv):
    """Convolution of each channel of images `[batch, rows, columns, channels]` by itself.

    >>> tf.keras.layers.DepthwiseConv2D(3, depth_multiplier=2)(tf.ones([2, 5, 5, 4])).shape
    TensorShape([2, 3, 3, 8])
    """

    rank = 2
