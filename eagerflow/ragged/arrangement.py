"""Ragged tensors concatenated, stacked, split, tiled, reversed and gathered from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import hosted, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import checked_axis, checked_output_count, require_memory
from eagerflow.ragged import graph_specs
from eagerflow.ragged.factories import rows_of
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import Axes, DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def convert(value: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Converts values to tensors; ragged tensors are unchanged."""
    return value if isinstance(value, RaggedTensor) else _core.convert(value, dtype, None)


def rank_of(value: Any) -> int:
    """The number of axes."""
    return len(value.shape)


def as_ragged(value: TensorLike, ragged_rank: int, dtype: DTypeLike) -> Any:
    """A tensor as a ragged tensor of that ragged rank, with splits of that dtype."""
    if isinstance(value, RaggedTensor):
        value = value.with_row_splits_dtype(dtype)
        missing = ragged_rank - value.ragged_rank
        if missing <= 0:
            return value
        inner = as_ragged(value.flat_values, missing, dtype)
        return value.with_flat_values(inner)
    if ragged_rank == 0:
        return value
    return RaggedTensor.from_tensor(value, ragged_rank=ragged_rank, row_splits_dtype=dtype)


def splits_dtype(values: Sequence[TensorLike]) -> dtypes.DType:
    """int64, unless all ragged tensors have int32."""
    used = {value._partition.dtype for value in values if isinstance(value, RaggedTensor)}
    return dtypes.int32 if used == {dtypes.int32} else dtypes.int64


def matched(values: Sequence[TensorLike]) -> list[Any]:
    """Values as ragged tensors of the same ragged rank."""
    dtype = splits_dtype(values)
    most = max(value.ragged_rank for value in values if isinstance(value, RaggedTensor))
    return [as_ragged(value, most, dtype) for value in values]


def gather_rows(value: Any, rows: np.ndarray) -> Any:
    """The rows at these indices, an array of any shape, whose axes replace the first one."""
    if rows.ndim == 0:
        row = int(rows)
        if isinstance(value, Tensor):
            return _ops.gather(value, rows, 0, 0)
        begin, end = value._partition.splits[row : row + 2].tolist()
        return without_lengths(slice_rows(value.values, begin, end))
    if rows.ndim > 1:
        result = gather_rows(value, rows.reshape(-1))
        if isinstance(result, Tensor):
            return _ops.reshape(result, [*rows.shape, *result._shape_tuple()[1:]])
        for axis in range(rows.ndim - 1, 0, -1):
            lengths = np.full(int(np.prod(rows.shape[:axis])), rows.shape[axis])
            result = RaggedTensor._of(
                result, RowPartition.of_lengths(lengths, result._partition.dtype)
            )
        return result
    if isinstance(value, Tensor):
        return _ops.gather(value, rows, 0, 0)
    partition = value._partition
    starts, lengths = partition.splits[:-1][rows], partition.lengths[rows]
    indices = ranges(starts, lengths)
    return RaggedTensor._of(
        gather_rows(value.values, indices), RowPartition.of_lengths(lengths, partition.dtype)
    )


