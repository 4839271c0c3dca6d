"""tensorflow.python.ops.init_ops_v2: initializers of TensorFlow 2 itself.

They are Keras's but for values without a seed: every call draws the next ones of TensorFlow's stream.
"""

from __future__ import annotations

import functools
from typing import Any

from eagerflow.framework import dtypes
from eagerflow.keras import initializers
from eagerflow.keras.random_generator import RandomGenerator
from eagerflow.typing import DTypeLike, ShapeLike

__all__ = [
    "GlorotNormal",
    "GlorotUniform",
    "Identity",
    "Orthogonal",
    "TruncatedNormal",
    "VarianceScaling",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "lecun_normal",
    "lecun_uniform",
]


class _OfTensorFlow(initializers.Initializer):
    def _generator_for(self, seed: int | None) -> RandomGenerator:
        return (
            RandomGenerator(seed, "legacy_stateful")
            if seed is None
            else super()._generator_for(seed)
        )

    def _warn_reuse(self) -> None:
        """Does nothing: calls without a seed differ."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """The values; of float32 without a dtype, whatever Keras's float type is."""
        return super().__call__(shape, dtypes.float32 if dtype is None else dtype)


class TruncatedNormal(_OfTensorFlow, initializers.TruncatedNormal):
    """Normal values that are cut at two standard deviations."""


class VarianceScaling(_OfTensorFlow, initializers.VarianceScaling):
    """Values whose variance depends on how many a unit reads or feeds."""


class GlorotUniform(_OfTensorFlow, initializers.GlorotUniform):
    """Uniform values by the mean of what a unit reads and feeds."""


class GlorotNormal(_OfTensorFlow, initializers.GlorotNormal):
    """Normal values by the mean of what a unit reads and feeds."""


class Orthogonal(_OfTensorFlow, initializers.Orthogonal):
    """A matrix with orthogonal rows or columns."""


class Identity(_OfTensorFlow, initializers.Identity):
    """The identity matrix, multiplied by a factor."""


glorot_uniform, glorot_normal = GlorotUniform, GlorotNormal
lecun_normal = functools.partial(VarianceScaling, 1.0, "fan_in", "truncated_normal")
lecun_uniform = functools.partial(VarianceScaling, 1.0, "fan_in", "uniform")
he_normal = functools.partial(VarianceScaling, 2.0, "fan_in", "truncated_normal")
he_uniform = functools.partial(VarianceScaling, 2.0, "fan_in", "uniform")
