"""Ragged tensors from Python lists, ranges, masks and segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import sizes_may_equal
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument, slices_at
from eagerflow.ragged import graph_specs
from eagerflow.ragged.arrangement import (
    as_ragged,
    check_same_rows,
    convert,
    expand_dims,
    gather_rows,
    splits_dtype,
)
from eagerflow.ragged.factories import rows_of
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _is_list(value: TensorLike) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _depths(value: Any) -> tuple[int | None, int]:
    """The nesting depth of scalars (None if there are none), and the greatest depth of lists."""
    if not _is_list(value):
        if isinstance(value, Tensor) and value.ndim:
            raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
        return 0, 0
    scalar: int | None = None
    deepest = 1
    for item in value:
        inner, depth = _depths(item)
        if inner is not None:
            if scalar is not None and scalar != inner + 1:
                raise ValueError("all scalar values must have the same nesting depth")
            scalar = inner + 1
        deepest = max(deepest, depth + 1)
    return scalar, deepest


def _inner_shape(value: Any, ragged_rank: int) -> tuple[int, ...]:
    """The shape of elements, where lists deeper than the ragged axes must have equal lengths."""
    items = [value]
    for _ in range(ragged_rank + 1):
        items = [inner for item in items for inner in item]
    shape: list[int] = []
    while items and all(_is_list(item) for item in items):
        sizes = {len(item) for item in items}
        if len(sizes) > 1:
            raise ValueError(
                f"inner values have inconsistent shape: lengths {sorted(sizes)} at ragged_rank "
                f"{ragged_rank}"
            )
        shape.append(sizes.pop())
        items = [inner for item in items for inner in item]
    return tuple(shape)


@op_function
def constant(
    pylist: Any,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Any:
    """A ragged tensor of nested lists.

    Args:
        pylist: lists, tuples or arrays, nested to the same depth everywhere.
        dtype: the dtype of the elements; by default their own.
        ragged_rank: the number of ragged axes; by default all but the first.
        inner_shape: the shape of elements of `flat_values`.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor, or a dense one if no axis is ragged.

    Raises:
        ValueError: if scalars are nested to different depths, or ranks do not fit.

    >>> tf.ragged.constant([[1, 2], [], [3]])
    <tf.RaggedTensor [[1, 2], [], [3]]>
    """
    if isinstance(pylist, Tensor | _core.Variable):
        tensor = _core.as_tensor(pylist)
        if tensor.ndim > 1:
            raise ValueError(
                f"pylist is a tensor of shape {tensor.shape}, no nested list; see "
                "tf.RaggedTensor.from_tensor"
            )
        return _core.convert(pylist, dtype and dtypes.as_dtype(dtype), None)
    scalar, deepest = _depths(pylist)
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    splits_type = dtypes.as_dtype(row_splits_dtype)
    if not _is_list(pylist):
        if ragged_rank is not None and ragged_rank != 0:
            raise ValueError(
                f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}"
            )
        if inner_shape:
            raise ValueError(
                f"Invalid pylist={pylist}: incompatible with dim(inner_shape)={len(inner_shape)}"
            )
        return _core.convert(pylist, dtype, None)
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    if scalar is not None and deepest > scalar:
        raise ValueError(
            f"Invalid pylist={pylist}: empty list nesting is greater than scalar nesting"
        )
    if dtype is None and isinstance(pylist, np.ndarray) and pylist.dtype.kind in "biufc":
        dtype = dtypes.as_dtype(pylist.dtype)  # which arrays without elements have, too
    inner = None if inner_shape is None else tuple(int(size) for size in inner_shape)
    if inner is not None and ragged_rank is not None:
        expected = ragged_rank + 1 + len(inner)
        if (scalar is not None and expected != scalar) or (scalar is None and expected < deepest):
            raise ValueError(
                f"Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner)}"
            )
    if ragged_rank is None:
        ragged_rank = max(0, deepest - 1 - (len(inner) if inner is not None else 0))
    if scalar is not None and ragged_rank >= scalar:
        raise ValueError(
            f"Invalid pylist={pylist}: pylist has scalar values depth {scalar}, but ragged_rank="
            f"{ragged_rank} requires scalar value depth greater than {ragged_rank}"
        )
    if inner is None:
        inner = _inner_shape(pylist, ragged_rank)
    items: Any = pylist
    partitions = []
    for _ in range(ragged_rank):
        partitions.append(
            RowPartition.of_lengths(np.array([len(item) for item in items], np.int64), splits_type)
        )
        items = [element for item in items for element in item]
    flat: Any = _flat_values(items, inner, dtype)
    for partition in reversed(partitions):
        flat = RaggedTensor._of(flat, partition)
    return flat


def _flat_values(items: Any, inner: tuple[int, ...], dtype: dtypes.DType | None) -> Tensor:
    if not len(items):
        return _ops.zeros([0, *inner], dtypes.float32 if dtype is None else dtype)
    if isinstance(items, list) and isinstance(items[0], np.ndarray | np.generic):
        items = np.asarray(items)
    flat = _core.convert(items, dtype, None)
    return _ops.reshape(flat, [len(items), *inner])


@op_function(in_graph=on_host(graph_specs.ranges))
def ragged_range(
    starts: TensorLike,
    limits: TensorLike | None = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> RaggedTensor:
    """A range of values in each row.

    Args:
        starts: the first number of each row, a vector or a scalar; the limits, if `limits` is None.
        limits: the exclusive end of each row.
        deltas: the step of each row.
        dtype: the dtype of the numbers.
        row_splits_dtype: int32 or int64.

    Raises:
        tf.errors.InvalidArgumentError: if a step is zero.

    >>> tf.ragged.range([3, 0, 2])
    <tf.RaggedTensor [[0, 1, 2], [], [0, 1]]>
    """
    if limits is None:
        starts, limits = 0, starts
    tensors = [_core.convert(value, dtype, None) for value in (starts, limits, deltas)]
    if dtype is None:
        order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
        widest = max((tensor.dtype for tensor in tensors), key=order.index)
        tensors = [_ops.cast(tensor, widest) for tensor in tensors]
    kind = tensors[0].dtype
    if any(tensor.ndim > 1 for tensor in tensors):
        raise invalid_argument("starts, limits and deltas must be scalars or vectors")
    arrays = [tensor.numpy() for tensor in tensors]
    sizes = {array.size for array in arrays if array.ndim}
    if len(sizes) > 1:
        raise invalid_argument(
            f"starts, limits, and deltas must have the same shape, got {sorted(sizes)}"
        )
    count = sizes.pop() if sizes else 1
    first, end, step = (np.broadcast_to(array, [count]) for array in arrays)
    if (step == 0).any():
        raise invalid_argument("Requires delta != 0")
    if kind.is_integer:
        lengths = np.maximum(0, -((first.astype(np.int64) - end) // step))
    else:
        lengths = np.maximum(0, np.ceil(np.abs((end - first) / step)) * ((end - first) * step > 0))
    lengths = lengths.astype(np.int64)
    partition = RowPartition.of_lengths(lengths, dtypes.as_dtype(row_splits_dtype))
    ids = partition.rowids
    offsets = partition.offsets
    values = first[ids] + offsets.astype(first.dtype) * step[ids]
    return RaggedTensor._of(_core.convert(values.astype(first.dtype), kind, None), partition)


def _segment_ids_spec(splits: Any, name: str | None = None, out_type: Any = None) -> TensorSpec:
    tensor = _core.convert(splits, None, dtypes.int64)
    return TensorSpec([None], tensor.dtype if out_type is None else out_type)


@op_function(in_graph=on_host(_segment_ids_spec))
def row_splits_to_segment_ids(
    splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None
) -> Tensor:
    """The row of each element, from row splits.

    >>> tf.ragged.row_splits_to_segment_ids([0, 2, 2, 5]).numpy()
    array([0, 0, 2, 2, 2])
    """
    tensor = _core.convert(splits, None, dtypes.int64)
    if not tensor.dtype.is_integer:
        raise ValueError(f"splits must have dtype int32 or int64, got {tensor.dtype.name}")
    if tensor.ndim != 1 or not tensor._size:
        raise ValueError("Invalid row_splits: []")
    dtype = tensor.dtype if out_type is None else dtypes.as_dtype(out_type)
    lengths = np.diff(tensor.numpy())
    return _core.convert(np.repeat(np.arange(len(lengths)), lengths), dtype, None)


def _row_splits_spec(
    segment_ids: TensorLike, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> TensorSpec:
    tensor = _core.convert(segment_ids, None, dtypes.int64)
    default = tensor.dtype if isinstance(segment_ids, Tensor | np.ndarray) else dtypes.int64
    count = None if num_segments is None else graph_specs.integer(num_segments)
    size = None if count is None else count + 1
    return TensorSpec([size], default if out_type is None else out_type)


@op_function(in_graph=on_host(_row_splits_spec))
def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: Any = None,
    out_type: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Row splits, from the row of each element.

    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 2]).numpy()
    array([0, 2, 2, 3])
    """
    tensor = _core.convert(segment_ids, None, dtypes.int64)
    if not tensor.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: segment_ids) must be of type integer. Received "
            f"dtype={tensor.dtype.name}"
        )
    if tensor.ndim != 1:
        raise ValueError(f"Shape {tensor.shape} must have rank 1")
    default = tensor.dtype if isinstance(segment_ids, Tensor | np.ndarray) else dtypes.int64
    dtype = default if out_type is None else dtypes.as_dtype(out_type)
    ids = tensor.numpy().astype(np.int64)
    count = 0 if num_segments is None else int(num_segments)
    if ids.size and num_segments is not None and ids.max() >= count:
        raise invalid_argument(f"segment_ids must be below num_segments={count}")
    if ids.size and ids.min() < 0:
        raise invalid_argument("Input arr must be non-negative!")
    lengths = np.bincount(ids, minlength=count) if ids.size else np.zeros(count, np.int64)
    return _core.convert(np.append(0, np.cumsum(lengths)), dtype, None)