def without_lengths(value: TensorLike) -> Any:
    """The same value, of whose axes none is known to be uniform."""
    if not isinstance(value, RaggedTensor):
        return value
    partition = value._partition
    if partition.static_uniform_row_length is not None:
        partition = partition.without_uniform_length()
    return RaggedTensor._of(without_lengths(value.values), partition)


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The integers `start, ..., start + length - 1` of each range, concatenated."""
    total = int(lengths.sum())
    ends = np.cumsum(lengths)
    return np.arange(total) + np.repeat(starts - (ends - lengths), lengths)


def slice_rows(value: Any, begin: int, end: int) -> Any:
    """The rows `begin, ..., end - 1`."""
    if isinstance(value, Tensor):
        return value[begin:end]
    partition = value._partition
    splits = partition.splits[begin : end + 1]
    return RaggedTensor._of(
        slice_rows(value.values, int(splits[0]), int(splits[-1])),
        RowPartition.of(splits - splits[0], partition.dtype, partition.static_uniform_row_length),
    )


@hosted(graph_specs.merged)
def merge_dims(value: RaggedTensor, outer_axis: int, inner_axis: int) -> Any:
    """See `tf.RaggedTensor.merge_dims`."""
    rank = rank_of(value)
    outer = checked_axis(outer_axis, rank, "outer_axis")
    inner = checked_axis(inner_axis, rank, "inner_axis")
    if outer > inner:
        raise ValueError(
            f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
            f"({inner_axis})"
        )
    if outer == inner:
        return value
    if isinstance(value, Tensor):
        shape = value._shape_tuple()
        joined = int(np.prod(shape[outer : inner + 1]))
        return _ops.reshape(value, [*shape[:outer], joined, *shape[inner + 1 :]])
    if outer > 0:
        if outer == 1:
            return _merge_inner(value, inner)
        return value.with_values(merge_dims(value.values, outer - 1, inner - 1))
    result: Any = value
    for _ in range(inner):
        if isinstance(result, RaggedTensor):
            result = result.values
        else:
            shape = result._shape_tuple()
            result = _ops.reshape(result, [shape[0] * shape[1], *shape[2:]])
    return result


def _merge_inner(value: RaggedTensor, inner: int) -> RaggedTensor:
    """Axes 1 to `inner` joined."""
    splits = value._partition.splits
    uniform = value._partition.static_uniform_row_length
    values = value.values
    for _ in range(inner - 1):
        if isinstance(values, RaggedTensor):
            splits = values._partition.splits[splits]
            size = values._partition.static_uniform_row_length
            values = values.values
        else:
            shape = values._shape_tuple()
            size = shape[1]
            splits = splits * size
            values = _ops.reshape(values, [shape[0] * size, *shape[2:]])
            uniform = None
        uniform = None if uniform is None or size is None else uniform * size
    return RaggedTensor._of(values, RowPartition.of(splits, value._partition.dtype, uniform))


def _checked_list(values: Any, axis: Axes, extra: int) -> tuple[list[Any], int]:
    items = [convert(value) for value in values]
    rank = max(rank_of(item) for item in items)
    for item in items:
        if rank_of(item) != rank:
            shapes = ", ".join(str(item.shape) for item in items)
            raise ValueError(f"Shapes {shapes} must have the same rank")
    return items, checked_axis(axis, rank + extra)


@hosted(graph_specs.concatenated)
def concat(values: TensorLike, axis: Any, name: str = "concat") -> Any:
    """Joins ragged or dense tensors along an axis; see `tf.concat`."""
    if isinstance(values, RaggedTensor):
        return values
    items, axis = _checked_list(values, axis, 0)
    return _concat(items, axis)


def _concat(items: list[Any], axis: int) -> Any:
    if all(isinstance(item, Tensor) for item in items):
        return _ops.concat(items, axis)
    items = matched(items)
    partitions = [item._partition for item in items]
    dtype = partitions[0].dtype
    if axis == 0:
        lengths = np.concatenate([partition.lengths for partition in partitions])
        inner = _concat([item.values for item in items], 0)
        return RaggedTensor._of(inner, RowPartition.of_lengths(lengths, dtype))
    rows = partitions[0].static_nrows
    for partition in partitions[1:]:
        if partition.static_nrows != rows:
            raise _misfit("rows", [item._partition.static_nrows for item in items])
    if axis == 1:
        everything = _concat(items, 0)
        order = (np.arange(len(items)) * rows + np.arange(rows)[:, None]).reshape(-1)
        ordered = gather_rows(everything, order)
        lengths = np.sum([partition.lengths for partition in partitions], axis=0)
        return RaggedTensor._of(ordered.values, RowPartition.of_lengths(lengths, dtype))
    check_same_rows(items)
    first = without_lengths(items[0])
    return first.with_values(_concat([item.values for item in items], axis - 1))


def _misfit(what: str, values: Any) -> Exception:
    return InvalidArgumentError._of(f"Input tensors have incompatible {what}: {values}")


def check_same_rows(items: Sequence[RaggedTensor]) -> None:
    """Raises an InvalidArgumentError if the rows of ragged tensors differ in length."""
    first = items[0]._partition.splits
    for item in items[1:]:
        if not np.array_equal(first, item._partition.splits):
            raise _misfit("row lengths", [item._partition.lengths.tolist() for item in items])


@op_function(in_graph=on_host(graph_specs.stacked))
def stack(values: TensorLike, axis: Axes = 0, name: str | None = None) -> Any:
    """Joins tensors along a new axis; they may be ragged, or differ in their sizes.

    Args:
        values: a list of ragged or dense tensors of one rank and dtype.
        axis: the index of the new axis.

    Raises:
        ValueError: if ranks differ or `axis` is out of range.

    >>> tf.ragged.stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>
    """
    if not isinstance(values, list | tuple):
        values = [values]
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    items, axis = _checked_list(values, axis, 1)
    if all(isinstance(item, Tensor) for item in items):
        rank = rank_of(items[0])
        if rank == 1 and axis == 0:
            lengths = [rows_of(item) for item in items]
            inner = _ops.concat(items, 0) if len(items) > 1 else items[0]
            return RaggedTensor._of(inner, RowPartition.of_lengths(np.array(lengths), dtypes.int32))
        if axis in (rank, rank - 1):
            return _ops.stack(items, axis)
    return _stack(items, axis)


def _stack(items: list[Any], axis: int) -> Any:
    if axis == 0:
        dtype = splits_dtype(items)
        counts = [rows_of(item) for item in items]
        rank = rank_of(items[0])
        if all(isinstance(item, Tensor) for item in items) and rank > 1:
            items = [as_ragged(item, 1, dtype) for item in items]
        inner = _concat(items, 0)
        return RaggedTensor._of(inner, RowPartition.of_lengths(np.array(counts), dtype))
    rows = rows_of(items[0])
    if any(rows_of(item) != rows for item in items):
        raise _misfit("rows", [rows_of(item) for item in items])
    if axis == 1:
        inner = gather_rows(
            _concat(items, 0), (np.arange(len(items)) * rows + np.arange(rows)[:, None]).reshape(-1)
        )
        lengths = np.full(rows, len(items))
        return RaggedTensor._of(inner, RowPartition.of_lengths(lengths, splits_dtype(items)))
    items = matched([as_ragged(item, 1, splits_dtype(items)) for item in items])
    check_same_rows(items)
    parts = [item.values for item in items]
    first = without_lengths(items[0])
    if all(isinstance(part, Tensor) for part in parts):
        return first.with_values(_ops.stack(parts, axis - 1))
    return first.with_values(_stack(parts, axis - 1))


@hosted(graph_specs.expanded)
def expand_dims(value: RaggedTensor, axis: Any) -> RaggedTensor:
    """Inserts an axis of size one."""
    axis = checked_axis(axis, rank_of(value) + 1)
    return _expand(value, axis)


def _expand(value: Any, axis: int) -> Any:
    if isinstance(value, Tensor):
        return _ops.expand_dims(value, axis)
    rows = value._partition.static_nrows
    if axis == 0:
        return RaggedTensor.from_uniform_row_length(value, rows, 1)
    if axis == 1:
        return RaggedTensor.from_uniform_row_length(value, 1, rows)
    return value.with_values(_expand(value.values, axis - 1))


@hosted(graph_specs.squeezed)
def squeeze(value: RaggedTensor, axis: Any) -> Any:
    """Removes axes of size one.

    Raises:
        ValueError: if no axes are passed.
        tf.errors.InvalidArgumentError: if their sizes differ from one.
    """
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    axes = [axis] if isinstance(axis, int) else [int(item) for item in axis]
    rank = rank_of(value)
    result: Any = value
    for item in sorted({checked_axis(item, rank) for item in axes}, reverse=True):
        result = _squeeze(result, item)
    return without_lengths(result)


def _squeeze(value: Tensor | RaggedTensor, axis: int) -> Any:
    if isinstance(value, Tensor):
        return _ops.squeeze(value, [axis])
    partition = value._partition
    if axis == 0:
        if partition.static_nrows != 1:
            raise _misfit("size of the axis to squeeze", partition.static_nrows)
        return value.values
    if axis == 1:
        if (partition.lengths != 1).any():
            raise _misfit("row lengths to squeeze", partition.lengths.tolist())
        return value.values
    return value.with_values(_squeeze(value.values, axis - 1))


@hosted(graph_specs.tiled)
def tile(value: RaggedTensor, multiples: TensorLike) -> RaggedTensor:
    """Repeats a ragged tensor along its axes."""
    counts = _core.convert(multiples, None, dtypes.int64)
    if not counts.dtype.is_integer:
        raise TypeError(f"Multiples are integers, not {counts.dtype.name}")
    counts = counts.numpy().tolist()
    if len(counts) != rank_of(value) or min(counts) < 0:
        raise InvalidArgumentError._of(
            f"Expected {rank_of(value)} multiples of 0 or more, got {counts} [Op:Tile]"
        )
    rows = max(value.flat_values._size, value._partition.static_nrows or 1)
    require_memory([*counts, rows], value.dtype)
    result: Any = value
    for axis, count in enumerate(counts):
        if count == 0:
            result = _concat([_take(result, axis, slice(0, 0))], axis)
        elif count > 1:
            result = _concat([result] * count, axis)
    return result


def _take(value: RaggedTensor, axis: int, part: slice) -> Any:
    return value[(slice(None),) * axis + (part,)]


@hosted(graph_specs.reversed_along)
def reverse(value: RaggedTensor, axis: Axes) -> RaggedTensor:
    """Reverses the order of slices along axes."""
    axes = _core.convert(axis, None, dtypes.int32).numpy().reshape(-1).tolist()
    rank = rank_of(value)
    result = value
    for item in axes:
        result = _take(result, checked_axis(item, rank), slice(None, None, -1))
    return result


@hosted(graph_specs.split_parts)
def split(value: RaggedTensor, num_or_size_splits: Any, axis: Axes = 0, num: object = None) -> list:
    """Splits a ragged tensor along a uniform axis."""
    axis = checked_axis(axis, rank_of(value))
    size = value._partition.static_nrows if axis == 0 else value.shape[axis]
    if size is None:
        raise ValueError("Cannot split an inner ragged dimension.")
    if isinstance(num_or_size_splits, int):
        if num_or_size_splits < 1 or size % num_or_size_splits:
            raise _misfit("number of pieces", f"{size} cannot be split into {num_or_size_splits}")
        sizes = [size // num_or_size_splits] * checked_output_count(num_or_size_splits)
    else:
        sizes = _core.as_tensor(num_or_size_splits).numpy().reshape(-1).tolist()
        if sizes.count(-1) == 1:
            sizes[sizes.index(-1)] = size - sum(item for item in sizes if item != -1)
        if min(sizes, default=0) < 0 or sum(sizes) != size:
            raise _misfit("sizes of pieces", f"{sizes} for an axis of {size}")
    ends = np.cumsum([0, *sizes]).tolist()
    return [
        _take(value, axis, slice(begin, end)) for begin, end in zip(ends, ends[1:], strict=False)
    ]


@hosted(graph_specs.gathered)
def gather(params: Any, indices: Any, axis: int = 0, batch_dims: int = 0) -> Any:
    """Slices of a ragged or dense tensor at indices that may be ragged."""
    params, indices = convert(params), _indices(indices)
    batch = batch_dims if batch_dims >= 0 else batch_dims + rank_of(indices)
    axis = checked_axis(axis, rank_of(params))
    if batch:
        return _batch_gather(params, indices, axis, batch)
    if axis:
        if isinstance(params, Tensor):
            raise ValueError("Ragged indices need axis 0 of a dense tensor")
        return (
            params.with_values(gather(params.values, indices, axis - 1))
            if axis > 1
            else _gather_columns(params, indices)
        )
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(gather(params, indices.flat_values))
    rows = indices.numpy()
    count = rows_of(params)
    _check_rows(rows, count)
    return gather_rows(params, rows)


def _indices(value: TensorLike) -> Any:
    indices = convert(value)
    if not indices.dtype.is_integer:
        _core.refuse_attr("Tindices", indices.dtype, [dtypes.int32, dtypes.int64], "GatherV2")
    return indices


def _check_rows(rows: np.ndarray, count: int) -> None:
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        bad = rows[(rows < 0) | (rows >= count)].reshape(-1)[0]
        raise _misfit("indices", f"{bad} is not in [0, {count})")


def _gather_columns(params: RaggedTensor, indices: Tensor) -> Any:
    """The same columns of each row."""
    starts, lengths = params._partition.splits[:-1], params._partition.lengths
    flat = indices.flat_values if isinstance(indices, RaggedTensor) else indices
    columns = np.asarray(flat)
    for length in np.unique(lengths):
        _check_rows(columns, int(length))
    elements = starts.reshape(-1, *[1] * columns.ndim) + columns
    if flat is indices:
        return gather_rows(params.values, elements)
    rows = tile(expand_dims(indices, 0), [len(starts), *[1] * rank_of(indices)])
    return rows.with_flat_values(gather_rows(params.values, elements.reshape(-1, *flat.shape[1:])))


def _batch_gather(params: Any, indices: Any, axis: int, batch: int) -> Any:
    if batch > 1:
        dtype = splits_dtype([params, indices])
        params, indices = as_ragged(params, 1, dtype), as_ragged(indices, 1, dtype)
        check_same_rows([params, indices])
        return indices.with_values(
            _batch_gather(params.values, indices.values, axis - 1, batch - 1)
        )
    dtype = splits_dtype([params, indices])
    params = as_ragged(params, 1, dtype)
    if axis != 1:
        raise ValueError("With batch_dims, axis must be the axis after the batch axes")
    single = isinstance(indices, Tensor) and indices.ndim == 1
    indices = as_ragged(_expand(indices, 1) if single else indices, 1, dtype)
    if indices._partition.static_nrows != params._partition.static_nrows:
        raise _misfit("rows", [params._partition.static_nrows, indices._partition.static_nrows])
    inner = indices.values
    flat = inner.flat_values if isinstance(inner, RaggedTensor) else inner
    rows = _outer_rows(indices)
    columns = flat.numpy().reshape(len(rows), int(np.prod(flat._shape_tuple()[1:])))
    lengths = params._partition.lengths[rows][:, None]
    if ((columns < 0) | (columns >= lengths)).any():
        raise _misfit("indices", f"{flat.numpy().tolist()} for rows of {lengths[:, 0].tolist()}")
    gathered = gather_rows(
        params.values, (columns + params._partition.splits[:-1][rows][:, None]).reshape(flat.shape)
    )
    result = indices.with_flat_values(gathered)
    return _squeeze(result, 1) if single else result


def _outer_rows(value: RaggedTensor) -> np.ndarray:
    """The row of axis 0 that each element of `flat_values` is in."""
    rows = np.arange(value._partition.static_nrows)
    for partition in value._partitions():
        rows = rows[partition.rowids]
    return rows


@hosted(graph_specs.gathered_at)
def gather_nd(params: RaggedTensor, indices: Any, batch_dims: int = 0) -> Any:
    """Slices of a ragged tensor at indices along its first axes."""
    if batch_dims:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    params, indices = convert(params), _indices(indices)
    if isinstance(indices, RaggedTensor):
        return (
            indices.with_flat_values(gather_nd(params, indices.flat_values))
            if indices.ragged_rank < rank_of(indices) - 1
            else _no_ragged_coordinates()
        )
    coordinates = indices.numpy()
    *outer, depth = coordinates.shape
    coordinates = coordinates.reshape(-1 if coordinates.size else 0, depth)
    value, rows = params, np.zeros(len(coordinates), np.int64)
    for axis in range(depth):
        column = coordinates[:, axis]
        if axis == 0:
            _check_rows(column, rows_of(value))
            rows = column
        elif isinstance(value, RaggedTensor):
            lengths = value._partition.lengths[rows]
            if ((column < 0) | (column >= lengths)).any():
                raise _misfit(
                    "indices", f"{coordinates.tolist()} of a tensor of shape {params.shape}"
                )
            rows = value._partition.splits[:-1][rows] + column
            value = value.values
        else:
            rest = np.concatenate([rows[:, None], coordinates[:, axis:]], axis=1)
            slices = _ops.gather_nd(value, rest, 0)
            return _ops.reshape(slices, [*outer, *slices._shape_tuple()[1:]])
    return gather_rows(value, rows.reshape(outer)) if outer else gather_rows(value, rows)[0]


def _no_ragged_coordinates() -> Any:
    raise ValueError("The innermost dimension of indices may not be ragged")
