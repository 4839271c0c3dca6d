"""Reductions over axes that are composed of native operations."""

from __future__ import annotations

import functools
import math

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import count_of, reshaped, shape_of
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops import norms
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import FLOAT_TYPES, INDEX_TYPES, Input, composed_op
from eagerflow.ops.numpy_ops import on_values
from eagerflow.typing import Axes, DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def least(dtype: DType) -> Tensor:
    """The lower bound of a real dtype: minus infinity, or the least integer."""
    return _core.convert(-math.inf if dtype.is_floating else dtype.min, dtype, None)


@op_function(promotion="weak")
def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """log(sum(exp(x))) over axes, without overflow.

    Args:
        input_tensor: floating.
        axis: an axis or a list of axes; all by default.
        keepdims: whether to keep reduced axes with size 1.

    >>> tf.reduce_logsumexp([1000.0, 0.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=1000.0>
    """
    x = _core.as_tensor(input_tensor)
    largest = _ops.reduce_max(x, axis=axis, keepdims=True)
    with _core.stop_recording():
        shift = _ops.select(_ops.is_finite(largest), largest, _ops.zeros_like(largest))
    total = _ops.reduce_sum(_ops.exp(x - shift), axis=axis, keepdims=keepdims)
    logs = _ops.log(total)
    if not keepdims:
        shift = reshaped(shift, shape_of(logs))
    return logs + shift