@op_function(in_graph=on_host(graph_specs.masked))
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The elements for which a mask is true, row by row.

    Args:
        data: ragged or dense.
        mask: booleans, ragged or dense, of the shape of the first axes of `data`.

    Returns:
        A tensor with the rank of `data` if the mask has several axes; dense if the mask has one axis
        and `data` is dense.

    Raises:
        ValueError: if the mask is a scalar or of other shape.
        TypeError: if it has no booleans.

    >>> tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False] * 3])
    <tf.RaggedTensor [[1, 3], []]>
    """
    data, mask = convert(data), convert(mask)
    if mask.dtype is not dtypes.bool:
        raise TypeError(f"The mask holds booleans, not values of {mask.dtype.name}")
    rank = len(mask.shape)
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if len(data.shape) < rank:
        raise ValueError(f"mask of rank {rank} is too large for data of shape {data.shape}")
    if isinstance(data, Tensor) and isinstance(mask, Tensor):
        shapes = data._shape_tuple()[:rank], mask._shape_tuple()
        if shapes[0] != shapes[1]:
            raise ValueError(f"Shapes {shapes[0]} and {shapes[1]} are incompatible")
    dtype = splits_dtype([data, mask])
    return _masked(data, mask, rank, dtype)


def _masked(data: Any, mask: Any, rank: int, dtype: dtypes.DType) -> Any:
    if rank == 1:
        chosen = mask.numpy()
        if rows_of(data) != len(chosen):
            raise invalid_argument(f"The mask has {len(chosen)} rows, the data {rows_of(data)}")
        indices = np.flatnonzero(chosen)
        return slices_at(data, indices) if isinstance(data, Tensor) else gather_rows(data, indices)
    data, mask = as_ragged(data, 1, dtype), as_ragged(mask, 1, dtype)
    check_same_rows([data, mask])
    if rank > 2:
        return data.with_values(_masked(data.values, mask.values, rank - 1, dtype))
    chosen = mask.values.numpy()
    partition = mask._partition
    lengths = np.bincount(partition.rowids[chosen], minlength=partition.static_nrows)
    return RaggedTensor._of(
        gather_rows(data.values, np.flatnonzero(chosen)), RowPartition.of_lengths(lengths, dtype)
    )


@op_function
def map_flat_values(op: Callable, *args: object, **kwargs: object) -> RaggedTensor:
    """Applies a function to the elements of ragged tensors.

    Args:
        op: called with the `flat_values` of each ragged argument, and the other arguments.
        *args: arguments; ragged ones, also in lists, must have the same rows.
        **kwargs: arguments by name.

    Returns:
        The result with the rows of the arguments.

    Raises:
        ValueError: if the number of elements changes, or arguments have different numbers of rows.
        tf.errors.InvalidArgumentError: if rows differ.

    >>> tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[1, 2], [3]]))
    <tf.RaggedTensor [[1, 4], [9]]>
    """
    ragged: list[RaggedTensor] = []

    def flat(value: object) -> Any:
        if isinstance(value, RaggedTensor):
            ragged.append(value)
            return value.flat_values
        if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
            return type(value)(flat(item) for item in value)
        if isinstance(value, dict):
            return {key: flat(item) for key, item in value.items()}
        return value

    flat_args = flat(list(args))
    flat_kwargs = flat(kwargs)
    if not ragged:
        return op(*args, **kwargs)
    first = ragged[0]
    for other in ragged[1:]:
        _check_same_rows(first, other)
    result = op(*flat_args, **flat_kwargs)
    if not isinstance(result, RaggedTensor):
        result = _core.as_tensor(result)
    count = first.flat_values._shape_tuple()[0]
    size = None if not len(result.shape) else rows_of(result)
    if not sizes_may_equal(size, count):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same "
            f"outer-dimension size as flat_values of any ragged inputs. (output shape: "
            f"{result.shape}; expected outer dimension size: {count})"
        )
    return first.with_flat_values(result)


def _check_same_rows(one: RaggedTensor, other: RaggedTensor) -> None:
    """Raises unless the rows are equal; in graphs, unless their known sizes are."""
    ours, theirs = one._partitions(), other._partitions()
    if len(ours) != len(theirs):
        raise ValueError(
            f"All ragged inputs must have the same ragged_rank, got {len(ours)} and {len(theirs)}."
        )
    sizes = [rows_of(value.flat_values) for value in (one, other)]
    if not sizes_may_equal(*sizes):
        raise ValueError(
            "The flat_values of ragged inputs must have the same outer-dimension size, got "
            f"{sizes[0]} and {sizes[1]}."
        )
    for a, b in zip(ours, theirs, strict=True):
        if not sizes_may_equal(a.static_nrows, b.static_nrows):
            raise ValueError("Ragged inputs have incompatible row_splits: other numbers of rows.")
        if _core.building() is None and not np.array_equal(a.splits, b.splits):
            raise invalid_argument("All ragged inputs must have identical row_splits")


@op_function(in_graph=on_host(graph_specs.stacked_partitions))
def stack_dynamic_partitions(
    data: Any, partitions: TensorLike, num_partitions: Any, name: str | None = None
) -> RaggedTensor:
    """The slices of each partition as a row.

    Args:
        data: ragged or dense.
        partitions: the row of each slice along the first axes of `data`.
        num_partitions: the number of rows.

    Raises:
        tf.errors.InvalidArgumentError: if a partition is out of range.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 2)
    <tf.RaggedTensor [[b'b'], [b'a', b'c']]>
    """
    data, which = convert(data), convert(partitions)
    if not isinstance(which, RaggedTensor) and not isinstance(partitions, Tensor):
        which = _core.convert(partitions, None, dtypes.int32)  # a list without elements, too
    if isinstance(which, RaggedTensor):
        data = as_ragged(data, which.ragged_rank, which._partition.dtype)
        while isinstance(which, RaggedTensor):
            data, which = data.values, which.values
    rows = which.numpy()
    shape = tuple(data.shape)[: rows.ndim]
    if shape != rows.shape:
        raise ValueError(f"Shapes {rows.shape} and {shape} are incompatible")
    if not which.dtype.is_integer:
        raise invalid_argument(f"partitions must be integers, got {which.dtype.name}")
    if rows.ndim > 1:
        data = _ops.reshape(data, [rows.size, *data._shape_tuple()[rows.ndim :]])
        rows = rows.reshape(-1)
    count = int(num_partitions)
    if rows.ndim == 0:
        insert = expand_dims if isinstance(data, RaggedTensor) else _ops.expand_dims
        data, rows = insert(data, 0), rows.reshape(1)
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        raise invalid_argument(f"partitions must lie within [0, {count})")
    order = np.argsort(rows, kind="stable")
    lengths = np.bincount(rows, minlength=count)
    # Partitions are int32, and so are the splits, unless the data has splits of its own.
    dtype = data._partition.dtype if isinstance(data, RaggedTensor) else dtypes.int32
    return RaggedTensor._of(gather_rows(data, order), RowPartition.of_lengths(lengths, dtype))
