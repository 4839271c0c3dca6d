"""Arithmetic on hyperparameters: floats eagerly, float64 scalars while a function is traced."""

from __future__ import annotations

import functools
import math
import struct
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_FLOAT32 = struct.Struct("f")


def number(value: Any) -> Any:
    """A float, or a float64 scalar if a graph computes the value."""
    if type(value) is float:
        return value
    if _core.building() is None or isinstance(value, int):
        return float(value)
    return _ops.cast(value, dtypes.float64)


def whole(value: _core.Variable) -> Any:
    """An integer, or a float64 scalar if a graph computes the value."""
    return int(value) if _core.building() is None else number(value)


def to_float32(value: TensorLike) -> float | Tensor:
    """The nearest float32: TensorFlow computes with hyperparameters in the variables' dtype."""
    if isinstance(value, Tensor):
        return _ops.cast(_ops.cast(value, dtypes.float32), dtypes.float64)
    return _FLOAT32.unpack(_FLOAT32.pack(value))[0]


_cached = functools.lru_cache(to_float32)


def cached_float32(value: object) -> float | Tensor:
    """Like `to_float32`, with a cache for Python scalars."""
    # Checking two types separately is ten times as fast as a union, which each call would create.
    if type(value) is float or isinstance(value, int):
        return _cached(value)
    return to_float32(number(value))


def float32_power(base: Any, exponent: Any) -> float | Tensor:
    """`base ** exponent` as TensorFlow computes it for variables of float32."""
    result = (_cached(base) if type(base) is float else cached_float32(base)) ** exponent
    return (
        _FLOAT32.unpack(_FLOAT32.pack(result))[0] if type(result) is float else to_float32(result)
    )


def sqrt(value: Any) -> Any:
    """The square root."""
    return _ops.sqrt(value) if isinstance(value, Tensor) else math.sqrt(value)


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`."""
    if isinstance(base, Tensor) or isinstance(exponent, Tensor):
        return _ops.pow(
            _core.convert(base, dtypes.float64), _core.convert(exponent, dtypes.float64)
        )
    return math.pow(base, exponent)


def smaller(one: Any, other: Any) -> Any:
    """The smaller of two numbers."""
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return _ops.minimum(one, other)
    return min(one, other)


def larger(one: Any, other: Any) -> Any:
    """The larger of two numbers."""
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return _ops.maximum(one, other)
    return max(one, other)


def of_dtype(value: object, dtype: dtypes.DType) -> Any:
    """A scalar for operations with tensors of a dtype: tensors are cast."""
    return _ops.cast(value, dtype) if isinstance(value, Tensor) else value


def is_symbolic(value: object) -> bool:
    """Whether a graph computes the scalar."""
    return isinstance(value, Tensor)
