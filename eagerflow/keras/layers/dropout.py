"""Dropout and noise: layers that change their input at random while a model is trained."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.keras import backend
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.calls.training_mode import by_training
from eagerflow.keras.layers.arguments import data_format_of
from eagerflow.keras.layers.random_layer import BaseRandomLayer
from eagerflow.keras.typing import Config, LayerOptions, Unpack
from eagerflow.typing import ShapeLike

_ops = _core.ops
_Tensor = _core.Tensor


class _Noise(BaseRandomLayer):
    """A layer that returns its input, except in training."""

    def __init__(self, seed: int | None = None, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(seed=seed, **kwargs)
        self.seed = seed
        self.supports_masking = True

    def call(self, inputs: _Tensor, training: bool | _Tensor | None = None) -> _Tensor:
        if training is None:
            training = backend.learning_phase()
        if isinstance(training, _Tensor):
            return by_training(training, lambda on: self._changed(inputs) if on else inputs)
        return self._changed(inputs) if training else inputs

    def _changed(self, inputs: _Tensor) -> Any:
        raise NotImplementedError

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return input_shape


def _checked_rate(rate: float, name: str = "rate") -> float:
    if isinstance(rate, int | float) and not 0 <= rate <= 1:
        raise ValueError(
            f"Invalid value {rate} received for `{name}`, expected a value between 0 and 1."
        )
    return rate


class Dropout(_Noise):
    """Sets elements to zero at random and scales the others up by 1 / (1 - rate), in training.

    Args:
        rate: the share of elements that become zero.
        noise_shape: the shape of the random choices, which broadcasts with the input.
        seed: the random seed.

    Raises:
        ValueError: if the rate is outside 0 and 1.

    >>> y = tf.keras.layers.Dropout(0.5)(tf.ones([100]), training=True)
    >>> sorted(set(y.numpy().tolist()))
    [0.0, 2.0]
    """

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        self.rate = _checked_rate(rate)
        self.noise_shape = noise_shape

    def _get_noise_shape(self, inputs: _Tensor) -> Any:
        if self.noise_shape is None:
            return None
        shape = inputs._sizes()
        return [shape[axis] if size is None else size for axis, size in enumerate(self.noise_shape)]

    def _changed(self, inputs: _Tensor) -> _Tensor:
        if not isinstance(self.rate, _core.Tensor) and self.rate == 0:
            return inputs
        return self._random_generator.dropout(
            inputs, self.rate, noise_shape=self._get_noise_shape(inputs)
        )


class _SpatialDropout(Dropout):
    """Dropout of entire feature maps."""

    _unsaved_arguments = frozenset({"data_format"})

    _spatial: int

    def __init__(self, rate: float, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=self._spatial + 2)

    def _get_noise_shape(self, inputs: _Tensor) -> list[int]:
        shape = inputs._sizes()
        ones = [1] * self._spatial
        if self.data_format == "channels_first":
            return [*shape[:2], *ones]
        return [shape[0], *ones, shape[-1]]

    def get_config(self) -> Config:
        return super().get_config() | {"noise_shape": self.noise_shape, "seed": self.seed}


class SpatialDropout1D(_SpatialDropout):
    """Dropout of entire channels of sequences `[batch, length, channels]`.

    Args:
        rate: the share of channels that become zero.
        **kwargs: `seed`, `name`, `dtype`, …

    >>> y = tf.keras.layers.SpatialDropout1D(0.5)(tf.ones([2, 3, 4]), training=True)
    >>> bool(tf.reduce_all(y[:, 0] == y[:, 2]))
    True
    """

    _spatial = 1

    def __init__(self, rate: float, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(rate, data_format="channels_last", **kwargs)


class SpatialDropout2D(_SpatialDropout):
    """Dropout of entire channels of images.

    Args:
        rate: the share of channels that become zero.
        **kwargs: `seed`, `name`, `dtype`, …

    >>> tf.keras.layers.SpatialDropout2D(0.5)(tf.ones([2, 3, 3, 4]), training=True).shape
    TensorShape([2, 3, 3, 4])
    """

    _spatial = 2


class SpatialDropout3D(_SpatialDropout):
    """Dropout of entire channels of volumes.

    Args:
        rate: the share of channels that become zero.
        **kwargs: `seed`, `name`, `dtype`, …

    >>> tf.keras.layers.SpatialDropout3D(0.5)(tf.ones([2, 3, 3, 3, 4]), training=True).shape
    TensorShape([2, 3, 3, 3, 4])
    """

    _spatial = 3


class GaussianNoise(_Noise):
    """Adds Gaussian noise, in training.

    Args:
        stddev: their standard deviation.
        seed: the random seed.

    >>> tf.keras.layers.GaussianNoise(0.1)(tf.ones([2, 3]), training=True).shape
    TensorShape([2, 3])
    """

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self.stddev = stddev

    def _changed(self, inputs: _Tensor) -> _Tensor:
        noise = self._random_generator.random_normal(
            inputs._sizes(), mean=0.0, stddev=self.stddev, dtype=inputs.dtype
        )
        return _ops.add(inputs, noise)


class GaussianDropout(_Noise):
    """Multiplies by Gaussian noise of mean one, in training.

    Args:
        rate: their standard deviation is sqrt(rate / (1 - rate)).
        seed: the random seed.

    >>> tf.keras.layers.GaussianDropout(0.1)(tf.ones([2, 3]), training=True).shape
    TensorShape([2, 3])
    """

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self.rate = rate

    def _changed(self, inputs: _Tensor) -> _Tensor:
        if not 0 < self.rate < 1:
            return inputs
        noise = self._random_generator.random_normal(
            inputs._sizes(),
            mean=1.0,
            stddev=math.sqrt(self.rate / (1.0 - self.rate)),
            dtype=inputs.dtype,
        )
        return _ops.multiply(inputs, noise)


# The value that SELU approaches for large negative inputs: -scale * alpha.
_SELU_LOW = -1.7580993408473766


class AlphaDropout(_Noise):
    """Dropout that keeps the mean and variance of self-normalizing networks (Klambauer, 2017).

    Args:
        rate: the share of elements that are set to SELU's lower bound.
        noise_shape: the shape of the random choices, which broadcasts with the input.
        seed: the random seed.

    >>> tf.keras.layers.AlphaDropout(0.1)(tf.ones([2, 3]), training=True).shape
    TensorShape([2, 3])
    """

    _unsaved_arguments = frozenset({"noise_shape"})

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape

    def _changed(self, inputs: _Tensor) -> _Tensor:
        if not 0.0 < self.rate < 1.0:
            return inputs
        shape = inputs._sizes() if self.noise_shape is None else self.noise_shape
        noise = self._random_generator.random_uniform(shape)
        keep = _ops.cast(_ops.greater_equal(noise, self.rate), inputs.dtype)
        scale = ((1 - self.rate) * (1 + self.rate * _SELU_LOW**2)) ** -0.5
        shift = -scale * _SELU_LOW * self.rate
        low = _ops.multiply(_ops.subtract(1.0, keep), _SELU_LOW)
        mixed = _ops.add(_ops.multiply(inputs, keep), low)
        return _ops.add(_ops.multiply(mixed, scale), shift)
