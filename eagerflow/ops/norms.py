"""Euclidean norms of values whose squares may overflow or vanish.

A norm is `length / inverse`, where `inverse` is a power of two, 1 for ordinary values. A tensor is
divided by its norm as `tensor * inverse / length`, where neither operand overflows nor vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.typing import Axes

_ops = _core.ops
Tensor = _core.Tensor


class ScaledNorm(NamedTuple):
    """Norms as `length / inverse`, where `inverse` is a power of two."""

    norm: Tensor
    length: Tensor
    inverse: Tensor


def scaled_norm(
    x: Tensor, axis: Axes | None = None, keepdims: bool = False, mean: bool = False
) -> ScaledNorm:
    """The norms over axes, or with `mean` the roots of means of squares.

    Args:
        x: of a floating dtype.
        axis: an axis or a list of axes; all by default.
        keepdims: whether to keep reduced axes with size 1.
        mean: whether to take the mean of the squares, not their sum.

    >>> norm, length, inverse = scaled_norm(tf.constant([3e200, 4e200], tf.float64))
    >>> unit_vector = tf.constant([3e200, 4e200], tf.float64) * inverse / length
    >>> print(f"{float(norm):.6g}", unit_vector.numpy().round(6))
    5e+200 [0.6 0.8]
    """
    wide = _wide(x)
    if axis is None and not keepdims and not mean:
        total = _sum_of_squares(wide)
    else:
        reduce = _ops.reduce_mean if mean else _ops.reduce_sum
        total = reduce(_ops.square(wide), axis=axis, keepdims=keepdims)
    return ScaledNorm(*_ops.scaled_norm(total, [x], axis, keepdims, mean))


def joint_norm(tensors: Sequence[Tensor]) -> ScaledNorm:
    """The norm of all elements of several tensors of one floating dtype.

    >>> joint_norm([tf.constant([3.0]), tf.constant([4.0])]).norm.numpy()
    np.float32(5.0)
    """
    total = _sum_of_squares(_wide(tensors[0]))
    for tensor in tensors[1:]:
        total = total + _sum_of_squares(_wide(tensor))
    return ScaledNorm(*_ops.scaled_norm(total, list(tensors)))


def euclidean_norm(x: Tensor, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The norms over axes of a floating or complex tensor: real, and 0 with the gradient 0 at 0.

    >>> euclidean_norm(tf.constant([3e-30, 4e-30])).numpy()
    np.float32(5e-30)
    """
    return scaled_norm(_ops.abs(x) if x.dtype.is_complex else x, axis, keepdims).norm


def deviation(distance: Tensor, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The roots of the mean squares of distances, real or complex: standard deviations."""
    size = _ops.abs(distance) if distance.dtype.is_complex else distance
    return scaled_norm(size, axis, keepdims, mean=True).norm


def unit(x: Tensor, axis: Axes | None = None, epsilon: float = 0.0) -> Tensor:
    """The tensor divided by its norms over axes, or by `epsilon` where they are smaller.

    >>> unit(tf.constant([3e30, 4e30])).numpy().round(6)
    array([0.6, 0.8], dtype=float32)
    """
    size = _ops.abs(x) if x.dtype.is_complex else x
    if not size.dtype.is_floating:
        _core.convert(epsilon, size.dtype, None)  # a TypeError
    _, length, inverse = scaled_norm(size, axis, keepdims=True)
    length = _ops.maximum(length, inverse * epsilon)
    if x.dtype.size == 2:  # float16 lacks the reciprocals of small values
        return x * inverse / length
    scale = _ops.reciprocal(length)
    if x.dtype.is_complex:
        inverse, scale = (_ops.cast(factor, x.dtype) for factor in (inverse, scale))
    return x * inverse * scale


def clipped(x: Tensor, norms: ScaledNorm, limit: Tensor) -> Tensor:
    """The tensor, scaled so that its norms are the limit where they are larger.

    Args:
        x: the values.
        norms: their norms, which broadcast to their shape.
        limit: of the same dtype, and not negative.
    """
    norm, length, inverse = norms
    is_long = _ops.logical_and(_ops.greater_equal(norm, limit), _ops.greater(length, 0.0))
    scale = _ops.divide_real(limit, _ops.select(is_long, length, _ops.ones_like(length)))
    return _ops.select(is_long, x * inverse * scale, x)


def power_norm(sizes: Tensor, power: float, axis: Axes | None, keepdims: bool) -> Tensor:
    """The roots of sums of powers of absolute values; 0 with the gradient 0 at 0."""
    values = _wide(sizes)
    # Powers of sizes within [1 / most, most] can be summed.
    most = 2.0 ** ((512.0 if values.dtype is dtypes.float64 else 64.0) / power)
    largest = _ops.stop_gradient(_ops.reduce_max(values, axis=axis, keepdims=True))
    inside = _ops.equal(_ops.clip_by_value(largest, 1.0 / most, most), largest)
    usable = _ops.logical_and(_ops.is_finite(largest), _ops.greater(largest, 0.0))
    plain = _ops.logical_or(inside, _ops.logical_not(usable))
    scale = _ops.select(plain, _ops.ones_like(largest), largest)
    total = _ops.reduce_sum(_ops.pow(values / scale, power), axis=axis, keepdims=True)
    zero = _ops.equal(total, 0.0)
    root = _ops.pow(_ops.select(zero, _ops.ones_like(total), total), 1.0 / power)
    norms = _ops.select(zero, _ops.zeros_like(root), root) * scale
    if not keepdims:
        norms = _ops.squeeze(norms, list(range(norms.ndim)) if axis is None else axis)
    return _ops.cast(norms, sizes.dtype)


def _wide(x: Tensor) -> Tensor:
    """The values as float32 if they are 16-bit floats, whose squares need more than 16 bits."""
    return _ops.cast(x, dtypes.float32) if x.dtype.size == 2 else x


def _sum_of_squares(x: Tensor) -> Tensor:
    return _ops.l2_loss(x) * 2.0  # half the sum, in one pass
