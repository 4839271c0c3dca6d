"""Ragged tensors from dense and sparse ones, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import hosted
from eagerflow.ops.array import invalid_argument, slices_at
from eagerflow.ops.conversion import integers_of, zero_of
from eagerflow.ragged import graph_specs
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _width(partition: RowPartition) -> int:
    """The length of the longest row, or the uniform row length, which exists even without rows."""
    uniform = partition._uniform_row_length
    return int(partition.lengths.max(initial=0)) if uniform is None else uniform


def padded_indices(value: RaggedTensor) -> np.ndarray:
    """The index into `flat_values` of each position of the bounding box, -1 behind the end of a row."""
    indices = np.arange(value._partition.static_nrows)
    for partition in value._partitions():
        splits, lengths = partition.splits, partition.lengths
        offsets = np.arange(_width(partition))
        if indices.ndim == 1:  # the outermost partition has all its rows
            inside = offsets < lengths[:, None]
            indices = np.where(inside, partition.splits[:-1, None] + offsets, -1)
            continue
        known = indices >= 0
        rows = np.where(known, indices, 0)
        if len(lengths):
            start, length = splits[:-1][rows], np.where(known, lengths[rows], 0)
        else:
            start = length = np.zeros(indices.shape, np.int64)
        inside = offsets < length[..., None]
        indices = np.where(inside, start[..., None] + offsets, -1)
    return indices


@hosted(graph_specs.dense)
def to_tensor(value: RaggedTensor, default: Any, shape: Any) -> Tensor:
    """See `tf.RaggedTensor.to_tensor`."""
    flat = value.flat_values
    if flat.dtype.is_quantized:
        if default is not None:
            default = integers_of(_core.convert(default, flat.dtype, None))
        moved = to_tensor(value.with_flat_values(integers_of(flat)), default, shape)
        return _ops.bitcast(moved, flat.dtype)
    inner = flat._shape_tuple()[1:]
    sizes = None if shape is None else _wanted_sizes(shape, value)
    if default is None and value.ragged_rank == 1 and _pads_rows_only(sizes, value, inner):
        return _padded_rows(value, None if sizes is None else sizes[1])
    indices = padded_indices(value)
    if sizes is not None:
        outer = sizes[: indices.ndim]
        for axis, size in enumerate(outer):
            if size is None:
                continue
            width = indices.shape[axis]
            if size < width:
                indices = indices.take(np.arange(size), axis)
            elif size > width:
                widths = [(0, 0)] * indices.ndim
                widths[axis] = (0, size - width)
                indices = np.pad(indices, widths, constant_values=-1)
        for size, inner_size in zip(sizes[indices.ndim :], inner, strict=True):
            if size is not None and size != inner_size:
                raise invalid_argument(
                    f"The inner shape {list(inner)} of the values does not fit the shape {sizes}"
                )
    plain = default is None and flat.dtype.is_floating
    if default is None:
        default = zero_of(flat.dtype)
    else:
        default = _core.convert(default, flat.dtype, None)
    if default.ndim > len(inner):
        raise invalid_argument(
            f"default_value.shape={default.shape} and rt_input.flat_values.shape={flat.shape} are "
            f"incompatible: default_value.rank = {default.ndim}  must be less than "
            f"rt_input.flat_values.rank = {flat.ndim}"
        )
    if plain and flat._size:
        # A negative index returns zeros.
        return _ops.gather_or_zero(flat, indices)
    missing = indices < 0
    count = flat._shape_tuple()[0]
    if not missing.any():
        return (
            _ops.gather(flat, indices, 0, 0)
            if not _in_order(indices, count)
            else _ops.reshape(flat, [*indices.shape, *inner])
        )
    filler = _ops.broadcast_to(_ops.reshape(default, [1, *default._shape_tuple()]), [1, *inner])
    padded = _ops.concat([flat, filler], 0)
    return _ops.gather(padded, np.where(missing, count, indices), 0, 0)


def _pads_rows_only(sizes: list[int | None] | None, value: RaggedTensor, inner: tuple) -> bool:
    """Whether a dense shape differs from the value's own in the length of rows at most."""
    if sizes is None:
        return True
    own = (value._partition.static_nrows, None, *inner)
    return all(size is None or axis == 1 or size == own[axis] for axis, size in enumerate(sizes))


