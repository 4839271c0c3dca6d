"""Sums, means and extremes of ragged tensors along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import hosted
from eagerflow.framework.sizes import checked_axis, shape_of
from eagerflow.ops import segment
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.nn import activation
from eagerflow.ragged import graph_specs
from eagerflow.ragged.arrangement import convert, expand_dims, rank_of, without_lengths
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import Axes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _segment_sum(data: Tensor, ids: np.ndarray, count: int) -> Tensor:
    return _ops.unsorted_segment_sum(data, ids, count)


def _segment_extreme(largest: bool) -> Callable:
    def extreme(data: Tensor, ids: np.ndarray, count: int) -> Tensor:
        function = segment.unsorted_segment_max if largest else segment.unsorted_segment_min
        return function(data, ids, count)

    return extreme


def _through_padding(reduce: Any, identity: int | bool) -> Callable:
    """Reduces segments as rows that are padded with the identity of the reduction."""

    def reduced(data: Tensor, ids: np.ndarray, count: int) -> Tensor:
        order = np.argsort(ids, kind="stable")
        lengths = np.bincount(ids, minlength=count)
        rows = RaggedTensor._of(
            _ops.gather(data, order, 0, 0), RowPartition.of_lengths(lengths, dtypes.int64)
        )
        padding = _core.convert(identity, data.dtype, None)
        return reduce(rows.to_tensor(padding), 1)

    return reduced


SEGMENTS: dict[str, Callable] = {
    "reduce_sum": _segment_sum,
    "reduce_max": _segment_extreme(True),
    "reduce_min": _segment_extreme(False),
    "reduce_prod": _through_padding(_ops.reduce_prod, 1),
    "reduce_any": _through_padding(_ops.reduce_any, False),
    "reduce_all": _through_padding(_ops.reduce_all, True),
}


def _segments(name: Any, data: Tensor | RaggedTensor, ids: np.ndarray, count: int) -> Any:
    """Rows of the same segment reduced element by element, by a function or its name."""
    if isinstance(data, Tensor):
        return (SEGMENTS[name] if isinstance(name, str) else name)(data, ids, count)
    if ids.size and (ids.min() < 0 or ids.max() >= count):
        raise invalid_argument(f"Segment ids {ids.tolist()} are not all in [0, {count})")
    partition = data._partition
    lengths = np.zeros(count, np.int64)
    np.maximum.at(lengths, ids, partition.lengths)
    result = RowPartition.of_lengths(lengths, partition.dtype)
    rows = partition.rowids
    offsets = partition.offsets
    ids = result.splits[:-1][ids[rows]] + offsets
    return RaggedTensor._of(_segments(name, data.values, ids, int(result.splits[-1])), result)


def joined(value: RaggedTensor, axis: int, separator: bytes) -> Tensor | RaggedTensor:
    """The strings of a ragged tensor joined along its first or second axis."""

    def join(data: Tensor, ids: np.ndarray, count: int) -> Tensor:
        shape = data._shape_tuple()
        if len(ids) != shape[0]:
            raise invalid_argument(f"The row splits end at {len(ids)}, not at {shape[0]} strings")
        rows = data.numpy().reshape(shape[0], int(np.prod(shape[1:])))
        lines = np.full([count, rows.shape[1]], b"", object)
        for segment_id in range(count):
            chosen = rows[ids == segment_id]
            lines[segment_id] = [separator.join(column) for column in chosen.T]
        return _core.convert(lines.reshape([count, *shape[1:]]), dtypes.string, None)

    partition = value._partition
    if axis == 1:
        return _segments(join, value.values, partition.rowids, partition.static_nrows)
    offsets = partition.offsets
    return _segments(join, value.values, offsets, int(partition.lengths.max(initial=0)))


def _one_axis(name: str, value: Tensor | RaggedTensor, axis: int) -> Any:
    if isinstance(value, Tensor):
        return getattr(_ops, name)(value, axis)
    partition = value._partition
    if axis == 0:
        offsets = partition.offsets
        return _segments(name, value.values, offsets, int(partition.lengths.max(initial=0)))
    if axis == 1:
        return _segments(name, value.values, partition.rowids, partition.static_nrows)
    return value.with_values(_one_axis(name, value.values, axis - 1))


def _axes_of(value: RaggedTensor, axis: Any) -> list[int] | None:
    """The axes, the last first; None for all of them."""
    if axis is None:
        return None
    rank = rank_of(value)
    axis_list = axis
    if not isinstance(axis, int | list | tuple):
        axis_list = _core.convert(axis, None, dtypes.int32).numpy().tolist()
    items = [axis_list] if isinstance(axis_list, int) else list(axis_list)
    axes = sorted({checked_axis(item, rank) for item in items}, reverse=True)
    return None if len(axes) == rank else axes


@hosted(graph_specs.reduced)
def reduce(name: str, value: RaggedTensor, axis: Axes | None = None, keepdims: bool = False) -> Any:
    """A reduction of a ragged tensor.

    Args:
        name: the operation, for instance "reduce_sum".
        value: the ragged tensor.
        axis: one axis or several; all by default.
        keepdims: whether reduced axes stay, with size one.
    """
    axes = _axes_of(value, axis)
    if name in ("reduce_any", "reduce_all"):
        value = value.with_flat_values(_ops.cast(value.flat_values, dtypes.bool))
    if name == "reduce_mean" and (axes is not None or value.dtype.is_integer):
        return _mean(value, axes, bool(keepdims))
    if axes is None:
        total = getattr(_ops, name)(value.flat_values)
        return _ops.reshape(total, [1] * rank_of(value)) if keepdims else total
    result: Any = value
    for item in axes:
        result = _one_axis(name, result, item)
        if keepdims:
            result = _expanded(result, item)
    return result


def _expanded(value: TensorLike, axis: int) -> Tensor | RaggedTensor:
    if isinstance(value, Tensor):
        return _ops.expand_dims(value, axis)
    return expand_dims(value, axis)


def _mean(value: RaggedTensor, axes: list[int] | None, keepdims: bool) -> Any:
    rows: Any = None

    def sum_of(flat: Tensor) -> Tensor:
        nonlocal rows
        rows = reduce("reduce_sum", value.with_flat_values(flat), axes, keepdims)
        return rows.flat_values if isinstance(rows, RaggedTensor) else rows

    flat = value.flat_values
    total = segment.total_for_mean(sum_of, flat)
    count = sum_of(_ops.ones(shape_of(flat), total.dtype))
    means = segment.as_mean(_ops.divide_real(total, count), flat.dtype)
    if not isinstance(rows, RaggedTensor):
        return means
    return (without_lengths(rows) if means.ndim > 1 else rows).with_flat_values(means)


def reduce_mean(value: TensorLike, axis: Axes | None = None, keepdims: bool = False) -> Any:
    """The mean; of a dense tensor as well."""
    if isinstance(value, RaggedTensor):
        return reduce("reduce_mean", value, axis, keepdims)
    return _ops.reduce_mean(value, axis, keepdims)


def reduce_variance(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The variance, as the mean of squares less the square of the mean."""
    value = convert(input_tensor)
    mean = reduce_mean(value, axis, keepdims)
    return _ops.subtract(reduce_mean(_ops.square(value), axis, keepdims), _ops.square(mean))


