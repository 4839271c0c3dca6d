"""Sums, means and the like along axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import is_weak
from eagerflow.ops import conversion, norms
from eagerflow.ops.numpy_functions.rules import Rules, axes_of, keeps_weakness
from eagerflow.ops.numpy_functions.shapes import move_axis
from eagerflow.typing import Axes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def sum(
    rules: Rules, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = False
) -> Tensor:
    """Sums along axes; small integers are summed in a wider dtype.

    >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])
    """
    return _ops.reduce_sum(_wide(rules, x, dtype), axis=axis, keepdims=bool(keepdims))


def prod(
    rules: Rules, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = False
) -> Tensor:
    """Products along axes; small integers are multiplied in a wider dtype."""
    return _ops.reduce_prod(_wide(rules, x, dtype), axis=axis, keepdims=bool(keepdims))


def _wide(rules: Rules, x: Tensor, dtype: Any) -> Tensor:
    x = rules.tensor(x)
    if dtype is None:
        dtype = rules.sum_dtype(x.dtype)
        return x if x.dtype is dtype else _ops.cast(x, dtype)
    return conversion.cast(x, dtype)


def _averaged(rules: Rules, x: Tensor, dtype: Any) -> Tensor:
    x = rules.tensor(x)
    return rules.as_floating(x) if dtype is None else conversion.cast(x, dtype)


def mean(
    rules: Rules, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = False
) -> Tensor:
    """Means along axes, as floats."""
    return _ops.reduce_mean(_averaged(rules, x, dtype), axis=axis, keepdims=bool(keepdims))


def var(
    rules: Rules,
    x: Any,
    axis: Axes | None = None,
    dtype: dtypes.DType | None = None,
    ddof: int = 0,
    keepdims: bool | None = False,
) -> Tensor:
    """Variances along axes; `ddof` is subtracted from the number of elements."""
    x = _averaged(rules, x, dtype)
    distance = x - _ops.reduce_mean(x, axis=axis, keepdims=True)
    squares = _ops.square(_ops.abs(distance) if x.dtype.is_complex else distance)
    if not ddof:
        return _ops.reduce_mean(squares, axis=axis, keepdims=bool(keepdims))
    count = math.prod(x._shape_tuple()[k] for k in axes_of(axis, x.ndim))
    total = _ops.reduce_sum(squares, axis=axis, keepdims=bool(keepdims))
    return total / _ops.cast(count - ddof, total.dtype)


def std(rules: Rules, x: Any, axis: Any = None, keepdims: bool | None = False) -> Tensor:
    """Standard deviations along axes."""
    x = _averaged(rules, x, None)
    distance = x - _ops.reduce_mean(x, axis=axis, keepdims=True)
    result = norms.deviation(distance, axis, bool(keepdims))
    return _core.weakened(result) if is_weak(distance) else result


def _extreme(
    reduce: Callable[..., Tensor], combine: Callable[..., Tensor], doc: str
) -> Callable[..., Tensor]:
    def body(
        rules: Rules,
        x: Tensor,
        axis: Axes | None = None,
        keepdims: bool | None = False,
        initial: TensorLike | None = None,
    ) -> Tensor:
        x = rules.tensor(x)
        values = _ops.cast(x, dtypes.int32) if x.dtype.is_bool else x
        result = reduce(values, axis=axis, keepdims=bool(keepdims))
        if values is not x:
            result = _ops.cast(result, x.dtype)
        return result if initial is None else combine(result, rules.tensor(initial, x.dtype))

    body.__doc__ = doc
    return body


amax = max = _extreme(_ops.reduce_max, _ops.maximum, "The largest elements along axes.")
amin = min = _extreme(_ops.reduce_min, _ops.minimum, "The smallest elements along axes.")


def ptp(rules: Rules, x: TensorLike, axis: Any = None, keepdims: bool | None = False) -> Tensor:
    """The differences between the largest and the smallest elements along axes."""
    return amax(rules, x, axis, keepdims) - amin(rules, x, axis, keepdims)


def all(rules: Rules, x: TensorLike, axis: Any = None, keepdims: bool | None = False) -> Tensor:
    """Whether all elements along axes are true."""
    return _ops.reduce_all(rules.truth(x), axis=axis, keepdims=bool(keepdims))


def any(rules: Rules, x: TensorLike, axis: Any = None, keepdims: bool | None = False) -> Tensor:
    """Whether an element along axes is true."""
    return _ops.reduce_any(rules.truth(x), axis=axis, keepdims=bool(keepdims))


def count_nonzero(rules: Rules, x: TensorLike, axis: Axes | None = None) -> Tensor:
    """The counts of elements along axes that are not zero."""
    return _ops.reduce_sum(_ops.cast(rules.truth(x), rules.index_dtype), axis=axis)


def _index_of(operation: Callable[..., Tensor], doc: str) -> Callable[..., Tensor]:
    def body(rules: Rules, x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
        x = rules.tensor(x)
        rank = x.ndim
        if x.dtype.is_bool:
            x = _ops.cast(x, dtypes.int32)
        if axis is None:
            index = _ops.cast(operation(_ops.reshape(x, [-1]), axis=0), rules.index_dtype)
            return _ops.reshape(index, [1] * rank) if keepdims else index
        index = _ops.cast(operation(x, axis=axis), rules.index_dtype)
        return _ops.expand_dims(index, axis) if keepdims else index

    body.__doc__ = doc
    return body


argmax = _index_of(_ops.argmax, "The indices of the largest elements along an axis, or of all.")
argmin = _index_of(_ops.argmin, "The indices of the smallest elements along an axis, or of all.")


def _cumulative(operation: Callable[..., Tensor], doc: str) -> Callable[..., Tensor]:
    def body(rules: Rules, x: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
        x = rules.tensor(x)
        x = conversion.cast(x, rules.cumulative_dtype(x.dtype) if dtype is None else dtype)
        return operation(_ops.reshape(x, [-1]), 0) if axis is None else operation(x, axis)

    body.__doc__ = doc
    return keeps_weakness(body)


cumsum = _cumulative(_ops.cumsum, "Cumulative sums along an axis, or over all elements.")
cumprod = _cumulative(_ops.cumprod, "Cumulative products along an axis, or over all elements.")


def average(
    rules: Rules, x: TensorLike, axis: Any = None, weights: Any = None, returned: bool = False
) -> Any:
    """Weighted means along axes.

    Args:
        x: the values.
        axis: an axis or several, by default all.
        weights: of the shape of `x`, or a vector of weights along the axis; by default ones.
        returned: whether to return the sums of the weights, too.

    >>> float(tf.experimental.numpy.average([3, 4], weights=[1, 3]))
    3.75
    """
    if weights is None:
        x = rules.floating(x)
        total, weights = x, _ops.ones_like(x)
        result = _ops.reduce_mean(x, axis=axis)
        return (result, _ops.reduce_sum(weights, axis=axis)) if returned else result
    x, weights = rules.floats(x, weights)
    if weights.ndim == 1 and x.ndim > 1 and axis is not None:
        shape = [1] * x.ndim
        shape[axis] = -1
        weights = _ops.reshape(weights, shape)
    total = _ops.reduce_sum(weights + _ops.zeros_like(x), axis=axis)
    result = _ops.divide_real(_ops.reduce_sum(x * weights, axis=axis), total)
    return (result, total) if returned else result


def _without_nan(reduce: Callable[..., Tensor], neutral: float, doc: str) -> Callable[..., Tensor]:
    def body(
        rules: Rules, x: Tensor, axis: Any = None, dtype: Any = None, keepdims: bool | None = False
    ) -> Tensor:
        return reduce(rules, nan_as(rules.tensor(x), neutral), axis, dtype, keepdims)

    body.__doc__ = doc
    return body


def nan_as(x: Tensor, value: float) -> Tensor:
    """The tensor with NaN replaced by a value."""
    if not x.dtype.is_floating:
        return x
    return _ops.select(_ops.is_nan(x), _core.convert(value, x.dtype, None), x)


nansum = _without_nan(sum, 0.0, "Sums along axes, without NaN.")
nanprod = _without_nan(prod, 1.0, "Products along axes, without NaN.")


@keeps_weakness
def nanmean(
    rules: Rules, x: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = False
) -> Tensor:
    """Means along axes, without NaN."""
    x = _averaged(rules, x, dtype)
    counted = _ops.cast(_ops.equal(x, x), x.dtype)
    count = _ops.reduce_sum(counted, axis=axis, keepdims=bool(keepdims))
    return _ops.divide_real(nansum(rules, x, axis, keepdims=keepdims), count)


@keeps_weakness
def diff(rules: Rules, x: TensorLike, n: int = 1, axis: int = -1) -> Tensor:
    """Differences of neighbours along an axis, taken n times.

    Raises:
        ValueError: for a negative n, or an axis out of range.

    >>> tf.experimental.numpy.diff([1, 4, 9]).numpy()
    array([3, 5])
    """
    x = rules.tensor(x)
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer. Received: n={n}")
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis {axis} is out of bounds for an array of rank {x.ndim}")
    x = move_axis(x, axis, -1)
    subtract = _ops.not_equal if x.dtype.is_bool else _ops.subtract
    for _ in range(n):
        x = subtract(x[..., 1:], x[..., :-1])
    return move_axis(x, -1, axis)
