"""Version 1's initializers by the names of their inventors, and those of `tf.contrib.layers`."""

from __future__ import annotations

from eagerflow.framework import dtypes
from eagerflow.keras import legacy_initializers
from eagerflow.keras.legacy_initializers import VarianceScaling
from eagerflow.typing import DTypeLike


class _NarrowNormal:
    def __init__(
        self,
        mean: float = 0.0,
        stddev: float = 0.05,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)  # type: ignore[call-arg]


class RandomNormal(_NarrowNormal, legacy_initializers.RandomNormal):  # type: ignore[misc]
    """Normal random values, with the narrow default of Keras."""


class TruncatedNormal(_NarrowNormal, legacy_initializers.TruncatedNormal):  # type: ignore[misc]
    """Normal random values within two standard deviations, with the narrow default of Keras."""


class RandomUniform(legacy_initializers.RandomUniform):
    """Uniform random values in [minval, maxval), with the narrow default of Keras."""

    def __init__(
        self,
        minval: float = -0.05,
        maxval: float = 0.05,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ) -> None:
        super().__init__(minval, maxval, seed, dtype)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Normal random values of He's variance."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform random values of He's variance."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Normal random values of LeCun's variance."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform random values of LeCun's variance."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: DTypeLike = dtypes.float32
) -> VarianceScaling:
    """Random values of Glorot and Bengio's variance; `tf.contrib.layers`' name for them."""
    distribution = "uniform" if uniform else "truncated_normal"
    return VarianceScaling(1.0, "fan_avg", distribution, seed, dtype)


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: DTypeLike = dtypes.float32,
) -> VarianceScaling:
    """Random values whose variance fits the shape, as `tf.contrib.layers` has it."""
    distribution = "uniform" if uniform else "truncated_normal"
    return VarianceScaling(factor, mode.lower(), distribution, seed, dtype)
