"""Isotonic regression, and approximate top-k searches, which are exact here."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.ops.numpy_ops import array_of, differentiable

_ops = _core.ops
Tensor = _core.Tensor

IsotonicRegression = namedtuple("IsotonicRegression", ["output", "segments"])
ApproxTopK = namedtuple("ApproxTopK", ["values", "indices"])


def _falling(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The closest non-increasing row, and the level index of each element.

    Increasing neighbours are pooled into their mean until none are left.
    """
    means: list[float] = []
    sizes: list[int] = []
    for value in row.tolist():
        means.append(value)
        sizes.append(1)
        while len(means) > 1 and means[-2] <= means[-1] and means[-2] != means[-1]:
            size = sizes[-2] + sizes[-1]
            mean = (means[-2] * sizes[-2] + means[-1] * sizes[-1]) / size
            del means[-1], sizes[-1]
            means[-1], sizes[-1] = mean, size
    return np.repeat(means, sizes), np.repeat(np.arange(len(sizes)), sizes)


def _specs(inputs: Any, decreasing: bool = True, axis: int = -1) -> IsotonicRegression:
    x = _core.as_tensor(inputs)
    dtype = x.dtype
    if not dtype.is_floating:
        dtype = dtypes.float32 if dtype.size <= 2 else dtypes.float64
    return IsotonicRegression(TensorSpec(x.shape, dtype), TensorSpec(x.shape, dtypes.int32))


@op_function(in_graph=on_host(_specs))
def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> IsotonicRegression:
    """The closest values, by squared distance, that decrease (or increase) monotonically along an axis.

    Args:
        inputs: real values.
        decreasing: whether the result decreases or increases.
        axis: the axis.

    Returns:
        A pair `(output, segments)`: the values, and int32 level indices.

    >>> output, segments = tf.nn.isotonic_regression(tf.constant([3.0, 1.0, 2.0]))
    >>> output.numpy(), segments.numpy()
    (array([3. , 1.5, 1.5], dtype=float32), array([0, 1, 1], dtype=int32))
    """
    x = _core.as_tensor(inputs)
    if x.dtype.is_complex:
        raise invalid_argument(f"inputs must be real, got {x.dtype.name} [Op:IsotonicRegression]")
    if x.ndim == 0:
        y, segments = isotonic_regression(_ops.reshape(x, [1]), decreasing)
        return IsotonicRegression(_ops.reshape(y, []), _ops.reshape(segments, []))
    if not -x.ndim <= axis < x.ndim:
        raise invalid_argument(f"axis {axis} is out of range for inputs of rank {x.ndim}")
    if not x.dtype.is_floating:
        narrow = x.dtype.size <= 2
        x = _ops.cast(x, dtypes.float32 if narrow else dtypes.float64)
    array = np.moveaxis(array_of(x, "IsotonicRegression").astype(np.float64), axis, -1)
    size = array.shape[-1]
    flat = array.reshape(math.prod(array.shape[:-1]), size)
    output, levels = np.zeros(flat.shape), np.zeros(flat.shape, np.int64)
    for k, row in enumerate(flat):
        output[k], levels[k] = _falling(row if decreasing else -row)
    if not decreasing:
        output = -output
    starts = np.concatenate([[0], np.cumsum(levels.max(axis=1, initial=-1) + 1)])
    indices = (levels + starts[:-1, None]).reshape(-1)
    counts: Any = np.bincount(indices, minlength=int(starts[-1])).astype(x.dtype.as_numpy_dtype)
    moved = [k for k in range(x.ndim) if k != axis % x.ndim] + [axis % x.ndim]

    def backward(dy: Tensor, _: Tensor | None = None) -> Tensor:
        """Each level's mean of the gradient."""
        rows = _ops.transpose(dy, moved)
        sums = _ops.unsorted_segment_sum(_ops.reshape(rows, [-1]), indices, int(starts[-1]))
        means = _ops.gather(sums / _core.as_tensor(counts), indices, 0, 0)
        back = np.argsort(moved).tolist()
        return _ops.transpose(_ops.reshape(means, rows._shape_tuple()), back)

    result = np.moveaxis(output.reshape(array.shape), -1, axis)
    (y,) = differentiable([result.astype(x.dtype.as_numpy_dtype)], [x], backward)
    segments = np.moveaxis(levels.reshape(array.shape), -1, axis).astype(np.int32)
    return IsotonicRegression(y, _core.as_tensor(np.ascontiguousarray(segments)))


def _largest(operand: Any, k: int, axis: int, smallest: bool) -> ApproxTopK:
    x = _core.as_tensor(operand)
    if x.ndim == 0 or not -x.ndim <= axis < x.ndim:
        raise invalid_argument(f"reduction_dimension {axis} is out of range for rank {x.ndim}")
    axis %= x.ndim
    order = [*(j for j in range(x.ndim) if j != axis), axis]
    last = axis == x.ndim - 1
    rows = x if last else _ops.transpose(x, order)
    values, indices = _ops.top_k(_ops.negative(rows) if smallest else rows, int(k), True)
    if smallest:
        values = _ops.negative(values)
    if last:
        return ApproxTopK(values, indices)
    back = np.argsort(order).tolist()
    return ApproxTopK(_ops.transpose(values, back), _ops.transpose(indices, back))


@composed_op("ApproxTopK", checked_first=True, operand=Input("float16", "bfloat16", "float32"))
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The k largest elements along an axis; here always the exact ones.

    Args:
        operand: values, of rank 1 or more.
        k: how many.
        reduction_dimension: the axis.
        recall_target: the required recall; here it is always 1.

    Returns:
        A pair `(values, indices)`.

    >>> tf.math.approx_max_k([1.0, 5.0, 3.0], 2).values.numpy()
    array([5., 3.], dtype=float32)
    """
    return _largest(operand, k, reduction_dimension, False)


@composed_op("ApproxTopK", checked_first=True, operand=Input("float16", "bfloat16", "float32"))
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The k smallest elements along an axis; see `tf.math.approx_max_k`.

    >>> tf.math.approx_min_k([1.0, 5.0, 3.0], 2).values.numpy()
    array([1., 3.], dtype=float32)
    """
    return _largest(operand, k, reduction_dimension, True)


@composed_op("ApproxTopK", checked_first=True, input=Input("float16", "bfloat16", "float32"))
def approx_top_k(
    input: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The k largest, or smallest, elements along an axis; see `tf.math.approx_max_k`.

    >>> tf.approx_top_k([1.0, 5.0, 3.0], 2, is_max_k=False).values.numpy()
    array([1., 3.], dtype=float32)
    """
    return _largest(input, k, reduction_dimension, not is_max_k)
