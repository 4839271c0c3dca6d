"""Version 1's initializers by the names of their inventors, and those of `tf.contrib.layers`."""

from __future__ import annotations

from eagerflow.framework import dtypes
from eagerflow.keras.legacy_initializers import VarianceScaling
from eagerflow.typing import DTypeLike


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
