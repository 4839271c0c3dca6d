"""Pooling over all positions of an input."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import data_format_of, sizes_of, with_arguments_of

_ops = _core.ops


class GlobalPooling(Layer):
    """The base of global pooling: a function of each channel of an example.

    Args:
        keepdims: whether reduced axes stay, with size 1.
    """

    _rank: int
    _function: Any

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)
        self.keepdims = keepdims
        start = 2 if self.data_format == "channels_first" else 1
        self._axes = list(range(start, start + self._rank))

    def build(self, input_shape: Any = None) -> None:
        sizes = sizes_of(input_shape)
        for axis in self._axes:
            if sizes[axis] == 0:
                raise ValueError(
                    f"Incorrect input shape {list(sizes)} with dimension 0 at reduction axis "
                    f"{axis}."
                )
        Layer.build(self, input_shape)

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        return type(self)._function(inputs, self._axes, self.keepdims)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = sizes_of(input_shape)
        if self.keepdims:
            return TensorShape([1 if i in self._axes else size for i, size in enumerate(sizes)])
        return TensorShape([size for i, size in enumerate(sizes) if i not in self._axes])


@with_arguments_of(GlobalPooling)
class GlobalAveragePooling1D(GlobalPooling):
    """The mean over the steps of sequences `[batch, steps, channels]`.

    A call takes `mask`, a bool tensor `[batch, steps]`: steps where it is False are left out.

    >>> tf.keras.layers.GlobalAveragePooling1D()(tf.ones([2, 5, 3])).shape
    TensorShape([2, 3])
    """

    _rank = 1
    _function = staticmethod(_ops.reduce_mean)

    def __init__(
        self, data_format: str | None = "channels_last", keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(data_format, keepdims, **kwargs)
        self.supports_masking = True
        self._masks_only_from_masks = True

    def call(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> _core.Tensor:
        if mask is None:
            return _ops.reduce_mean(inputs, self._axes, self.keepdims)
        axis = self._axes[0]
        mask = _ops.expand_dims(_ops.cast(mask, inputs.dtype), 2 if axis == 1 else 1)
        total = _ops.reduce_sum(_ops.multiply(inputs, mask), [axis], self.keepdims)
        return _ops.divide_real(total, _ops.reduce_sum(mask, [axis], self.keepdims))

    def compute_mask(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> None:
        return None


@with_arguments_of(GlobalPooling)
class GlobalMaxPooling1D(GlobalPooling):
    """The largest element over the steps of sequences `[batch, steps, channels]`.

    >>> tf.keras.layers.GlobalMaxPooling1D()(tf.ones([2, 5, 3])).shape
    TensorShape([2, 3])
    """

    _rank = 1
    _function = staticmethod(_ops.reduce_max)

    def __init__(
        self, data_format: str | None = "channels_last", keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(data_format, keepdims, **kwargs)


@with_arguments_of(GlobalPooling)
class GlobalAveragePooling2D(GlobalPooling):
    """The mean over the pixels of images `[batch, rows, columns, channels]`.

    >>> tf.keras.layers.GlobalAveragePooling2D()(tf.ones([2, 5, 5, 3])).shape
    TensorShape([2, 3])
    """

    _rank = 2
    _function = staticmethod(_ops.reduce_mean)


@with_arguments_of(GlobalPooling)
class GlobalMaxPooling2D(GlobalPooling):
    """The largest element over the pixels of images `[batch, rows, columns, channels]`.

    >>> tf.keras.layers.GlobalMaxPooling2D(keepdims=True)(tf.ones([2, 5, 5, 3])).shape
    TensorShape([2, 1, 1, 3])
    """

    _rank = 2
    _function = staticmethod(_ops.reduce_max)


@with_arguments_of(GlobalPooling)
class GlobalAveragePooling3D(GlobalPooling):
    """The mean over the voxels of volumes `[batch, depth, rows, columns, channels]`.

    >>> tf.keras.layers.GlobalAveragePooling3D()(tf.ones([2, 5, 5, 5, 3])).shape
    TensorShape([2, 3])
    """

    _rank = 3
    _function = staticmethod(_ops.reduce_mean)


@with_arguments_of(GlobalPooling)
class GlobalMaxPooling3D(GlobalPooling):
    """The largest element over the voxels of volumes `[batch, depth, rows, columns, channels]`.

    >>> tf.keras.layers.GlobalMaxPooling3D()(tf.ones([2, 5, 5, 5, 3])).shape
    TensorShape([2, 3])
    """

    _rank = 3
    _function = staticmethod(_ops.reduce_max)


GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D = (
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
)
GlobalAvgPool1D, GlobalAvgPool2D, GlobalAvgPool3D = (
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
)
