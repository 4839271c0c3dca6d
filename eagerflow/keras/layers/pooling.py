"""Pooling over windows."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras.engine.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import (
    data_format_of,
    integers,
    padding_of,
    sizes_of,
    window_count,
)
from eagerflow.ops.conv3d import pool3d
from eagerflow.shapes import TensorShape

_ops = _core.ops


class _Pooling(Layer):
    """A function of each window of an input."""

    _rank: int
    _function: Any  # of the engine: of images

    def __init__(
        self,
        pool_size: Any,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
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
        step = (*self.strides, 1) if rank == 1 else self.strides
        ends = ([1, 1], []) if self._channels_first else ([1], [1])
        self._window = [*ends[0], *window, *ends[1]]
        self._step = [*ends[0], *step, *ends[1]]
        self._word = self.padding.upper()

    def call(self, inputs: Any) -> Any:
        rank = self._rank
        function = type(self)._function
        if rank == 3:
            order = "NCDHW" if self._channels_first else "NDHWC"
            return pool3d(
                function, inputs, self._window, self._step, self._word, order, type(self).__name__
            )
        order = "NCHW" if self._channels_first else "NHWC"
        if rank == 2:
            return function(inputs, self._window, self._step, self._word, None, order)
        place = 3 if self._channels_first else 2
        image = _ops.expand_dims(inputs, place)
        result = function(image, self._window, self._step, self._word, None, order)
        return _ops.squeeze(result, [place])

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = sizes_of(input_shape)
        start = 2 if self._channels_first else 1
        for axis in range(self._rank):
            sizes[start + axis] = window_count(
                sizes[start + axis], self.pool_size[axis], self.padding, self.strides[axis]
            )
        return TensorShape(sizes)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "pool_size": self.pool_size,
            "padding": self.padding,
            "strides": self.strides,
            "data_format": self.data_format,
        }


class MaxPooling1D(_Pooling):
    """The largest element of each window of sequences `[batch, length, channels]`.

    Args:
        pool_size: the window's length.
        strides: its step; `pool_size` by default.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        **kwargs: `name`, `dtype`, …

    >>> x = tf.constant([1.0, 2.0, 3.0, 4.0])
    >>> tf.keras.layers.MaxPooling1D(2)(x[tf.newaxis, :, tf.newaxis]).numpy().reshape(-1)
    array([2., 4.], dtype=float32)
    """

    _rank = 1
    _function = staticmethod(_ops.max_pool)

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class MaxPooling2D(_Pooling):
    """The largest element of each window of images `[batch, rows, columns, channels]`.

    Args:
        pool_size: the window's height and width: one number or two.
        strides: its steps; `pool_size` by default.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        **kwargs: `name`, `dtype`, …

    >>> tf.keras.layers.MaxPooling2D()(tf.ones([2, 28, 28, 3])).shape
    TensorShape([2, 14, 14, 3])
    """

    _rank = 2
    _function = staticmethod(_ops.max_pool)

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class MaxPooling3D(_Pooling):
    """The largest element of each window of volumes `[batch, depth, rows, columns, channels]`.

    Args:
        pool_size: the window's sizes: one number or three.
        strides: its steps; `pool_size` by default.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        **kwargs: `name`, `dtype`, …

    >>> tf.keras.layers.MaxPooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 2, 2, 2, 3])
    """

    _rank = 3
    _function = staticmethod(_ops.max_pool)

    def __init__(
        self,
        pool_size: Any = (2, 2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class AveragePooling1D(_Pooling):
    """The mean of each window of sequences `[batch, length, channels]`.

    Args:
        pool_size: the window's length.
        strides: its step; `pool_size` by default.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
        **kwargs: `name`, `dtype`, …

    >>> x = tf.constant([1.0, 2.0, 3.0, 4.0])
    >>> tf.keras.layers.AveragePooling1D(2)(x[tf.newaxis, :, tf.newaxis]).numpy().reshape(-1)
    array([1.5, 3.5], dtype=float32)
    """

    _rank = 1
    _function = staticmethod(_ops.avg_pool)

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class AveragePooling2D(_Pooling):
    """The mean of each window of images `[batch, rows, columns, channels]`.

    Args:
        pool_size: the window's height and width: one number or two.
        strides: its steps; `pool_size` by default.
        padding: "valid" or "same"; what padding adds is not counted.
        data_format: "channels_last" or "channels_first".
        **kwargs: `name`, `dtype`, …

    >>> tf.keras.layers.AveragePooling2D()(tf.ones([2, 28, 28, 3])).shape
    TensorShape([2, 14, 14, 3])
    """

    _rank = 2
    _function = staticmethod(_ops.avg_pool)

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class AveragePooling3D(_Pooling):
    """The mean of each window of volumes `[batch, depth, rows, columns, channels]`.

    Args:
        pool_size: the window's sizes: one number or three.
        strides: its steps; `pool_size` by default.
        padding: "valid" or "same"; what padding adds is not counted.
        data_format: "channels_last" or "channels_first".
        **kwargs: `name`, `dtype`, …

    >>> tf.keras.layers.AveragePooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 2, 2, 2, 3])
    """

    _rank = 3
    _function = staticmethod(_ops.avg_pool)

    def __init__(
        self,
        pool_size: Any = (2, 2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
