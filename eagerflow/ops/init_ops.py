"""The initializers of the root namespace."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import Size, sizes_in
from eagerflow.ops.conversion import constant
from eagerflow.ops.random.stateful import normal, uniform
from eagerflow.ops.random.stateless import stateless_normal, stateless_uniform

_ops = _core.ops
Tensor = _core.Tensor


def _sizes(shape: Any) -> list[Size]:
    if isinstance(shape, Tensor):
        return sizes_in(shape)
    return [int(size) for size in TensorShape(shape).as_list()]  # type: ignore[arg-type]


class Initializer:
    """Returns initial values of variables for a shape and a dtype."""

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        """The values, of that shape and dtype."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments that construct an equal initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer from the arguments that `get_config` returned."""
        config = dict(config)
        config.pop("dtype", None)
        return cls(**config)


def _numeric(dtype: dtypes.DType, what: str) -> dtypes.DType:
    dtype = dtypes.as_dtype(dtypes.float32 if dtype is None else dtype)
    if not dtype.is_numeric and not dtype.is_bool or dtype is dtypes.string:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
    return dtype


class Zeros(Initializer):
    """An initializer that returns zeros.

    >>> tf.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        """Zeros."""
        return _ops.zeros(_sizes(shape), _numeric(dtype, "zeros"))


class Ones(Initializer):
    """An initializer that returns ones.

    >>> tf.ones_initializer()([2]).numpy()
    array([1., 1.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        """Ones."""
        return _ops.ones(_sizes(shape), _numeric(dtype, "ones"))


class Constant(Initializer):
    """An initializer that returns constant values.

    Args:
        value: a scalar, or values that fill the shape.

    Raises:
        TypeError: if the value is none of these, or when called, does not fill the shape.

    >>> tf.constant_initializer(3)([2], tf.int32).numpy()
    array([3, 3], dtype=int32)
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            raise TypeError(
                "Invalid type for initial value. Expected Python scalar, list or tuple of values, "
                f"or numpy.ndarray, got {type(value)}"
            )
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        """The values."""
        kind = None if dtype is None else dtypes.as_dtype(dtype)
        return constant(self.value, kind, _sizes(shape))

    def get_config(self) -> dict[str, Any]:
        """The value."""
        return {"value": self.value}


def _checked_floating(dtype: dtypes.DType) -> dtypes.DType:
    dtype = dtypes.as_dtype(dtypes.float32 if dtype is None else dtype)
    if not dtype.is_floating:
        raise ValueError(f"Argument `dtype` expected to be floating. Received {dtype}.")
    return dtype


class RandomNormal(Initializer):
    """Draws normally distributed values.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        seed: makes every call return the same values.

    >>> tf.random_normal_initializer(stddev=0.1)([3, 2]).shape
    TensorShape([3, 2])
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        """Random values of the shape."""
        dtype, sizes = _checked_floating(dtype), _sizes(shape)
        if self.seed is None:
            return normal(sizes, self.mean, self.stddev, dtype)
        return stateless_normal(sizes, [self.seed, 0], self.mean, self.stddev, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class RandomUniform(Initializer):
    """Draws uniformly distributed values.

    Args:
        minval: the lower bound.
        maxval: the upper bound.
        seed: makes every call return the same values.

    >>> tf.random_uniform_initializer(0.0, 1.0)([3, 2]).shape
    TensorShape([3, 2])
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Tensor:
        """Random values of the shape."""
        dtype, sizes = dtypes.as_dtype(dtype), _sizes(shape)
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(f"Argument `dtype` expected to be numeric. Received {dtype}.")
        if self.seed is None:
            return uniform(sizes, self.minval, self.maxval, dtype)
        return stateless_uniform(sizes, [self.seed, 0], self.minval, self.maxval, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


# Their public names. Files of models have the names of the classes, by which Keras finds its own.
zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_normal_initializer = RandomNormal
random_uniform_initializer = RandomUniform
