"""tensorflow.python.ops.init_ops_v2: initializers of TensorFlow 2 itself, which Keras does not have.

With a seed, every call of one draws the same values; without, the next ones of TensorFlow's stream.
"""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core, linalg
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.initializers import compute_fans
from eagerflow.ops import init_ops
from eagerflow.ops.random.stateful import normal, truncated_normal, uniform
from eagerflow.ops.random.stateless import (
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
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

# The standard deviation of a standard normal distribution that is cut at -2 and 2.
_CUT = 0.87962566103423978


def _floating(dtype: DTypeLike | None) -> dtypes.DType:
    found = dtypes.as_dtype(dtypes.float32 if dtype is None else dtype)
    if not found.is_floating:
        raise ValueError(f"Argument `dtype` expected to be floating. Received {found}.")
    return found


def _sizes(shape: ShapeLike) -> list[int]:
    return [int(size) for size in TensorShape(shape).as_list()]  # type: ignore[arg-type]


class _Drawing(init_ops.Initializer):
    """An initializer that draws values."""

    seed: int | None

    def _normal(self, sizes: list[int], dtype: dtypes.DType, deviation: float = 1.0) -> Any:
        if self.seed is None:
            return normal(sizes, 0.0, deviation, dtype)
        return stateless_normal(sizes, [self.seed, 0], 0.0, deviation, dtype)

    def _cut_normal(
        self, sizes: list[int], dtype: dtypes.DType, mean: float, deviation: float
    ) -> Any:
        if self.seed is None:
            return truncated_normal(sizes, mean, deviation, dtype)
        return stateless_truncated_normal(sizes, [self.seed, 0], mean, deviation, dtype)

    def _uniform(self, sizes: list[int], dtype: dtypes.DType, limit: float) -> Any:
        if self.seed is None:
            return uniform(sizes, -limit, limit, dtype)
        return stateless_uniform(sizes, [self.seed, 0], -limit, limit, dtype)


class TruncatedNormal(_Drawing):
    """Draws from a normal distribution that is cut at two standard deviations.

    Args:
        mean: its mean.
        stddev: its standard deviation.
        seed: makes every call return the same values.

    >>> from eagerflow_compat.internals.initializers_v2 import TruncatedNormal
    >>> TruncatedNormal(seed=1)([2, 3]).shape
    TensorShape([2, 3])
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """The values."""
        return self._cut_normal(_sizes(shape), _floating(dtype), self.mean, self.stddev)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class VarianceScaling(_Drawing):
    """Draws values whose variance is a number divided by how many values a unit reads or feeds.

    Args:
        scale: the number.
        mode: "fan_in", "fan_out" or "fan_avg".
        distribution: "truncated_normal", "untruncated_normal" or "uniform".
        seed: makes every call return the same values.

    Raises:
        ValueError: if `scale` is not positive, or a word is unknown.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: "
                f"{mode}"
            )
        distribution = {"normal": "truncated_normal"}.get(
            distribution.lower(), distribution.lower()
        )
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('uniform', 'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """The values."""
        sizes, kind = _sizes(shape), _floating(dtype)
        read, fed = compute_fans(sizes)
        units = {"fan_in": read, "fan_out": fed, "fan_avg": (read + fed) / 2.0}[self.mode]
        scale = self.scale / max(1.0, units)
        if self.distribution == "truncated_normal":
            return self._cut_normal(sizes, kind, 0.0, math.sqrt(scale) / _CUT)
        if self.distribution == "untruncated_normal":
            return self._normal(sizes, kind, math.sqrt(scale))
        return self._uniform(sizes, kind, math.sqrt(3.0 * scale))

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
        }


class GlorotUniform(VarianceScaling):
    """Uniform values by the mean of what a unit reads and feeds."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed)

    def get_config(self) -> dict[str, Any]:
        """The seed."""
        return {"seed": self.seed}


class GlorotNormal(VarianceScaling):
    """Normal values by the mean of what a unit reads and feeds."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)

    def get_config(self) -> dict[str, Any]:
        """The seed."""
        return {"seed": self.seed}


class Orthogonal(_Drawing):
    """A matrix with orthogonal rows or columns.

    Args:
        gain: what it is multiplied by.
        seed: makes every call return the same values.
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        self.gain, self.seed = gain, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """The values; shapes of more axes are taken for a matrix of the last one's columns."""
        sizes, kind = _sizes(shape), _floating(dtype)
        if len(sizes) < 2:
            raise ValueError(f"The tensor to initialize must be at least two-dimensional: {shape}")
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        drawn = self._normal([max(rows, columns), min(rows, columns)], kind)
        q, r = linalg.qr(drawn, full_matrices=False)
        q *= _core.ops.sign(linalg.diag_part(r))
        if rows < columns:
            q = _core.ops.transpose(q)
        return self.gain * _core.ops.reshape(q, sizes)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {"gain": self.gain, "seed": self.seed}


class Identity(init_ops.Initializer):
    """The identity matrix, multiplied by `gain`."""

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Any:
        """The matrix."""
        sizes, kind = _sizes(shape), _floating(dtype)
        if len(sizes) != 2:
            raise ValueError("The tensor to initialize must be two-dimensional")
        return self.gain * linalg.eye(sizes[0], sizes[1], dtype=kind)

    def get_config(self) -> dict[str, Any]:
        """The factor."""
        return {"gain": self.gain}


glorot_uniform, glorot_normal = GlorotUniform, GlorotNormal


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Normal values by what a unit reads."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform values by what a unit reads."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Normal values by what a unit reads, of twice the variance."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform values by what a unit reads, of twice the variance."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)
