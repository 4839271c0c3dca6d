"""Windows for short segments of signals."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow._core.ops import bessel_i0e
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import Size, at_least, is_known

_ops = _core.ops
Tensor = _core.Tensor


def _checked(window_length: Any, dtype: Any) -> tuple[Size, dtypes.DType]:
    length = _core.convert(window_length, dtypes.int32, None)
    if length.ndim != 0:
        raise ValueError(f"Shape {length.shape} must have rank 0")
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    known = _core.static_value(length)
    return length if known is None else int(known), dtype


def _or_one(length: Size, window: Tensor) -> Tensor:
    """The window, or a single one where the length turns out to be one."""
    if is_known(length):
        return window
    return _ops.select(_ops.equal(length, 1), _ops.ones_like(window), window)


def _raised_cosine(window_length: Any, periodic: bool, dtype: Any, a: float, b: float) -> Tensor:
    length, dtype = _checked(window_length, dtype)
    if is_known(length) and length == 1:
        return _ops.ones([1], dtype)
    # Windows of odd length are symmetric either way.
    n = length - (length % 2 if periodic else 1)
    count = _ops.cast(_ops.range(0, at_least(length, 0), 1), dtype)
    angle = count * (2 * math.pi) / _ops.cast(n, dtype)
    return _or_one(length, a - b * _ops.cos(angle))


@op_function
def hann_window(
    window_length: Any, periodic: bool = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A Hann window, a raised cosine that begins with zero.

    Args:
        window_length: the number of samples.
        periodic: whether a window of even length lacks its last zero.
        dtype: a floating dtype.

    Raises:
        ValueError: for another dtype, or if the length is not a scalar.

    >>> tf.signal.hann_window(4).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@op_function
def hamming_window(
    window_length: Any, periodic: bool = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A Hamming window, a raised cosine that does not reach zero; see `tf.signal.hann_window`.

    >>> tf.signal.hamming_window(4).numpy().round(2)
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


@op_function
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A Kaiser window.

    Args:
        window_length: the number of samples.
        beta: the shape: the larger, the narrower.
        dtype: a floating dtype.

    Raises:
        ValueError: for another dtype, or if the length is not a scalar.

    >>> tf.signal.kaiser_window(3, beta=0.0).numpy()
    array([1., 1., 1.], dtype=float32)
    """
    length, dtype = _checked(window_length, dtype)
    if is_known(length) and length == 1:
        return _ops.ones([1], dtype)
    exact = dtypes.float64 if dtype is dtypes.float64 else dtypes.float32
    beta = _ops.cast(_core.convert(beta, None, dtypes.float32), exact)
    half = _ops.cast(length - 1, exact) / 2
    place = (_ops.cast(_ops.range(0, at_least(length, 0), 1), exact) - half) / half
    root = beta * _ops.sqrt(_ops.maximum(1 - place * place, _ops.zeros_like(place)))
    window = _ops.exp(root - beta) * bessel_i0e(root) / bessel_i0e(beta)
    return _or_one(length, _ops.cast(window, dtype))


@op_function
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A Kaiser-Bessel-derived window, whose overlapping squares sum to one.

    Args:
        window_length: the number of samples, even.
        beta: the shape of the Kaiser window.
        dtype: a floating dtype.

    >>> tf.signal.kaiser_bessel_derived_window(2).numpy().round(4)
    array([0.7071, 0.7071], dtype=float32)
    """
    length, dtype = _checked(window_length, dtype)
    half = length // 2
    sums = _ops.cumsum(kaiser_window(half + 1, beta, dtype), 0)
    rising = _ops.sqrt(sums[:-1] / sums[-1])
    return _ops.concat([rising, _ops.reverse(rising, [0])], 0)


@op_function
def vorbis_window(
    window_length: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of the Vorbis format, whose overlapping squares sum to one.

    Args:
        window_length: the number of samples.
        dtype: a floating dtype.

    >>> tf.signal.vorbis_window(2).numpy().round(4)
    array([0.7071, 0.7071], dtype=float32)
    """
    length, dtype = _checked(window_length, dtype)
    place = _ops.cast(_ops.range(0, at_least(length, 0), 1), dtype) + 0.5
    wave = _ops.sin(place * (math.pi / _ops.cast(at_least(length, 1), dtype)))
    return _ops.sin((math.pi / 2) * wave * wave)
