"""Random arrays: NumPy's functions, with TensorFlow's generators."""

from __future__ import annotations

from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental.numpy import dtypes

_default = dtypes.default_float


def seed(s: Any) -> None:
    """Sets the global seed, as `tf.random.set_seed` does."""
    tf.random.set_seed(int(s))


def _sizes(size: Any) -> list[int]:
    return [] if size is None else np.atleast_1d(size).tolist()


def randn(*args: int) -> tf.Tensor:
    """Standard normal values; the arguments are the shape."""
    return standard_normal(args)


def standard_normal(size: Any = None) -> tf.Tensor:
    """Standard normal values of a shape."""
    return tf.random.normal(_sizes(size), dtype=_default())


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> tf.Tensor:
    """Uniform values between `low` and `high`."""
    low, high = (tf.cast(tf.convert_to_tensor(x), _default()) for x in (low, high))
    if size is None:
        size = np.broadcast_shapes(tuple(low.shape.as_list()), tuple(high.shape.as_list()))
    return tf.random.uniform(_sizes(size), dtype=_default()) * (high - low) + low


def random(size: Any = None) -> tf.Tensor:
    """Uniform values between 0 and 1."""
    return uniform(size=() if size is None else size)


def rand(*size: int) -> tf.Tensor:
    """Uniform values between 0 and 1; the arguments are the shape."""
    return uniform(size=size)


def poisson(lam: Any = 1.0, size: Any = None) -> tf.Tensor:
    """Poisson-distributed counts with the expectation `lam`."""
    lam = tf.convert_to_tensor(lam, tf.float64)
    if size is None:
        return tf.random.poisson([], lam, tf.int64)
    return tf.random.poisson(_sizes(size), lam, tf.int64)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> tf.Tensor:
    """Integers from `low` up to, not including, `high`; from 0 if there is one limit only."""
    low, high = (0, low) if high is None else (low, high)
    result_dtype = tf.as_dtype(np.int64 if dtype is int else dtype)
    drawn = result_dtype if result_dtype in (tf.int32, tf.int64) else tf.int32
    values = tf.random.uniform(_sizes(size), int(low), int(high), drawn)
    return tf.cast(values, result_dtype)
