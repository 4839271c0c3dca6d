"""Sums, means and the like along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental.numpy import dtypes
from eagerflow.experimental.numpy.arrays import asarray, promoted_floats


def _keep(keepdims: Any) -> bool:
    return bool(keepdims)


def _wide(a: tf.Tensor, dtype: Any) -> tf.Tensor:
    """The operand of a sum: small integers become int64, as in NumPy."""
    if dtype is not None:
        return tf.cast(a, dtype)
    if a.dtype == tf.bool or (a.dtype.is_integer and not a.dtype.is_unsigned):
        return tf.cast(a, tf.int64)
    return tf.cast(a, tf.uint64) if a.dtype.is_unsigned else a


def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> tf.Tensor:
    """Sums along axes; integers are summed in 64 bits.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])
    """
    return tf.reduce_sum(_wide(asarray(a), dtype), axis, _keep(keepdims))


def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> tf.Tensor:
    """Products along axes; integers are multiplied in 64 bits."""
    return tf.reduce_prod(_wide(asarray(a), dtype), axis, _keep(keepdims))


def _mean_operand(a: Any, dtype: Any) -> tf.Tensor:
    a = asarray(a)
    return tf.cast(a, dtypes.floating(a.dtype) if dtype is None else dtype)


def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None
) -> tf.Tensor:
    """Means along axes; floats for integers."""
    _no_out(out)
    return tf.reduce_mean(_mean_operand(a, dtype), axis, _keep(keepdims))


def _no_out(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported: tensors cannot be written into.")


def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: Any = None,
) -> tf.Tensor:
    """Variances along axes, where `ddof` is taken from the number of elements."""
    _no_out(out)
    a = _mean_operand(a, dtype)
    distance = tf.abs(a - tf.reduce_mean(a, axis, True))
    total = tf.reduce_sum(distance * distance, axis, _keep(keepdims))
    count = np.prod([a.shape[i] for i in _axes(axis, len(a.shape))], dtype=np.int64)
    return total / tf.cast(count - ddof, total.dtype)


def std(a: Any, axis: Any = None, keepdims: Any = None) -> tf.Tensor:
    """Standard deviations along axes."""
    return tf.sqrt(var(a, axis, keepdims=keepdims))


def _axes(axis: Any, rank: int) -> list[int]:
    if axis is None:
        return list(range(rank))
    return [int(i) % rank for i in np.atleast_1d(axis)]


def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> tf.Tensor:
    """The largest elements along axes."""
    _no_out(out)
    a = asarray(a)
    reduce = tf.reduce_any if a.dtype == tf.bool else tf.reduce_max
    return reduce(a, axis, _keep(keepdims))


def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> tf.Tensor:
    """The smallest elements along axes."""
    _no_out(out)
    a = asarray(a)
    reduce = tf.reduce_all if a.dtype == tf.bool else tf.reduce_min
    return reduce(a, axis, _keep(keepdims))


max = amax
min = amin


def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> tf.Tensor:
    """The difference between the largest and the smallest elements."""
    _no_out(out)
    return amax(a, axis, keepdims=keepdims) - amin(a, axis, keepdims=keepdims)


def all(a: Any, axis: Any = None, keepdims: Any = None) -> tf.Tensor:
    """Whether all elements are true."""
    return tf.reduce_all(asarray(a, bool), axis, _keep(keepdims))


def any(a: Any, axis: Any = None, keepdims: Any = None) -> tf.Tensor:
    """Whether an element is true."""
    return tf.reduce_any(asarray(a, bool), axis, _keep(keepdims))


def count_nonzero(a: Any, axis: Any = None) -> tf.Tensor:
    """How many elements are not 0, as int64."""
    return tf.math.count_nonzero(asarray(a), axis)


def _without_nan(reduce: Callable, neutral: float) -> Callable:
    def function(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> tf.Tensor:
        a = asarray(a)
        if a.dtype.is_floating:
            a = tf.where(tf.math.is_nan(a), tf.constant(neutral, a.dtype), a)
        return reduce(a, axis, dtype, keepdims)

    return function


nansum = _without_nan(sum, 0.0)
nansum.__doc__ = "Sums along axes, without NaN."
nanprod = _without_nan(prod, 1.0)
nanprod.__doc__ = "Products along axes, without NaN."


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> tf.Tensor:
    """Means along axes, without NaN."""
    a = _mean_operand(a, dtype)
    counted = tf.cast(tf.logical_not(tf.math.is_nan(a)), a.dtype)
    total = nansum(a, axis, keepdims=keepdims)
    return total / tf.reduce_sum(counted, axis, _keep(keepdims))


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Weighted means, and with `returned` also the sums of the weights.

    >>> float(tf.experimental.numpy.average([3, 4], weights=[1, 3]))
    3.75
    """
    a = asarray(a)
    if weights is None:
        result = mean(a, axis)
        count = a.shape.num_elements() // result.shape.num_elements()
        sums = tf.fill(result.shape.as_list(), tf.cast(count, result.dtype))
    else:
        a, weights = promoted_floats(a, weights)
        if weights.shape != a.shape:
            if axis is None or len(weights.shape) != 1:
                raise ValueError("Axis must be specified when the shapes of a and weights differ.")
            shape = [1] * len(a.shape)
            shape[axis] = -1
            weights = tf.reshape(weights, shape)
        sums = tf.reduce_sum(tf.broadcast_to(weights, a.shape), axis)
        result = tf.reduce_sum(a * weights, axis) / sums
    return (result, sums) if returned else result


def _flat(a: tf.Tensor, axis: Any) -> tuple[tf.Tensor, int]:
    return (tf.reshape(a, [-1]), 0) if axis is None else (a, axis)


def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> tf.Tensor:
    """Running sums along an axis, or over all elements."""
    return tf.cumsum(*_flat(_wide(asarray(a), dtype), axis))


def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> tf.Tensor:
    """Running products along an axis, or over all elements."""
    return tf.math.cumprod(*_flat(_wide(asarray(a), dtype), axis))


def argmax(a: Any, axis: Any = None) -> tf.Tensor:
    """The place of the largest element along an axis, or among all."""
    return tf.argmax(*_flat(_ordered(asarray(a)), axis))


def argmin(a: Any, axis: Any = None) -> tf.Tensor:
    """The place of the smallest element along an axis, or among all."""
    return tf.argmin(*_flat(_ordered(asarray(a)), axis))


def _ordered(a: tf.Tensor) -> tf.Tensor:
    return tf.cast(a, tf.int8) if a.dtype == tf.bool else a


def diff(a: Any, n: int = 1, axis: int = -1) -> tf.Tensor:
    """Differences between neighbours, n times over.

    >>> tf.experimental.numpy.diff([1, 4, 9]).numpy()
    array([3, 5])
    """
    a = asarray(a)
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer. Received: n={n}")
    if not -len(a.shape) <= axis < len(a.shape):
        raise ValueError(f"axis {axis} is out of bounds for an array of rank {len(a.shape)}")
    axis %= len(a.shape)
    for _ in range(n):
        count = a.shape[axis]
        after, before = (
            tf.gather(a, tf.range(start, count - 1 + start), axis=axis) for start in (1, 0)
        )
        a = tf.not_equal(after, before) if a.dtype == tf.bool else after - before
    return a
