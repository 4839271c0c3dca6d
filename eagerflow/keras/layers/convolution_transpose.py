"""Transposed convolutions, which make sequences, images and volumes larger."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.layers.adaptable import AdaptableLayer
from eagerflow.keras.layers.arguments import (
    UNCHANGED,
    integers,
    sizes_of,
    transposed_length,
    with_arguments_of,
    with_defaults,
)
from eagerflow.keras.layers.convolution import Conv, Conv1D, Conv2D, Conv3D
from eagerflow.keras.typing import (
    ActivationLike,
    Config,
    ConstraintLike,
    InitializerLike,
    RegularizerLike,
    Sizes,
)
from eagerflow.ops.nn.conv3d import conv3d_transpose

_ops = _core.ops


class ConvTranspose(Conv):
    """The base of transposed convolutions: gradients of convolutions with respect to their inputs.

    Args:
        strides: by which factors the input grows: one number, or one for each axis.
        padding: "valid" or "same".
        output_padding: how much larger the result is than its least size, below the strides; None
            for the size that the convolution would reduce to the input's.
        dilation_rate: the distances of the window's elements; ignored for volumes.
        kernel_initializer: for the filters `[*kernel_size, filters, channels]`.

    Raises:
        ValueError: if arguments or shapes do not fit.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        output_padding: Sizes | None = None,
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        activation: ActivationLike = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=filters, kernel_size=kernel_size, strides=strides, padding=padding,
            data_format=data_format, dilation_rate=dilation_rate, activation=activation,
            use_bias=use_bias, kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint, bias_constraint=bias_constraint, **kwargs
        )  # fmt: skip
        self.output_padding: Any = output_padding
        if output_padding is None:
            return
        self.output_padding = integers(
            output_padding, self._rank, "output_padding", allow_zero=True
        )
        for stride, extra in zip(self.strides, self.output_padding, strict=True):
            if extra >= stride:
                raise ValueError(
                    "Strides must be greater than output padding. Received "
                    f"strides={self.strides}, output_padding={self.output_padding}."
                )

    def build(self, input_shape: Any) -> None:
        rank = self._rank + 2
        if len(input_shape) != rank:
            raise ValueError(f"Inputs should have rank {rank}. Received input_shape={input_shape}.")
        channels = self._get_input_channel(input_shape)
        self.kernel = self.add_weight(
            name="kernel",
            shape=(*self.kernel_size, self.filters, channels),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self._add_bias(self.filters)  # type: ignore[arg-type]
        axis = 1 - rank if self._channels_first else -1
        self.input_spec = InputSpec(ndim=rank, axes={axis: channels})
        AdaptableLayer.build(self, input_shape)

    def _quantizable_weights(self) -> dict[str, Any]:
        return {}

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        sizes = self._larger(inputs._sizes())
        if self._rank == 3:
            order = "NCDHW" if self._channels_first else "NDHWC"
            outputs = conv3d_transpose(
                inputs, self.kernel, sizes, self._strides, self._padding, order
            )
        elif self._rank == 2:
            outputs = self._images(self.kernel, inputs, sizes)
        else:
            row = self._row_axis
            sizes.insert(row, 1)
            kernel = _ops.expand_dims(self.kernel, 0)
            outputs = self._images(kernel, _ops.expand_dims(inputs, row), sizes)
            outputs = _ops.squeeze(outputs, [row])
        if self.bias is not None:
            outputs = _ops.bias_add(outputs, self.bias, self._image_format)
        activation = self.activation
        return outputs if activation in UNCHANGED else activation(outputs)

    def _images(self, kernel: Any, inputs: _core.Tensor, sizes: list[Any]) -> _core.Tensor:
        return _ops.conv2d_backprop_input(
            kernel,
            inputs,
            sizes,
            self._strides,
            self._padding,
            None,
            self._dilations,
            self._image_format,
        )

    def _larger(self, sizes: Any) -> list[Any]:
        """The sizes of the result."""
        result = list(sizes)
        start = 2 if self._channels_first else 1
        extra = self.output_padding or (None,) * self._rank
        for axis in range(self._rank):
            result[start + axis] = transposed_length(
                sizes[start + axis],
                self.kernel_size[axis],
                self.padding,
                self.strides[axis],
                extra[axis],
                1 if self._rank == 3 else self.dilation_rate[axis],
            )
        result[1 if self._channels_first else -1] = self.filters
        return result

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        return TensorShape(self._larger(sizes_of(input_shape)))

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        return super().get_config() | {"groups": self.groups}


@with_arguments_of(ConvTranspose)
class Conv1DTranspose(ConvTranspose, Conv1D):
    """The gradient of `Conv1D` with respect to its input, as a layer that makes sequences longer.

    >>> tf.keras.layers.Conv1DTranspose(8, 3, strides=2)(tf.ones([2, 5, 4])).shape
    TensorShape([2, 11, 8])
    """


@with_defaults(strides=(1, 1), dilation_rate=(1, 1))
@with_arguments_of(ConvTranspose)
class Conv2DTranspose(ConvTranspose, Conv2D):
    """The gradient of `Conv2D` with respect to its input, as a layer that makes images larger.

    >>> tf.keras.layers.Conv2DTranspose(8, 3, strides=2)(tf.ones([2, 5, 5, 4])).shape
    TensorShape([2, 11, 11, 8])
    """


@with_defaults(strides=(1, 1, 1), dilation_rate=(1, 1, 1))
@with_arguments_of(ConvTranspose)
class Conv3DTranspose(ConvTranspose, Conv3D):
    """The gradient of `Conv3D` with respect to its input, as a layer that makes volumes larger.

    >>> tf.keras.layers.Conv3DTranspose(8, 3, strides=2)(tf.ones([2, 2, 2, 2, 4])).shape
    TensorShape([2, 5, 5, 5, 8])
    """

    _unsaved_arguments = frozenset({"dilation_rate"})  # it has no effect


Convolution1DTranspose, Convolution2DTranspose, Convolution3DTranspose = (
    Conv1DTranspose,
    Conv2DTranspose,
    Conv3DTranspose,
)