def _padded_rows(value: RaggedTensor, width: int | None) -> Tensor:
    """Pads or truncates the rows of a value with one ragged axis to a width, by default the longest row's."""
    partition = value._partition
    if width is None and partition.static_nrows:
        width = int(_ops.reduce_max(partition.row_lengths()))
    elif width is None:
        width = _width(partition)
    flat, splits = value.flat_values, partition.row_splits()
    if splits.dtype is not dtypes.int64:
        splits = _ops.cast(splits, dtypes.int64)
    return _ops.pad_rows(flat, zero_of(flat.dtype), splits, width)


def _in_order(indices: np.ndarray, count: int) -> bool:
    return indices.size == count and bool((indices.reshape(-1) == np.arange(count)).all())


def _wanted_sizes(shape: ShapeLike, value: RaggedTensor) -> list[int | None]:
    if isinstance(shape, Tensor):
        shape = [None if size < 0 else size for size in shape.numpy().reshape(-1).tolist()]
    return graph_specs.wanted_sizes(shape, len(value.shape))


@hosted(graph_specs.from_tensor)
def from_tensor(
    tensor: Any, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: dtypes.DType
) -> RaggedTensor:
    """See `tf.RaggedTensor.from_tensor`."""
    graph_specs.check_rows_given(lengths, padding, ragged_rank)
    value = _core.as_tensor(tensor)
    dtype = dtypes.as_dtype(row_splits_dtype)
    if lengths is not None and isinstance(lengths, list | tuple) and len(lengths):
        if not isinstance(lengths[0], int | float | np.integer):
            ragged_rank = len(lengths)
            shape = value._shape_tuple()
            count = int(np.prod(shape[: ragged_rank + 1]))
            flat = _ops.reshape(value, [count, *shape[ragged_rank + 1 :]])
            return _from_nested_lengths(flat, shape, lengths, dtype)
    if value.ndim <= ragged_rank:
        raise ValueError(f"Shape {value.shape} must have rank at least {ragged_rank + 1}")
    shape = value._shape_tuple()
    sizes = shape[: ragged_rank + 1]
    flat = _ops.reshape(value, [int(np.prod(sizes)), *shape[ragged_rank + 1 :]])
    outer = None
    for level in range(ragged_rank - 1):
        rows = int(np.prod(sizes[: level + 1]))
        splits = np.arange(rows + 1, dtype=np.int64) * sizes[level + 1]
        outer = [*(outer or []), RowPartition.of(splits, dtype, sizes[level + 1])]
    rows, width = int(np.prod(sizes[:-1])), sizes[-1]
    uniform: int | None = None
    if lengths is not None:
        ends = np.asarray(_core.convert(lengths, None, dtypes.int64).numpy(), np.int64)
        if ends.shape != (rows,):
            raise ValueError(f"Shape {list(ends.shape)} of lengths must be [{rows}]")
        ends = np.clip(ends, 0, width)
    elif padding is not None:
        ends = _ends_before(flat, padding, rows, width)
    else:
        ends, uniform = np.full(rows, width, np.int64), width
    if uniform is None:
        kept = (np.arange(width) < ends[:, None]).reshape(-1)
        flat = slices_at(flat, np.flatnonzero(kept))
    result = RaggedTensor._of(flat, RowPartition.of_lengths(ends, dtype, uniform))
    for partition in reversed(outer or []):
        result = RaggedTensor._of(result, partition)
    return result


