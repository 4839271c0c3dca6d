"""Functions that are undefined somewhere, with gradients that stay finite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.ops.array import broadcast_dynamic_shape
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def where_defined(
    condition: TensorLike, function: Callable[..., Any], x: Any, otherwise: TensorLike = 0
) -> Tensor:
    """A function's values where a condition holds, and others elsewhere, with finite gradients.

    `tf.where(x > 0, tf.math.log(x), 0.0)` has the right values, but NaN gradients: `log` is computed, and
    differentiated, where `x` is 0, and zero times an infinite derivative is NaN. Here the function sees only
    values that the condition allows: elsewhere those of the first element where it holds, or ones if it
    holds nowhere.

    Args:
        condition: booleans, where the function is defined. They broadcast with `x`; if they have fewer axes
            than `x`, they choose slices along the first axes of `x`, and of the result.
        function: a function of each element, or slice, by itself.
        x: the argument of the function, or a tuple of its arguments.
        otherwise: the result elsewhere.

    Returns:
        A tensor of the shape and dtype of what the function returns. Gradients of all orders, also by what
        the function reads from outside, are those of the function where the condition holds.

    >>> x = tf.constant([0.0, 2.0])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.math.where_defined(x > 0, tf.math.log, x)
    >>> tape.gradient(y, x).numpy()
    array([0. , 0.5], dtype=float32)
    """
    several = isinstance(x, tuple)
    values = [_core.as_tensor(part) for part in (x if several else (x,))]
    holds = _core.convert(condition, dtypes.bool, None)
    for value in values:
        holds = _broadcast_with(holds, value)
    result = _core.as_tensor(function(*(_allowed(holds, value) for value in values)))
    elsewhere = _core.convert(otherwise, result.dtype, None)
    return _ops.select(_of_rank(holds, result), result, elsewhere)


def _broadcast_with(holds: Tensor, value: Tensor) -> Tensor:
    """A condition broadcast with an argument, unless that has more axes."""
    if value.ndim is not None and holds.ndim is not None:
        if value.ndim > holds.ndim:
            return holds
        return _ops.logical_or(holds, _ops.zeros_like(value, dtypes.bool))
    own, other = _ops.shape(holds), _ops.shape(value)
    other = other[: _length(other) * _ops.cast(_length(other) <= _length(own), dtypes.int32)]
    return _ops.broadcast_to(holds, broadcast_dynamic_shape(own, other))


def _allowed(holds: Tensor, value: Tensor) -> Tensor:
    """The elements, or slices, where a condition holds, and one of them elsewhere."""
    if value.ndim is None or holds.ndim is None:
        shape = _ops.shape(_of_rank(holds, value))
        value = _ops.broadcast_to(value, broadcast_dynamic_shape(shape, _ops.shape(value)))
    elif value.ndim <= holds.ndim:
        value = _ops.broadcast_to(value, _ops.shape(holds))
    sizes = _ops.shape(value)
    axes = _length(_ops.shape(holds)) if holds.ndim is None else holds.ndim
    count, inner = _ops.reduce_prod(sizes[:axes]), sizes[axes:]
    slices = _ops.reshape(value, _ops.concat([[count], inner], 0))
    flags = _ops.reshape(_ops.cast(holds, dtypes.int32), [-1])
    # An empty tensor has no first slice, and needs none.
    slices = _ops.concat([slices, _ops.ones(_ops.concat([[1], inner], 0), value.dtype)], 0)
    first = _ops.argmax(_ops.concat([flags * 2, [1]], 0), 0)
    return _ops.select(
        _of_rank(holds, value), value, _ops.stop_gradient(_ops.gather(slices, first, 0, 0))
    )


def _of_rank(holds: Tensor, value: Tensor) -> Tensor:
    """A condition with as many axes as a tensor, or more; those that it lacks are the last."""
    if value.ndim is None or holds.ndim is None:
        own, other = _ops.shape(holds), _ops.shape(value)
        missing = _ops.maximum(_length(other) - _length(own), 0)
        ones = _ops.broadcast_to(_core.convert(1, dtypes.int32, None), _ops.reshape(missing, [1]))
        return _ops.reshape(holds, _ops.concat([own, ones], 0))
    for _ in range(value.ndim - holds.ndim):
        holds = _ops.expand_dims(holds, -1)
    return holds


def _length(vector: Tensor) -> Tensor:
    return _ops.shape(vector)[0]
