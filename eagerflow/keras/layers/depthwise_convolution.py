"""Convolutions in which every channel has filters of its own."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras import activations
from eagerflow.keras.engine.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import (
    give,
    sizes_of,
    take,
)
from eagerflow.keras.layers.convolution import Conv
from eagerflow.shapes import TensorShape

_ops = _core.ops
_UNCHANGED = (activations.linear, None)  # None: programs take an activation away


def depthwise(layer: Conv, inputs: Any, kernel: Any) -> Any:
    """The depthwise convolution of images, or of sequences as images of one row.

    The engine takes one step for rows and columns, as TensorFlow does; a sequence's row is not
    affected by it.
    """
    step, spread = layer._step, layer._spread
    if layer.rank == 1:
        row = layer._row_axis
        step = list(step)
        step[row] = step[row + 1]
        inputs, kernel = _ops.expand_dims(inputs, row), _ops.expand_dims(kernel, 0)
    return _ops.depthwise_conv2d(
        inputs, kernel, step, layer._word, None, spread, layer._image_format
    )


class _DepthwiseConv(Conv):
    """What depthwise convolutions have in common."""

    def __init__(
        self,
        rank: int,
        kernel_size: Any,
        depth_multiplier: int,
        depthwise_initializer: Any,
        depthwise_regularizer: Any,
        depthwise_constraint: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(rank, None, kernel_size, **kwargs)
        self.depth_multiplier = depth_multiplier
        take(
            self,
            depthwise_initializer=depthwise_initializer,
            depthwise_regularizer=depthwise_regularizer,
            depthwise_constraint=depthwise_constraint,
        )

    def build(self, input_shape: Any) -> None:
        if len(input_shape) != self.rank + 2:
            raise ValueError(
                f"Inputs to `DepthwiseConv` should have rank {self.rank + 2}. "
                f"Received input_shape={input_shape}."
            )
        channels = self._input_channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            name="depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self._add_bias(channels * self.depth_multiplier)
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self._channel_axis: channels})
        Layer.build(self, input_shape)

    def call(self, inputs: Any) -> Any:
        outputs = depthwise(self, inputs, self.depthwise_kernel)
        if self.rank == 1:
            outputs = _ops.squeeze(outputs, [self._row_axis])
        if self.bias is not None:
            outputs = _ops.bias_add(outputs, self.bias, self._image_format)
        activation = self.activation
        return outputs if activation in _UNCHANGED else activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = sizes_of(input_shape)
        channels = sizes[self._channel_axis]
        if self._channels_first:
            spatial = self._spatial(sizes[2:])
        else:
            spatial = self._spatial(sizes[1:-1])
        out = None if channels is None else channels * self.depth_multiplier
        if self._channels_first:
            return TensorShape([sizes[0], out, *spatial])
        return TensorShape([sizes[0], *spatial, out])

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        for key in ("filters", "kernel_initializer", "kernel_regularizer", "kernel_constraint"):
            del config[key]
        return {
            **config,
            "depth_multiplier": self.depth_multiplier,
            **give(self, "depthwise_initializer", "depthwise_regularizer", "depthwise_constraint"),
        }


class DepthwiseConv1D(_DepthwiseConv):
    """Convolution of each channel of sequences `[batch, length, channels]` by itself.

    Args:
        kernel_size: the window's length.
        strides: its step.
        padding: "valid" or "same".
        depth_multiplier: how many channels of the result come from one of the input.
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distance of the window's elements.
        activation: a function or its name; None for none.
        use_bias: whether a bias is added.
        depthwise_initializer: for the filters `[kernel_size, channels, depth_multiplier]`.
        bias_initializer: for the bias `[channels * depth_multiplier]`.
        depthwise_regularizer: gives a loss for the filters.
        bias_regularizer: gives a loss for the bias.
        activity_regularizer: gives a loss for the result.
        depthwise_constraint: is applied to the filters after each step of an optimizer.
        bias_constraint: is applied to the bias after each step.
        **kwargs: `name`, `dtype`, `input_shape`, …

    Raises:
        ValueError: if arguments or shapes do not fit.

    >>> tf.keras.layers.DepthwiseConv1D(3)(tf.ones([2, 5, 4])).shape
    TensorShape([2, 3, 4])
    """

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            1, kernel_size, depth_multiplier, depthwise_initializer, depthwise_regularizer,
            depthwise_constraint, strides=strides, padding=padding, data_format=data_format,
            dilation_rate=dilation_rate, activation=activation, use_bias=use_bias,
            bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, bias_constraint=bias_constraint, **kwargs,
        )  # fmt: skip


class DepthwiseConv2D(_DepthwiseConv):
    """Convolution of each channel of images `[batch, rows, columns, channels]` by itself.

    Args:
        kernel_size: the window's height and width: one number or two.
        strides: its step: one number, or two equal ones.
        padding: "valid" or "same".
        depth_multiplier: how many channels of the result come from one of the input.
        data_format: "channels_last" or "channels_first".
        dilation_rate: the distances of the window's elements.
        activation: a function or its name; None for none.
        use_bias: whether a bias is added.
        depthwise_initializer: for the filters `[rows, columns, channels, depth_multiplier]`.
        bias_initializer: for the bias `[channels * depth_multiplier]`.
        depthwise_regularizer: gives a loss for the filters.
        bias_regularizer: gives a loss for the bias.
        activity_regularizer: gives a loss for the result.
        depthwise_constraint: is applied to the filters after each step of an optimizer.
        bias_constraint: is applied to the bias after each step.
        **kwargs: `name`, `dtype`, `input_shape`, …

    Raises:
        ValueError: if arguments or shapes do not fit.

    >>> tf.keras.layers.DepthwiseConv2D(3, depth_multiplier=2)(tf.ones([2, 5, 5, 4])).shape
    TensorShape([2, 3, 3, 8])
    """

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            2, kernel_size, depth_multiplier, depthwise_initializer, depthwise_regularizer,
            depthwise_constraint, strides=strides, padding=padding, data_format=data_format,
            dilation_rate=dilation_rate, activation=activation, use_bias=use_bias,
            bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, bias_constraint=bias_constraint, **kwargs,
        )  # fmt: skip