def _ends_before(flat: Tensor, padding: TensorLike, rows: int, width: int) -> np.ndarray:
    """The length of each row without the padding at its end."""
    padding = _core.convert(padding, flat.dtype, None)
    inner = flat._shape_tuple()[1:]
    if padding._shape_tuple() != inner:
        raise ValueError(f"Shapes {padding.shape} and {list(inner)} are incompatible")
    same: Any = np.ones((rows, width), bool)
    if flat._size:
        same = np.asarray(_ops.equal(flat, padding).numpy()).reshape(rows, width, -1).all(-1)
    return np.where(~same, np.arange(1, width + 1), 0).max(axis=1, initial=0)


def _from_nested_lengths(flat: Tensor, shape: tuple, lengths: Any, dtype: Any) -> RaggedTensor:
    """Nested rows of a dense tensor; inner lengths are for the rows that outer lengths keep."""
    kept = np.arange(shape[0])
    partitions = []
    for level, sizes in enumerate(lengths):
        ends = np.asarray(_core.convert(sizes, None, dtypes.int64).numpy(), np.int64)
        if len(ends) != len(kept):
            raise invalid_argument(
                f"Lengths of axis {level + 1} must be given for {len(kept)} rows, got {len(ends)}"
            )
        width = shape[level + 1]
        ends = np.clip(ends, 0, width)
        partitions.append(RowPartition.of_lengths(ends, dtype))
        inside = np.arange(width) < ends[:, None]
        kept = (kept[:, None] * width + np.arange(width))[inside]
    result: Any = slices_at(flat, kept)
    for partition in reversed(partitions):
        result = RaggedTensor._of(result, partition)
    return result


@hosted(graph_specs.from_sparse)
def from_sparse(st_input: SparseTensor, row_splits_dtype: dtypes.DType) -> RaggedTensor:
    """See `tf.RaggedTensor.from_sparse`."""
    if not isinstance(st_input, SparseTensor):
        raise TypeError(
            f"Argument `st_input` must be of type SparseTensor, but is of type "
            f"{type(st_input).__name__}."
        )
    sizes = st_input.dense_shape.numpy()
    if len(sizes) != 2:
        raise ValueError(f"Shape {sizes.tolist()} must have rank 2")
    indices = st_input.indices.numpy()
    rows = indices[:, 0]
    lengths = np.bincount(rows, minlength=int(sizes[0])) if len(rows) else np.zeros(sizes[0], int)
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    expected = np.arange(len(rows)) - starts[rows]
    if (np.diff(rows) < 0).any() or (indices[:, 1] != expected).any():
        raise invalid_argument(
            "SparseTensor is not right-ragged: elements of rows must follow each other from the "
            "first column on, in order"
        )
    return RaggedTensor._of(
        st_input.values, RowPartition.of(starts, dtypes.as_dtype(row_splits_dtype))
    )


def coordinates(value: RaggedTensor) -> np.ndarray:
    """`[n, ragged_rank + 1]`: the indices of each flat value along the outer axes."""
    columns: list[np.ndarray] = [np.arange(value._partition.static_nrows)]
    for partition in value._partitions():
        ids = partition.rowids
        columns = [column[ids] for column in columns]
        columns.append(partition.offsets)
    return np.stack(columns, axis=-1)


@hosted(graph_specs.sparse)
def to_sparse(value: RaggedTensor) -> SparseTensor:
    """See `tf.RaggedTensor.to_sparse`."""
    flat = value.flat_values
    indices = coordinates(value)
    inner = flat._shape_tuple()[1:]
    if inner:
        count = int(np.prod(inner))
        within = np.stack(np.unravel_index(np.arange(count), inner), axis=-1)
        indices = np.concatenate(
            [np.repeat(indices, count, axis=0), np.tile(within, (len(indices), 1))], axis=-1
        )
        flat = _ops.reshape(flat, [flat._size])
    return SparseTensor(indices, flat, value.bounding_shape(out_type=dtypes.int64))
