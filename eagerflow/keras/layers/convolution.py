"""Convolutions of sequences, images and volumes."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.adaptable import AdaptableLayer
from eagerflow.keras.layers.arguments import (
    UNCHANGED,
    data_format_of,
    integers,
    padding_of,
    sizes_of,
    window_count,
    with_arguments_of,
    with_defaults,
)
from eagerflow.keras.typing import (
    ActivationLike,
    AdaptableLayerOptions,
    ConstraintLike,
    InitializerLike,
    RegularizerLike,
    Sizes,
    Unpack,
)
from eagerflow.ops.nn.conv3d import conv3d
from eagerflow.typing import ShapeLike, TensorLike

_ops = _core.ops


class Conv(AdaptableLayer):
    """The base of convolutions; `rank` is the number of axes that the window moves along.

    Args:
        filters: the number of channels of the result.
        kernel_size: the window's size: one number for all axes, or one for each.
        strides: its steps: one number for all axes, or one for each.
        padding: "valid" or "same"; of sequences also "causal", where a window sees no later steps
            than that of its result.
        dilation_rate: the distances of the window's elements: one number, or one for each axis.
        groups: into how many groups of channels input and result are divided.
        kernel_initializer: for the filters `[*kernel_size, channels / groups, filters]`.
        bias_initializer: for the bias `[filters]`.
        kernel_regularizer: adds a loss for the filters.
        kernel_constraint: is applied to the filters after each step of an optimizer.

    Raises:
        ValueError: if arguments or shapes do not fit.
    """

    rank: int
    _may_be_causal = False

    def __init__(
        self,
        filters: int | None,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Sizes = 1,
        groups: int = 1,
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
        # Subclasses of programs may give `rank` another meaning.
        self._rank = rank = self.rank
        if isinstance(filters, float):
            filters = int(filters)
        if filters is not None and filters <= 0:
            raise ValueError(
                "Invalid value for argument `filters`. Expected a strictly positive value. "
                f"Received filters={filters}."
            )
        self.filters = filters
        self.groups = groups or 1
        self.kernel_size = integers(kernel_size, rank, "kernel_size")
        self.strides = integers(strides, rank, "strides", allow_zero=True)
        self.padding = padding_of(padding, ("valid", "same", "causal"))
        self.data_format = data_format_of(data_format)
        self.dilation_rate = integers(dilation_rate, rank, "dilation_rate")
        self.use_bias = use_bias
        resolve_arguments(self, locals())
        self.input_spec = InputSpec(min_ndim=rank + 2)
        self._check_arguments()
        self._channels_first = self.data_format == "channels_first"
        self._is_causal = self.padding == "causal"
        self._padding = "VALID" if self._is_causal else self.padding.upper()
        # Sequences are images of one row.
        one = (1,) if rank == 1 else ()
        if self._channels_first:
            self._strides = [1, 1, *one, *self.strides]
            self._dilations = [1, 1, *one, *self.dilation_rate]
        else:
            self._strides = [1, *one, *self.strides, 1]
            self._dilations = [1, *one, *self.dilation_rate, 1]
        self._image_format = "NCHW" if self._channels_first else "NHWC"
        self._row_axis = 2 if self._channels_first else 1

    def _check_arguments(self) -> None:
        if self.filters is not None and self.filters % self.groups:
            raise ValueError(
                "The number of filters must be evenly divisible by the number of groups. "
                f"Received: groups={self.groups}, filters={self.filters}"
            )
        if not all(self.strides):
            raise ValueError(
                f"The argument `strides` cannot contains 0(s). Received: {self.strides}"
            )
        if self.padding == "causal" and not self._may_be_causal:
            raise ValueError("Causal padding is only supported for `Conv1D`and `SeparableConv1D`.")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}"
            )

    def _get_channel_axis(self) -> int:
        """The axis of the channels, from the end."""
        return -1 - self._rank if self._channels_first else -1

    def _get_input_channel(self, input_shape: object) -> int:
        """The number of channels of an input.

        Raises:
            ValueError: if it is unknown.
        """
        channels = TensorShape(input_shape)[self._get_channel_axis()]
        if channels is None:
            raise ValueError(
                f"The channel dimension of the inputs to `{type(self).__name__}` should be "
                f"defined. The input_shape received is {input_shape}, where axis "
                f"{self._get_channel_axis()} (0-based) is the channel dimension, which found to be "
                "`None`."
            )
        return channels

    def _add_bias(self, count: int) -> None:
        """Makes the bias, if `use_bias` is set."""
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(count,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                trainable=True,
                dtype=self.dtype,
            )

    def build(self, input_shape: ShapeLike) -> None:
        channels = self._get_input_channel(input_shape)
        if channels % self.groups:
            raise ValueError(
                "The number of input channels must be evenly divisible by the number of groups. "
                f"Received groups={self.groups}, but the input has {channels} channels (full "
                f"input shape is {input_shape})."
            )
        self.compute_output_shape(input_shape)
        self.kernel = self.add_weight(
            name="kernel",
            shape=(*self.kernel_size, channels // self.groups, self.filters),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self._add_bias(self.filters)  # type: ignore[arg-type]
        self.input_spec = InputSpec(
            min_ndim=self._rank + 2, axes={self._get_channel_axis(): channels}
        )
        super().build(input_shape)

    def _quantizable_weights(self) -> dict[str, Any]:
        if self._rank > 2 or self._channels_first:
            return {}
        return {"kernel": (tuple(range(self._rank + 1)), self._as_image(self.kernel))}

    def _as_image(self, kernel: Any) -> list[int]:
        """The shape of a filter, for sequences that of images of one row."""
        return [1] * (2 - self._rank) + kernel.shape.as_list()

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        batch = None
        if len(inputs.shape) > self._rank + 2:  # There are more axes of batches.
            shape = inputs._sizes()
            count = len(shape) - self._rank - 1
            batch, inputs = shape[:count], _ops.reshape(inputs, [-1, *shape[count:]])
        if self._is_causal:
            inputs = self._shifted(inputs)
        outputs = self.convolution_op(inputs, self.kernel)
        if self.bias is not None:
            outputs = _ops.bias_add(outputs, self.bias, self._image_format)
        if batch is not None:
            outputs = _ops.reshape(outputs, [*batch, *outputs._sizes()[1:]])
        activation = self.activation
        return outputs if activation in UNCHANGED else activation(outputs)

    def convolution_op(self, inputs: TensorLike, kernel: _core.Variable) -> _core.Tensor:
        """The convolution itself, without bias and activation; subclasses may replace it."""
        if self._rank == 3:
            order = "NCDHW" if self._channels_first else "NDHWC"
            return conv3d(inputs, kernel, self._strides, self._padding, order, self._dilations)
        if self._rank == 2:
            return _ops.conv2d(
                inputs,
                kernel,
                self._strides,
                self._padding,
                None,
                self._dilations,
                self._image_format,
            )
        row = self._row_axis
        images = _ops.conv2d(
            _ops.expand_dims(inputs, row),
            _ops.expand_dims(kernel, 0),
            self._strides,
            self._padding,
            None,
            self._dilations,
            self._image_format,
        )
        return _ops.squeeze(images, [row])

    def _compute_causal_padding(self, inputs: _core.Tensor) -> list[list[int]]:
        """How many zeros come before and after each axis, so that no window sees later steps."""
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        if self._channels_first:
            return [[0, 0], [0, 0], [before, 0]]
        return [[0, 0], [before, 0], [0, 0]]

    def _shifted(self, inputs: _core.Tensor) -> _core.Tensor:
        """A sequence with zeros before it."""
        padding = self._compute_causal_padding(inputs)
        return _ops.pad(inputs, [count for axis in padding for count in axis])

    def _get_padding_op(self) -> str:
        """The padding as the operation takes it, which gets padded inputs for the causal one."""
        return "VALID" if self._is_causal else self.padding.upper()

    @property
    def _tf_data_format(self) -> str:
        """The order of axes by letters."""
        space = "DHW"[3 - self._rank :]
        return f"NC{space}" if self._channels_first else f"N{space}C"

    def _spatial_output_shape(self, spatial_input_shape: Any) -> list[int | None]:
        """The sizes of the outputs without batch and channels."""
        return [
            window_count(
                length,
                self.kernel_size[axis],
                "same" if self._is_causal else self.padding,
                self.strides[axis],
                self.dilation_rate[axis],
            )
            for axis, length in enumerate(spatial_input_shape)
        ]

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        sizes = sizes_of(input_shape)
        batch = len(sizes) - self._rank - 1
        before = sizes[batch + 1 :] if self._channels_first else sizes[batch:-1]
        spatial = self._spatial_output_shape(before)
        if any(size is not None and size < 0 for size in spatial):
            raise ValueError(
                "One of the dimensions in the output is <= 0 due to downsampling in "
                f"{self.name}. Consider increasing the input size. Received input shape {sizes} "
                "which would produce output shape with a zero or negative value in a dimension."
            )
        if self._channels_first:
            return TensorShape([*sizes[:batch], self.filters, *spatial])
        return TensorShape([*sizes[:batch], *spatial, self.filters])


@with_arguments_of(Conv)
class Conv1D(Conv):
    """Convolution of sequences `[batch, length, channels]`.

    >>> tf.keras.layers.Conv1D(8, 3, padding="causal")(tf.ones([2, 10, 4])).shape
    TensorShape([2, 10, 8])
    """

    rank = 1
    _may_be_causal = True

    def __init__(
        self,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: Sizes = 1,
        groups: int = 1,
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
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, groups,
            activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
            bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, **kwargs
        )  # fmt: skip


@with_defaults(strides=(1, 1), dilation_rate=(1, 1))
@with_arguments_of(Conv)
class Conv2D(Conv):
    """Convolution of images `[batch, rows, columns, channels]`.

    >>> layer = tf.keras.layers.Conv2D(32, 3, activation="relu")
    >>> layer(tf.ones([4, 28, 28, 1])).shape
    TensorShape([4, 26, 26, 32])
    """

    rank = 2


@with_defaults(strides=(1, 1, 1), dilation_rate=(1, 1, 1))
@with_arguments_of(Conv)
class Conv3D(Conv):
    """Convolution of volumes `[batch, depth, rows, columns, channels]`.

    >>> tf.keras.layers.Conv3D(2, 3)(tf.ones([1, 5, 5, 5, 1])).shape
    TensorShape([1, 3, 3, 3, 2])
    """

    rank = 3


Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
