"""tensorflow.python.ops.random_ops: the random operation that is not public."""

from __future__ import annotations

from typing import Any

from eagerflow.ops.random.stateful import uniform
from eagerflow.ops.random.truncated_normal import stateless_parameterized_truncated_normal
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

__all__ = ["parameterized_truncated_normal"]


def parameterized_truncated_normal(
    shape: ShapeLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Normal values between bounds, drawn from a stream as those of `tf.random.truncated_normal`.

    TensorFlow's draws other values for the same seed.
    """
    drawn = uniform([2], minval=-(2**31), maxval=2**31 - 1, dtype="int32", seed=seed)
    return stateless_parameterized_truncated_normal(
        shape, drawn, means, stddevs, minvals, maxvals, name=name
    )