def reduce_std(
    input_tensor: TensorLike, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The standard deviation."""
    return _ops.sqrt(reduce_variance(input_tensor, axis, keepdims))


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """The logarithm of the sum of exponentials."""
    value = convert(input_tensor)
    peak = _ops.stop_gradient(_ops.reduce_max(value.flat_values))
    peak = _ops.select(_ops.is_finite(peak), peak, _ops.zeros_like(peak))
    exponentials: Any = _ops.exp(_ops.subtract(value, peak))
    sums = reduce("reduce_sum", exponentials, axis, keepdims)
    return _ops.add(_ops.log(sums), peak)


@hosted(graph_specs.same)
def softmax(logits: RaggedTensor, axis: Any = None, name: str | None = None) -> RaggedTensor:
    """The softmax along an axis, by default the last one."""
    rank = rank_of(logits)
    axis = rank - 1 if axis is None else checked_axis(axis, rank)
    if axis > logits.ragged_rank:
        flat_axis = axis - logits.ragged_rank
        return logits.with_flat_values(activation.softmax(logits.flat_values, flat_axis))
    if axis != rank - 1:
        peak = _ops.stop_gradient(_ops.reduce_max(logits.flat_values))
        scaled: Any = _ops.exp(_ops.subtract(logits, peak))
        return scaled / reduce("reduce_sum", scaled, axis, keepdims=True)
    inner: Any = logits
    while isinstance(inner.values, RaggedTensor):
        inner = inner.values
    flat, rows = inner.values, inner._partition
    peaks = _ops.stop_gradient(SEGMENTS["reduce_max"](flat, rows.rowids, rows.static_nrows))
    powers = _ops.exp(_ops.subtract(flat, _ops.gather(peaks, rows.rowids, 0, 0)))
    sums = _ops.unsorted_segment_sum(powers, rows.rowids, rows.static_nrows)
    return logits.with_flat_values(_ops.divide_real(powers, _ops.gather(sums, rows.rowids, 0, 0)))


@hosted(graph_specs.segments)
def unsorted_segments(name: str, data: Any, segment_ids: TensorLike, num_segments: Any) -> Any:
    """Reduces the slices of ragged or dense data that have the same segment id."""
    data, ids = convert(data), convert(segment_ids)
    if isinstance(ids, RaggedTensor):
        if not isinstance(data, RaggedTensor) or data.ragged_rank < ids.ragged_rank:
            raise ValueError("Ragged segment_ids need data with the same ragged axes.")
        for _ in range(ids.ragged_rank):
            data = data.values
        ids = ids.flat_values
        if ids.ndim > 1 and isinstance(data, Tensor):
            data = _ops.reshape(data, [ids._size, *data._shape_tuple()[ids.ndim :]])
            ids = _ops.reshape(ids, [ids._size])
    return _segments(name, data, ids.numpy().astype(np.int64), int(num_segments))
