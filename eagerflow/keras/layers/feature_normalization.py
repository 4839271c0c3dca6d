"""Normalization of features with the mean and variance of data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.keras import backend
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import is_shape_list, sizes_of
from eagerflow.keras.layers.preprocessing_layer import PreprocessingLayer, listed
from eagerflow.keras.typing import Config, LayerOptions, Unpack
from eagerflow.ops import conversion
from eagerflow.ops.nn.normalization import moments
from eagerflow.typing import ShapeLike, TensorLike

_ops = _core.ops


class Normalization(PreprocessingLayer):
    """(x - mean) / sqrt(variance), with moments that are arguments or computed by `adapt`.

    Args:
        axis: the axis, or several, that have a mean and variance for each index; None for one
            mean of everything.
        mean: the mean, if it is known.
        variance: the variance, if it is known.
        invert: whether the layer undoes the normalisation.

    Raises:
        ValueError: if only one of mean and variance is passed, or an axis is out of range.

    >>> layer = tf.keras.layers.Normalization()
    >>> layer.adapt(np.array([[1.0], [3.0]]))
    >>> layer(np.array([[1.0], [5.0]])).numpy()
    array([[-1.],
           [ 3.]], dtype=float32)
    """

    _unsaved_arguments = frozenset({"mean", "variance"})

    def __init__(
        self,
        axis: Any = -1,
        mean: object = None,
        variance: object = None,
        invert: bool = False,
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(**kwargs)
        if axis is None:
            self.axis: tuple = ()
        else:
            self.axis = (axis,) if isinstance(axis, int) else tuple(axis)
        for name, value in (("mean", mean), ("variance", variance)):
            if isinstance(value, _core.Variable):
                raise ValueError(
                    f"Normalization does not support passing a Variable for the `{name}` init arg."
                )
        if (mean is not None) != (variance is not None):
            raise ValueError(
                "When setting values directly, both `mean` and `variance` must be set. "
                f"Got mean: {mean} and variance: {variance}"
            )
        self.input_mean = mean
        self.input_variance = variance
        self.invert = invert

    def build(self, input_shape: ShapeLike) -> None:
        if is_shape_list(input_shape):
            raise ValueError(
                "Normalization only accepts a single input. If you are passing a python list or "
                "tuple as a single input, please convert to a numpy array or `tf.Tensor`."
            )
        sizes = sizes_of(input_shape)
        rank = len(sizes)
        if any(not -rank <= axis < rank for axis in self.axis):
            raise ValueError(
                "All `axis` values must be in the range [-ndim, ndim). "
                f"Found ndim: `{rank}`, axis: {self.axis}"
            )
        kept = sorted(axis % rank for axis in self.axis)
        for axis in kept:
            if sizes[axis] is None:
                raise ValueError(
                    "All `axis` values to be kept must have known shape. "
                    f"Got axis: {self.axis}, input shape: {sizes}, with unknown axis at index: "
                    f"{axis}"
                )
        self._reduced = [axis for axis in range(rank) if axis not in kept]
        self._spread = [sizes[axis] if axis in kept else 1 for axis in range(rank)]
        shape = tuple(sizes[axis] for axis in kept)
        if self.input_mean is None:
            for name, start in (("mean", "zeros"), ("variance", "ones")):
                weight = self.add_weight(
                    name=name,
                    shape=shape,
                    dtype=self.compute_dtype,
                    initializer=start,
                    trainable=False,
                )
                setattr(self, f"adapt_{name}", weight)
            self.count = self.add_weight(
                name="count", shape=(), dtype="int64", initializer="zeros", trainable=False
            )
            self._set_moments(self.adapt_mean, self.adapt_variance)
        else:
            ones = np.ones(shape)
            self._set_moments(self.input_mean * ones, self.input_variance * ones)
        Layer.build(self, input_shape)

    adapt_mean: Any
    _deviation: Any
    adapt_variance: Any

    def _set_moments(self, mean: _core.Tensor, variance: TensorLike) -> None:
        dtype = self._compute_dtype_object
        self.mean = conversion.cast(_ops.reshape(mean, self._spread), dtype)
        self.variance = conversion.cast(_ops.reshape(variance, self._spread), dtype)
        spread = _ops.maximum(_ops.sqrt(self.variance), backend.epsilon())
        self.__dict__["_deviation"] = spread

    def update_state(self, data: Any) -> None:
        if self.input_mean is not None:
            raise ValueError(
                "Cannot `adapt` a Normalization layer that is initialized with static `mean` and "
                f"`variance`, you passed mean {self.input_mean} and variance "
                f"{self.input_variance}."
            )
        if not self.built:
            raise RuntimeError("`build` must be called before `update_state`.")
        x = conversion.cast(data, self.adapt_mean.dtype)
        mean, variance = moments(x, self._reduced)
        shape = x._sizes()
        count = math.prod(shape[axis] for axis in self._reduced)
        total = count + int(self.count)
        share = count / total
        both = self.adapt_mean * (1.0 - share) + mean * share
        # Chan et al.: the variance of two sets from those of each.
        spread = (self.adapt_variance + _ops.square(self.adapt_mean - both)) * (1.0 - share)
        spread = spread + (variance + _ops.square(mean - both)) * share
        self.adapt_mean.assign(both)
        self.adapt_variance.assign(spread)
        self.count.assign(total)

    def reset_state(self) -> None:
        if self.input_mean is None and self.built:
            self.adapt_mean.assign(_ops.zeros_like(self.adapt_mean))
            self.adapt_variance.assign(_ops.ones_like(self.adapt_variance))
            self.count.assign(0)

    def finalize_state(self) -> None:
        if self.input_mean is None and self.built:
            self._set_moments(self.adapt_mean, self.adapt_variance)

    def call(self, inputs: Any) -> Any:
        inputs = _core.as_tensor(inputs)
        if inputs.dtype is not self._compute_dtype_object:
            inputs = conversion.cast(inputs, self._compute_dtype_object)
        if self.invert:
            return _ops.add(self.mean, _ops.multiply(inputs, self._deviation))
        return _ops.divide_real(_ops.subtract(inputs, self.mean), self._deviation)

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return input_shape

    def load_own_variables(self, store: Any) -> None:
        """Loads the weights from a file's group."""
        super().load_own_variables(store)
        self.finalize_state()

    def get_config(self) -> Config:
        return super().get_config() | {
            "mean": listed(self.input_mean),
            "variance": listed(self.input_variance),
        }
