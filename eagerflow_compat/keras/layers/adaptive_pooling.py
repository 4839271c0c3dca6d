"""Layers that pool inputs of any size to a fixed size."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import data_format_of, integers, sizes_of, with_arguments_of
from eagerflow_compat.keras.ops import adaptive_pooling


class AdaptivePooling(Layer):
    """The base of adaptive pooling: a function of `output_size` windows along each spatial axis.

    Args:
        output_size: how many windows along each axis: one number for all, or one for each.
    """

    _rank: int
    _function: Any

    def __init__(self, output_size: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.output_size = integers(output_size, self._rank, "output_size")
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs: Any) -> Any:
        return type(self)._function(inputs, self.output_size, self.data_format)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = sizes_of(input_shape)
        if self.data_format == "channels_first":
            return TensorShape([*sizes[:2], *self.output_size])
        return TensorShape([sizes[0], *self.output_size, sizes[-1]])


class _AdaptiveAverage(AdaptivePooling):
    _function = staticmethod(adaptive_pooling.adaptive_average_pool)


class _AdaptiveMax(AdaptivePooling):
    _function = staticmethod(adaptive_pooling.adaptive_max_pool)


@with_arguments_of(AdaptivePooling)
class AdaptiveAveragePooling1D(_AdaptiveAverage):
    """The means of windows over sequences.

    >>> tf.keras.layers.AdaptiveAveragePooling1D(4)(tf.ones([2, 9, 3])).shape
    TensorShape([2, 4, 3])
    """

    _rank = 1


@with_arguments_of(AdaptivePooling)
class AdaptiveAveragePooling2D(_AdaptiveAverage):
    """The means of windows over images.

    >>> tf.keras.layers.AdaptiveAveragePooling2D((4, 5))(tf.ones([2, 9, 7, 3])).shape
    TensorShape([2, 4, 5, 3])
    """

    _rank = 2


@with_arguments_of(AdaptivePooling)
class AdaptiveAveragePooling3D(_AdaptiveAverage):
    """The means of windows over volumes.

    >>> tf.keras.layers.AdaptiveAveragePooling3D(2)(tf.ones([1, 5, 4, 3, 2])).shape
    TensorShape([1, 2, 2, 2, 2])
    """

    _rank = 3


@with_arguments_of(AdaptivePooling)
class AdaptiveMaxPooling1D(_AdaptiveMax):
    """The largest values of windows over sequences.

    >>> tf.keras.layers.AdaptiveMaxPooling1D(4)(tf.ones([2, 9, 3])).shape
    TensorShape([2, 4, 3])
    """

    _rank = 1


@with_arguments_of(AdaptivePooling)
class AdaptiveMaxPooling2D(_AdaptiveMax):
    """The largest values of windows over images.

    >>> tf.keras.layers.AdaptiveMaxPooling2D((4, 5))(tf.ones([2, 9, 7, 3])).shape
    TensorShape([2, 4, 5, 3])
    """

    _rank = 2


@with_arguments_of(AdaptivePooling)
class AdaptiveMaxPooling3D(_AdaptiveMax):
    """The largest values of windows over volumes.

    >>> tf.keras.layers.AdaptiveMaxPooling3D(2)(tf.ones([1, 5, 4, 3, 2])).shape
    TensorShape([1, 2, 2, 2, 2])
    """

    _rank = 3
