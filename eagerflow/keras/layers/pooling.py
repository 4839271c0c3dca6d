"""Pooling over windows."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import (
    data_format_of,
    integers,
    padding_of,
    sizes_of,
    window_count,
    with_arguments_of,
    with_defaults,
)
from eagerflow.keras.typing import LayerOptions, Sizes, Unpack
from eagerflow.ops.nn.conv3d import avg_pool3d, max_pool3d, pool3d
from eagerflow.ops.nn.pooling import avg_pool1d, avg_pool2d, max_pool1d, max_pool2d
from eagerflow.typing import ShapeLike

_ops = _core.ops


class Pooling(Layer):
    """The base of pooling layers: a function of each window of the input.

    Args:
        pool_size: the window's size: one number for all axes, or one for each.
        strides: its steps: one number, or one for each axis; `pool_size` by default.
        padding: "valid" or "same"; means do not count what padding adds.
    """

    _rank: int
    _function: Any  # of the engine: of images

    def __init__(
        self,
        pool_size: Sizes = 2,
        strides: Sizes | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(**kwargs)
        rank = self._rank
        if pool_size is None:
            raise ValueError(f"`pool_size` must not be None in {type(self).__name__}")
        strides = pool_size if strides is None else strides
        self.data_format = data_format_of(data_format)
        self.pool_size = integers(pool_size, rank, "pool_size")
        self.strides = integers(strides, rank, "strides", allow_zero=True)
        self.padding = padding_of(padding)
        self.input_spec = InputSpec(ndim=rank + 2)
        self._channels_first = self.data_format == "channels_first"
        # Sequences are images of one column.
        window = (*self.pool_size, 1) if rank == 1 else self.pool_size
        strides = (*self.strides, 1) if rank == 1 else self.strides
        ends = ([1, 1], []) if self._channels_first else ([1], [1])
        self._window = [*ends[0], *window, *ends[1]]
        self._strides = [*ends[0], *strides, *ends[1]]
        self._padding = self.padding.upper()

    @property
    def pool_function(self) -> Any:
        """The function of `tf.nn` that does the same."""
        is_max = type(self)._function is _ops.max_pool
        if self._rank == 3:
            return max_pool3d if is_max else avg_pool3d
        if self._rank == 2:
            return max_pool2d if is_max else avg_pool2d
        return max_pool1d if is_max else avg_pool1d

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        rank = self._rank
        function = type(self)._function
        if rank == 3:
            order = "NCDHW" if self._channels_first else "NDHWC"
            return pool3d(
                function,
                inputs,
                self._window,
                self._strides,
                self._padding,
                order,
                type(self).__name__,
            )
        order = "NCHW" if self._channels_first else "NHWC"
        if rank == 2:
            return function(inputs, self._window, self._strides, self._padding, None, order)
        axis = 3 if self._channels_first else 2
        image = _ops.expand_dims(inputs, axis)
        result = function(image, self._window, self._strides, self._padding, None, order)
        return _ops.squeeze(result, [axis])

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        sizes = sizes_of(input_shape)
        start = 2 if self._channels_first else 1
        for axis in range(self._rank):
            sizes[start + axis] = window_count(
                sizes[start + axis], self.pool_size[axis], self.padding, self.strides[axis]
            )
        return TensorShape(sizes)


class Pooling1D(Pooling):
    """The base of pooling layers of sequences."""

    def __init__(
        self,
        pool_size: Sizes = 2,
        strides: Sizes | None = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


@with_arguments_of(Pooling)
class MaxPooling1D(Pooling1D):
    """The largest element of each window of sequences `[batch, length, channels]`.

    >>> x = tf.constant([1.0, 2.0, 3.0, 4.0])
    >>> tf.keras.layers.MaxPooling1D(2)(x[tf.newaxis, :, tf.newaxis]).numpy().reshape(-1)
    array([2., 4.], dtype=float32)
    """

    _rank = 1
    _function = staticmethod(_ops.max_pool)


@with_defaults(pool_size=(2, 2))
@with_arguments_of(Pooling)
class MaxPooling2D(Pooling):
    """The largest element of each window of images `[batch, rows, columns, channels]`.

    >>> tf.keras.layers.MaxPooling2D()(tf.ones([2, 28, 28, 3])).shape
    TensorShape([2, 14, 14, 3])
    """

    _rank = 2
    _function = staticmethod(_ops.max_pool)


@with_defaults(pool_size=(2, 2, 2))
@with_arguments_of(Pooling)
class MaxPooling3D(Pooling):
    """The largest element of each window of volumes `[batch, depth, rows, columns, channels]`.

    >>> tf.keras.layers.MaxPooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 2, 2, 2, 3])
    """

    _rank = 3
    _function = staticmethod(_ops.max_pool)


@with_arguments_of(Pooling)
class AveragePooling1D(Pooling1D):
    """The mean of each window of sequences `[batch, length, channels]`.

    >>> x = tf.constant([1.0, 2.0, 3.0, 4.0])
    >>> tf.keras.layers.AveragePooling1D(2)(x[tf.newaxis, :, tf.newaxis]).numpy().reshape(-1)
    array([1.5, 3.5], dtype=float32)
    """

    _rank = 1
    _function = staticmethod(_ops.avg_pool)


@with_defaults(pool_size=(2, 2))
@with_arguments_of(Pooling)
class AveragePooling2D(Pooling):
    """The mean of each window of images `[batch, rows, columns, channels]`.

    >>> tf.keras.layers.AveragePooling2D()(tf.ones([2, 28, 28, 3])).shape
    TensorShape([2, 14, 14, 3])
    """

    _rank = 2
    _function = staticmethod(_ops.avg_pool)


@with_defaults(pool_size=(2, 2, 2))
@with_arguments_of(Pooling)
class AveragePooling3D(Pooling):
    """The mean of each window of volumes `[batch, depth, rows, columns, channels]`.

    >>> tf.keras.layers.AveragePooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 2, 2, 2, 3])
    """

    _rank = 3
    _function = staticmethod(_ops.avg_pool)


MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
