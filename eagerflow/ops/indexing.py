"""Picking and placing elements by index, searching and sorting."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.host_call import on_host, when_ranks_are_known
from eagerflow.framework.op_function import op_function
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import as_column, is_known, may_equal, reshaped, sizes_of, with_axes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import INDEX_TYPES, Input, composed_op
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


Unique = namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = namedtuple("UniqueWithCounts", ["y", "idx", "count"])
TopKV2 = namedtuple("TopKV2", ["values", "indices"])


@op_function
def where(condition: TensorLike, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where a condition holds and of `y` elsewhere; or the indices where it holds.

    Args:
        condition: booleans; other values are true unless zero.
        x: the elements where it holds.
        y: the elements elsewhere, of the same dtype. The three shapes broadcast.

    Returns:
        The chosen elements. Without `x` and `y`: int64 `[n, rank]`, the indices of the n true
        elements in row-major order.

    Raises:
        ValueError: if only one of `x` and `y` is given.

    >>> tf.where([True, False], [1, 2], [3, 4]).numpy()
    array([1, 4], dtype=int32)
    >>> tf.where([[True, False], [False, True]]).numpy()
    array([[0, 0],
           [1, 1]])
    """
    if x is None and y is None:
        return _ops.where_indices(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    # With lists, the condition is checked here; with tensors and scalars the operation checks it.
    asked = isinstance(x, list) or isinstance(y, list) or not isinstance(condition, Tensor)
    if asked and not isinstance(condition, CompositeTensor):
        condition = _core.convert(condition, dtypes.bool, None)
    return _ops.select(condition, x, y)


def select_rows(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Elements of `x` or `y` as in version 1: a condition that is a vector chooses whole rows."""
    if condition.ndim is None:
        spec = TensorSpec(x.shape, x.dtype)
        return when_ranks_are_known(lambda *_: spec)(select_rows)(condition, x, y)
    return _ops.select(as_column(condition, x) if condition.ndim == 1 else condition, x, y)


@op_function
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Slices of a tensor at indices along an axis.

    Args:
        params: a tensor of rank 1 or more.
        indices: int32 or int64, of any shape.
        validate_indices: ignored; indices are always checked.
        axis: the axis; by default the first after the batch axes.
        batch_dims: how many leading axes `params` and `indices` have in common. There are none with
            an axis of 0.

    Returns:
        A tensor in which `axis` has been replaced by the axes of `indices`.

    Raises:
        tf.errors.InvalidArgumentError: if an index is out of range.

    >>> tf.gather([10, 20, 30], [2, 0, 2]).numpy()
    array([30, 10, 30], dtype=int32)
    """
    if axis is None:
        axis = batch_dims
    elif batch_dims and _is_zero(axis):  # TensorFlow then does not pass them on
        batch_dims = 0
    return _ops.gather(params, indices, axis, batch_dims)


def _is_zero(axis: Any) -> bool:
    if isinstance(axis, Tensor) and _core.is_symbolic(axis):
        axis = _core.static_value(axis)
    return axis is not None and int(axis) == 0


@op_function
def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """Slices of a tensor at coordinates.

    Args:
        params: a tensor.
        indices: int32 or int64; the last axis holds coordinates along the first axes of `params`
            after the batch axes.
        batch_dims: how many leading axes `params` and `indices` have in common.
        bad_indices_policy: ignored; indices are always checked.

    Raises:
        tf.errors.InvalidArgumentError: if coordinates are out of range.

    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()
    array([2, 3], dtype=int32)
    """
    if type(batch_dims) is int and batch_dims < 0:
        raise ValueError(
            f"tf.gather_nd does not allow negative batch_dims, got batch_dims={batch_dims}"
        )
    return _ops.gather_nd(params, indices, batch_dims)


@composed_op(
    "ScatterNd",
    indices=Input(INDEX_TYPES, type="Tindices", no_kernel=("int16",)),
    updates=Input(),
    shape=Input(INDEX_TYPES, type="Tindices", no_kernel=("int16",)),
)
def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """A tensor of zeros to which slices are added at coordinates.

    Args:
        indices: int32 or int64; the last axis holds coordinates along the first axes.
        updates: the slices.
        shape: the shape of the result.
        bad_indices_policy: ignored; indices are always checked.

    Raises:
        tf.errors.InvalidArgumentError: if coordinates are out of range or shapes do not fit.

    >>> tf.scatter_nd([[1], [3], [1]], [5, 6, 7], [4]).numpy()
    array([ 0, 12,  0,  6], dtype=int32)
    """
    updates = _core.as_tensor(updates)
    if updates.dtype is dtypes.bool:
        counts = _ops.scatter_nd(indices, _ops.cast(updates, dtypes.int32), shape)
        return _ops.cast(counts, dtypes.bool)
    return _ops.scatter_nd(indices, updates, shape)


@op_function
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """The slices of a tensor where a mask is true.

    Args:
        tensor: a tensor of rank n.
        mask: booleans of rank k, 1 <= k <= n, whose shape equals that of k axes of `tensor`.
        axis: the first of these axes; 0 by default.

    Returns:
        A tensor of rank n - k + 1.

    Raises:
        ValueError: if the mask is a scalar or the shapes differ.

    >>> tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy()
    array([[1, 2],
           [5, 6]], dtype=int32)
    """
    tensor = _core.as_tensor(tensor)
    mask = _core.as_tensor(mask)
    known = 0 if axis is None else _core.static_value(_core.as_tensor(axis))
    mask_sizes = mask._shape_tuple()
    if mask_sizes is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None. E.g. "
            "shape=[None] is ok, but shape=None is not."
        )
    if not mask_sizes:
        raise ValueError("mask cannot be scalar.")
    if known is None or (tensor.ndim is None and int(known) >= 0):
        first = _ops.reshape(axis, []) if known is None else int(known)
        return with_axes(tensor, first, len(mask_sizes), lambda flat: boolean_mask(flat, mask, 1))
    start = int(known)
    sizes = sizes_of(tensor)
    if start < 0:
        start += len(sizes)
    end = start + len(mask_sizes)
    tensor.shape[start:end].assert_is_compatible_with(TensorShape(mask_sizes))
    flat = reshaped(tensor, [*sizes[:start], math.prod(sizes[start:end]), *sizes[end:]])
    chosen = _ops.squeeze(_ops.where_indices(_ops.reshape(mask, [-1])), [1])
    return _ops.gather(flat, chosen, start, 0)


@op_function
def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike | None = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Where to insert values so that sequences remain sorted.

    Args:
        sorted_sequence: ascending along the last axis.
        values: of the same dtype and sizes, but for the last axis.
        side: "left" finds the first position, "right" the last.
        out_type: int32 or int64; None means int32.

    >>> tf.searchsorted([1, 3, 5], [3, 4]).numpy()
    array([1, 2], dtype=int32)
    """
    sequence = _core.as_tensor(sorted_sequence)
    values = _core.convert(values, None, sequence.dtype)
    if side not in ("left", "right"):
        raise ValueError(f"`side` must be either 'right' or 'left'. Received: side={side}")
    out_type = dtypes.as_dtype(dtypes.int32 if out_type is None else out_type)
    if sequence.ndim != values.ndim and sequence.ndim and values.ndim:
        *outer, length = sizes_of(sequence)
        *others, count = sizes_of(values)
        rows, other = math.prod(outer), math.prod(others)
        if not is_known(rows, other) or rows == other:
            # Only the number of rows has to agree.
            matrix, looked_up = reshaped(sequence, [rows, length]), reshaped(values, [other, count])
            flat = _ops.searchsorted(matrix, looked_up, side, out_type)
            return reshaped(flat, [*others, count])
    return _ops.searchsorted(sequence, values, side, out_type)


def _checked_direction(direction: str) -> str:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            "Argument `direction` should be one of ASCENDING, DESCENDING. "
            f"Received: direction={direction}"
        )
    return direction


@op_function
def sort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """The elements sorted along an axis.

    Args:
        values: a numeric tensor.
        axis: the axis; the last by default.
        direction: "ASCENDING" or "DESCENDING".

    Raises:
        ValueError: if `direction` is unknown.

    >>> tf.sort([3.0, 1.0, 2.0], direction="DESCENDING").numpy()
    array([3., 2., 1.], dtype=float32)
    """
    return _ops.sort(values, axis, _checked_direction(direction))


@op_function
def argsort(
    values: TensorLike,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The indices, int32, that sort the elements along an axis; equal ones keep their order.

    >>> tf.argsort([30, 10, 20]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    return _ops.argsort(values, axis, _checked_direction(direction))


@op_function
def top_k(
    input: TensorLike,
    k: Any = 1,
    sorted: bool = True,
    index_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> TopKV2:
    """The k largest elements along the last axis and their indices.

    Args:
        input: a numeric tensor of rank 1 or more.
        k: how many; at most the size of the axis.
        sorted: whether the largest come first.
        index_type: int32 or int64.

    Returns:
        A pair `(values, indices)`. Of equal elements the one with the lower index comes first.

    Raises:
        tf.errors.InvalidArgumentError: if there are fewer elements.

    >>> values, indices = tf.math.top_k([1, 9, 4], k=2)
    >>> values.numpy(), indices.numpy()
    (array([9, 4], dtype=int32), array([1, 2], dtype=int32))
    """
    values, indices = _ops.top_k(input, k, sorted)
    if index_type is dtypes.int32:
        return TopKV2(values, indices)
    index_type = dtypes.as_dtype(index_type)
    return TopKV2(
        values, indices if index_type is indices.dtype else _ops.cast(indices, index_type)
    )


@op_function
def unique(x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct elements of a vector in order of appearance, and each element's index in them.

    >>> y, idx = tf.unique([7, 8, 7])
    >>> y.numpy(), idx.numpy()
    (array([7, 8], dtype=int32), array([0, 1, 0], dtype=int32))
    """
    y, idx, _ = _ops.unique_with_counts(x, out_idx)
    return Unique(y, idx)


@op_function
def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> UniqueWithCounts:
    """Like `tf.unique`, with how often each element appears.

    >>> tf.unique_with_counts([7, 8, 7]).count.numpy()
    array([2, 1], dtype=int32)
    """
    return UniqueWithCounts(*_ops.unique_with_counts(x, out_idx))


def _coordinates_spec(indices: Tensor, dims: ShapeLike, name: str | None = None) -> TensorSpec:
    indices = _core.convert(indices, None, dtypes.int32)
    rank = _core.convert(dims, indices.dtype, None).shape.with_rank(1)
    return TensorSpec(rank.concatenate(indices.shape), indices.dtype)


@composed_op(
    "UnravelIndex",
    in_graph=on_host(_coordinates_spec),
    indices=Input(INDEX_TYPES, type="Tidx", prefer="int32"),
    dims=Input(INDEX_TYPES, type="Tidx", prefer="int32"),
)
def unravel_index(indices: TensorLike, dims: ShapeLike, name: str | None = None) -> Tensor:
    """Coordinates of elements from their flat indices in row-major order.

    Args:
        indices: flat indices, int32 or int64, a scalar or a vector.
        dims: the sizes of the axes, a vector.

    Returns:
        A tensor `[rank]` or `[rank, n]`.

    Raises:
        tf.errors.InvalidArgumentError: if a size is not positive, their product is too large for
            the dtype, or an index is beyond it.

    >>> tf.unravel_index([5], [2, 3]).numpy()
    array([[1],
           [2]], dtype=int32)
    """

    indices = _core.convert(indices, None, dtypes.int32)
    dims = _core.convert(dims, indices.dtype, None)
    if indices.dtype not in (dtypes.int32, dtypes.int64):
        _core.refuse_attr("Tidx", indices.dtype, INDEX_TYPES, "UnravelIndex")
    if indices.ndim > 1:
        raise invalid_argument(
            f"The indices can only be scalar or vector, got shape {indices.shape} [Op:UnravelIndex]"
        )
    if dims.ndim != 1:
        raise invalid_argument(f"dims can only be 1-D, got shape {dims.shape} [Op:UnravelIndex]")
    if not indices._size:
        raise invalid_argument("received empty tensor indices [Op:UnravelIndex]")
    sizes, positions = dims.numpy().tolist(), indices.numpy()
    for axis, size in enumerate(sizes):
        if size < 0:
            raise invalid_argument(
                f"Input dims cannot be negative. Got dim = {size} at index {axis} [Op:UnravelIndex]"
            )
        if size == 0:
            raise invalid_argument(
                "Input dims cannot contain a dim of zero, but dims contains zero at index "
                f"{axis} [Op:UnravelIndex]"
            )
    total = math.prod(sizes)
    if total > indices.dtype.max:
        raise invalid_argument(
            f"Input dims product is causing integer overflow: {sizes} [Op:UnravelIndex]"
        )
    if (positions >= total).any():
        raise invalid_argument(f"index is out of bound as with dims {sizes} [Op:UnravelIndex]")
    coordinates = np.empty((len(sizes), *positions.shape), positions.dtype)
    for axis, size in enumerate(sizes):
        # Signs are kept, as in C: negative indices have negative coordinates.
        inner = total // size
        coordinates[axis] = (positions - np.fmod(positions, inner)) // inner
        positions, total = np.fmod(positions, inner), inner
    return _core.convert(coordinates, indices.dtype, None)


@composed_op("InvertPermutation", x=Input(INDEX_TYPES, prefer="int32"))
def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes another one.

    Raises:
        tf.errors.InvalidArgumentError: if `x` is not a permutation.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    return _ops.invert_permutation(x)


@op_function
def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Reverses the first elements of each sequence in a batch.

    Args:
        input: a tensor.
        seq_lengths: for each batch element, how many elements to reverse.
        seq_axis: the axis of the sequences.
        batch_axis: the axis of the batch; 0 by default.

    >>> tf.reverse_sequence([[1, 2, 3]], [2], seq_axis=1, batch_axis=0).numpy()
    array([[2, 1, 3]], dtype=int32)
    """
    value = _core.as_tensor(input)
    batch = 0 if batch_axis is None else batch_axis
    axis: Any = seq_axis
    for k in (axis, batch):
        if not hasattr(k, "__index__"):
            raise TypeError(f"Expected int for argument 'seq_axis' or 'batch_axis' not {k!r}.")
    lengths = _core.as_tensor(seq_lengths)
    if lengths.dtype not in (dtypes.int32, dtypes.int64):
        raise invalid_argument(
            f"seq_lengths must be int32 or int64, not {lengths.dtype} [Op:ReverseSequence]"
        )
    return _ops.reverse_sequence(value, lengths, axis, batch)


@composed_op("DynamicPartition", data=Input(), partitions=Input("int32"))
def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Distributes slices over several tensors.

    Args:
        data: a tensor.
        partitions: int32, of the shape of the first axes of `data`: which tensor a slice goes to.
        num_partitions: how many tensors there are.

    Raises:
        tf.errors.InvalidArgumentError: if an entry of `partitions` is out of range.

    >>> [part.numpy().tolist() for part in tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2)]
    [[1, 3], [2]]
    """
    which = _core.convert(partitions, dtypes.int32, None)
    return _ops.dynamic_partition(data, which, int(num_partitions))


@op_function
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Puts slices of several tensors into one; the last slice for an index wins.

    >>> tf.dynamic_stitch([[0, 2], [1]], [[1, 3], [2]]).numpy()
    array([1, 2, 3], dtype=int32)
    """
    rows = [
        _core.as_tensor(part) if isinstance(part, _core.Variable) else part
        for part in (indices, data)
    ]
    if all(isinstance(part, list | tuple) or getattr(part, "ndim", 0) for part in rows):
        rows = [_ops.unstack(part) if isinstance(part, Tensor) else part for part in rows]
    if rows[0] is not indices or rows[1] is not data:
        if len(rows[0]) != len(rows[1]):
            raise invalid_argument(
                f"dynamic_stitch needs as many tensors of data as of indices, got {len(rows[1])} "
                f"and {len(rows[0])} [Op:DynamicStitch]"
            )
    return _dynamic_stitch(*rows)


@composed_op(
    "DynamicStitch",
    overridable=False,
    indices=Input("int32", variadic=True),
    data=Input(variadic=True),
)
def _dynamic_stitch(indices: Any, data: Any) -> Tensor:
    if len(indices) != len(data):
        raise ValueError(
            f"List argument 'data' to 'dynamic_stitch' with length {len(data)} must match length "
            f"{len(indices)} of argument 'indices'."
        )
    if not len(indices):
        raise invalid_argument("dynamic_stitch needs at least one tensor [Op:DynamicStitch]")
    positions = [_core.convert(part, None, dtypes.int32) for part in indices]
    parts = [_core.as_tensor(part) for part in data]
    inner = sizes_of(parts[0])[len(sizes_of(positions[0])) :]
    known = [None if not is_known(size) else size for size in inner]
    for k, (position, part) in enumerate(zip(positions, parts, strict=True)):
        if position.dtype is not dtypes.int32:
            raise invalid_argument(
                f"indices[{k}] must be int32, not {position.dtype.name} [Op:DynamicStitch]"
            )
        if not may_equal(part._shape_tuple(), (*position._shape_tuple(), *known)):
            raise invalid_argument(
                f"data[{k}].shape = {part.shape.as_list()} does not fit indices[{k}].shape = "
                f"{position.shape.as_list()} and slices of shape {list(inner)} [Op:DynamicStitch]"
            )
    if any(position.ndim != 1 for position in positions):
        parts = [
            reshaped(part, [math.prod(sizes_of(position)), *inner])
            for position, part in zip(positions, parts, strict=True)
        ]
        positions = [_ops.reshape(position, [-1]) for position in positions]
    if len(positions) == 1:
        return _ops.stitch_rows(positions[0], parts[0])
    return _ops.stitch_rows(_ops.concat(positions, 0), _ops.concat(parts, 0))