@op_function(promotion="weak")
def reduce_variance(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The mean squared distance from the mean, over axes.

    Args:
        input_tensor: floating or complex; the result is real.
        axis: an axis or a list of axes; all by default.
        keepdims: whether to keep reduced axes with size 1.

    Raises:
        TypeError: for integers.

    >>> tf.math.reduce_variance([1.0, 2.0, 3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=1.25>
    """
    x = _core.as_tensor(input_tensor)
    mean = _ops.reduce_mean(x, axis=axis, keepdims=True)
    if mean.dtype.is_integer:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {mean.dtype}."
        )
    distance = x - mean
    if distance.dtype.is_complex:
        squares = _ops.real(_ops.multiply(_ops.conj(distance), distance))
    else:
        squares = _ops.square(distance)
    return _ops.reduce_mean(squares, axis=axis, keepdims=keepdims)


@op_function(promotion="weak")
def reduce_std(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The square root of `tf.math.reduce_variance`.

    >>> tf.math.reduce_std([1.0, 3.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=1.0>
    """
    x = _core.as_tensor(input_tensor)
    distance = x - _ops.reduce_mean(x, axis=axis, keepdims=True)
    if distance.dtype.is_integer:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {distance.dtype}."
        )
    return norms.deviation(distance, axis, keepdims)


@op_function(promotion="weak")
def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The square root of the sum of squares, over axes; the dtype is kept.

    >>> tf.math.reduce_euclidean_norm([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    x = _core.as_tensor(input_tensor)
    dtype = x.dtype
    if dtype.is_integer:
        x = _ops.cast(x, dtypes.float64)
    norm = norms.euclidean_norm(x, axis, keepdims)
    return norm if norm.dtype is dtype else _ops.cast(norm, dtype)


@op_function
def count_nonzero(
    input: TensorLike,
    axis: Axes | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The number of elements that are not zero (or the empty string), over axes.

    >>> tf.math.count_nonzero([1, 0, 2])
    <tf.Tensor: shape=(), dtype=int64, numpy=2>
    """
    x = _core.as_tensor(input)
    if not _core.is_symbolic(x) and x._size > _MANY_COUNTED and max(x._shape_tuple()) > 2:
        return _counted_in_pieces(x, axis, bool(keepdims), dtype)
    zero = _core.as_tensor(b"" if x.dtype is dtypes.string else 0)
    if x.dtype is dtypes.bool:
        nonzero = x
    else:
        nonzero = _ops.not_equal(x, zero if x.dtype is dtypes.string else _ops.cast(zero, x.dtype))
    counts = _ops.reduce_sum(_ops.cast(nonzero, dtypes.int64), axis=axis, keepdims=bool(keepdims))
    return _ops.cast(counts, dtype)


# Elements above which a tensor is counted in pieces, since the flags of all as int64 are large.
_MANY_COUNTED = 1 << 24


def _counted_in_pieces(x: Tensor, axis: Axes | None, keepdims: bool, dtype: DTypeLike) -> Tensor:
    """`count_nonzero` of a large tensor, whose longest axis has more than two indices."""
    sizes = x._shape_tuple()
    longest = sizes.index(max(sizes))
    length = max(2, _MANY_COUNTED * sizes[longest] // x._size)
    parts = [length] * (sizes[longest] // length)
    parts += [sizes[longest] % length] if sizes[longest] % length else []
    pieces = []
    begin = [0] * len(sizes)
    for part in parts:
        piece = _ops.slice(x, begin, [*sizes[:longest], part, *sizes[longest + 1 :]])
        pieces.append(count_nonzero(piece, axis, True, dtype))
        begin[longest] += part
    if pieces[0]._shape_tuple()[longest] == 1:
        total = functools.reduce(_ops.add, pieces)
    else:
        total = _ops.concat(pieces, longest)
    return total if keepdims else _ops.squeeze(total, axis)


@op_function
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The fraction of elements that are zero, a float32 scalar.

    >>> tf.math.zero_fraction([1, 0, 0, 2])
    <tf.Tensor: shape=(), dtype=float32, numpy=0.5>
    """
    value = _core.as_tensor(value)
    size = _ops.cast(count_of(value), dtypes.int64)
    zeros = _ops.cast(size - count_nonzero(value), dtypes.float32)
    return _ops.divide_real(zeros, _ops.cast(size, dtypes.float32))


@composed_op(
    "CumulativeLogsumexp",
    checked_first=True,
    x=Input(FLOAT_TYPES),
    axis=Input(INDEX_TYPES, type="Tidx", prefer="int32"),
)
def cumulative_logsumexp(
    x: TensorLike,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """log(cumsum(exp(x))) along an axis, without overflow.

    >>> tf.math.cumulative_logsumexp([0.0, 0.0]).numpy()
    array([0.       , 0.6931472], dtype=float32)
    """
    x = _core.as_tensor(x)
    sizes = x._shape_tuple()
    if sizes is None or (-len(sizes) <= axis < len(sizes) and sizes[axis] is None):
        spec = TensorSpec(x.shape, x.dtype)
        return on_values(cumulative_logsumexp, [x], [spec], axis, exclusive, reverse)[0]
    if not -x.ndim <= axis < x.ndim:
        raise invalid_argument(
            f"ScanOp: Expected scan axis in the range [{-x.ndim}, {x.ndim}), but got {axis} "
            "[Op:CumulativeLogsumexp]"
        )
    if reverse:
        x = _ops.reverse(x, [axis])
    size = sizes[axis]
    if exclusive and size:
        x = _shifted(x, axis, 1)
    # Prefix sums by log2(size) steps, which add the elements 1, 2, 4, ... positions before.
    distance = 1
    while distance < size:
        x = log_of_sum(_shifted(x, axis, distance), x)
        distance *= 2
    return _ops.reverse(x, [axis]) if reverse else x


def _shifted(x: Tensor, axis: int, distance: int) -> Tensor:
    """The elements moved towards the end of an axis; the logarithms of 0 fill the gaps."""
    rank = len(x._sizes())
    axis %= rank
    kept = [slice(None)] * axis + [slice(None, -distance)]
    pads = [0] * (2 * rank)
    pads[2 * axis] = distance
    return _ops.pad(x[tuple(kept)], pads, constant_values=-math.inf)


def log_of_sum(a: Tensor, b: Tensor, base: float = math.e) -> Tensor:
    """The logarithm of base ** a + base ** b, whose derivatives are also right where a equals b.

    It is the larger operand plus the softplus of the difference. `maximum` is avoided, as its slope
    differs at equal operands. Equal infinities have no difference.
    """
    first = _ops.greater_equal(a, b)
    larger, smaller = _ops.select(first, a, b), _ops.select(first, b, a)
    same = _ops.logical_and(_ops.is_inf(a), _ops.equal(a, b))
    zero = _ops.zeros_like(larger)
    difference = _ops.select(same, zero, smaller) - _ops.select(same, zero, larger)
    if base == math.e:
        return larger + _ops.softplus(difference)
    scale = math.log(base)
    return larger + _ops.softplus(difference * scale) / scale
