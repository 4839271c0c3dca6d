"""Sparse tensors concatenated, sliced, reshaped, transposed and filtered."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import checked_output_count, sizes_may_equal
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument, slices_at
from eagerflow.ops.sets import setdiff1d
from eagerflow.sparse.conversion import checked, ordered, reorder, sizes_of, spec_like, spec_of_rank
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec, assembled
from eagerflow.typing import Axes, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _concat_spec(
    axis: Axes, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensorSpec:
    inputs = [checked(value) for value in sp_inputs]
    shapes = [value.shape for value in inputs]
    ranks = {shape.rank for shape in shapes}
    if len(ranks) > 1 or None in ranks or not isinstance(axis, int) or expand_nonconcat_dims:
        return spec_of_rank(inputs[0])
    columns = list(zip(*(shape.as_list() for shape in shapes), strict=True))
    sizes = [next((size for size in column if size is not None), None) for column in columns]
    along = columns[axis]
    sizes[axis] = None if None in along else sum(along)
    return SparseTensorSpec(sizes, inputs[0].dtype)


@op_function(in_graph=on_host(_concat_spec))
def concat(
    axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Concatenates sparse tensors along an axis.

    Args:
        axis: the axis.
        sp_inputs: a list of sparse tensors of one rank.
        expand_nonconcat_dims: whether the other sizes may differ; the result has the largest.

    Raises:
        tf.errors.InvalidArgumentError: if ranks or sizes differ.

    >>> one = tf.SparseTensor([[0, 0]], [1], [1, 2])
    >>> tf.sparse.concat(1, [one, one]).indices.numpy().tolist()
    [[0, 0], [0, 2]]
    """
    values = [checked(item) for item in sp_inputs]
    if not values:
        raise ValueError("sp_inputs must hold at least one SparseTensor")
    sizes = [sizes_of(item).tolist() for item in values]
    rank = len(sizes[0])
    axis = int(axis)
    if not -rank <= axis < rank:
        raise invalid_argument(f"Concat dimension must be in range [{-rank}, {rank}), got {axis}")
    axis %= rank
    for k, size in enumerate(sizes):
        if len(size) != rank:
            raise invalid_argument(
                f"Ranks of all input tensors must match: expected {rank} but got {len(size)} at "
                f"position {k} [Op:SparseConcat]"
            )
    shape = [max(column) for column in zip(*sizes, strict=True)]
    shape[axis] = sum(item[axis] for item in sizes)
    offset, indices = 0, []
    offsets: list[int] = []
    for k, (item, own) in enumerate(zip(values, sizes, strict=True)):
        for dim in range(rank):
            if dim != axis and own[dim] != sizes[0][dim] and not expand_nonconcat_dims:
                raise invalid_argument(
                    f"Input shapes must match: expected {sizes[0][dim]} for dimension {dim} but "
                    f"got {own[dim]} at position {k} [Op:SparseConcat]"
                )
        indices.append(_ops.add(item.indices, offsets) if offset else item.indices)
        offset += own[axis]
        offsets = [0] * rank
        offsets[axis] = offset
    elements = [item.values for item in values]
    joined = _ops.concat(elements, 0) if len(elements) > 1 else elements[0]
    moved = _ops.concat(indices, 0) if len(indices) > 1 else indices[0]
    return reorder(assembled(moved, joined, _core.convert(shape, dtypes.int64, None)))


def _sliced_spec(sp_input: SparseTensor, *_: object, **__: object) -> SparseTensorSpec:
    return spec_of_rank(checked(sp_input))


@op_function(in_graph=on_host(_sliced_spec))
def slice(
    sp_input: SparseTensor, start: TensorLike, size: TensorLike, name: str | None = None
) -> SparseTensor:
    """A part of a sparse tensor.

    Args:
        sp_input: the sparse tensor.
        start: where the part begins along each axis.
        size: its sizes; it is cut at the ends of the tensor.

    >>> tf.sparse.slice(tf.sparse.from_dense([[1, 0, 2]]), [0, 1], [1, 2]).indices.numpy().tolist()
    [[0, 1]]
    """
    value = checked(sp_input)
    sizes = sizes_of(value).tolist()
    begin = _core.convert(start, dtypes.int64, None).numpy()
    extent = _core.convert(size, dtypes.int64, None).numpy()
    if begin.shape != (len(sizes),) or extent.shape != begin.shape:
        raise invalid_argument(
            f"start and size must have {len(sizes)} elements, got {begin.size} and {extent.size}"
        )
    first, part = [], []
    for before, wanted, length in zip(begin.tolist(), extent.tolist(), sizes, strict=True):
        # A start far before the tensor would exceed the engine's integers.
        first.append(max(before, -(2**62)))
        part.append(max(min(wanted, min(before + wanted, length) - first[-1]), 0))
    indices, values = elements_within(value, first, part, [1] * len(part))
    shape = _core.convert(part, dtypes.int64, None)
    return assembled(indices, values, shape, value._in_order)


def elements_within(
    value: SparseTensor, begin: list[int], count: list[int], step: list[int]
) -> tuple[Tensor, Tensor]:
    """The indices and values of a slice's elements: it has `count` indices of each axis, `step` apart."""
    in_order, whole = value._in_order, sizes_of(value).tolist()[1:]
    are_rows = set(step) == {1} and not any(begin[1:]) and count[1:] == whole
    if not (in_order and are_rows):
        indices, inside = _ops.sparse_slice_places(value._indices, begin, count, step, in_order)
        return indices, slices_at(value._values, inside)
    # Whole rows of a tensor in order are its elements from one to another.
    places = np.asarray(value._indices)
    first, last = (
        bisect.bisect_left(range(len(places)), row, key=lambda i: places[i, 0])
        for row in (begin[0], begin[0] + count[0])
    )
    indices = value._indices[first:last]
    if begin[0]:
        indices = _ops.subtract(indices, begin)
    return indices, value._values[first:last]


def _split_specs(sp_input: Any = None, num_split: Any = None, *_: object, **__: object) -> list:
    return [spec_of_rank(checked(sp_input))] * checked_output_count(num_split or 0)


@op_function(in_graph=on_host(_split_specs))
def split(
    sp_input: SparseTensor | None = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """Splits a sparse tensor along an axis; the first parts may be larger by one.

    >>> [part.shape for part in tf.sparse.split(tf.sparse.eye(3), 2, 1)]
    [TensorShape([3, 2]), TensorShape([3, 1])]
    """
    if num_split is None:
        raise ValueError("num_split is required")
    if axis is None:
        raise ValueError("axis is required")
    value = checked(sp_input)
    sizes = sizes_of(value)
    axis, count = int(axis), int(num_split)
    if not -len(sizes) <= axis < len(sizes):
        raise invalid_argument(f"Input axis should be in range [0, {len(sizes)}), got {axis}")
    axis %= len(sizes)
    if not 0 < count <= sizes[axis]:
        raise invalid_argument(
            f"Input num_split should be between 1 and the splitting dimension size "
            f"({sizes[axis]}), got {count}"
        )
    width, larger = divmod(int(sizes[axis]), count)
    parts, begin = [], 0
    for k in range(count):
        start, extent = np.zeros_like(sizes), sizes.copy()
        start[axis], extent[axis] = begin, width + (k < larger)
        begin += int(extent[axis])
        parts.append(slice(value, start, extent))
    return parts


def _reshaped_spec(sp_input: SparseTensor, shape: TensorLike, name: str | None = None) -> Any:
    rank = _core.ops.cast(shape, dtypes.int64)._size
    return SparseTensorSpec(None if rank is None else [None] * rank, checked(sp_input).dtype)


@op_function(in_graph=on_host(_reshaped_spec))
def reshape(sp_input: SparseTensor, shape: TensorLike, name: str | None = None) -> SparseTensor:
    """The same elements in row-major order in another shape, where one size may be -1.

    >>> tf.sparse.reshape(tf.sparse.eye(2), [-1]).indices.numpy().tolist()
    [[0], [3]]
    """
    value = checked(sp_input)
    sizes = sizes_of(value)
    target = np.asarray(_core.ops.cast(shape, dtypes.int64).numpy()).reshape(-1)
    total = math.prod(sizes.tolist())
    unknown = np.flatnonzero(target == -1)
    if len(unknown) > 1 or (target < -1).any():
        raise invalid_argument(f"only one output dimension may be -1, got {target.tolist()}")
    if len(unknown):
        known = math.prod(target[target != -1].tolist())
        if not known or total % known:
            raise invalid_argument(
                f"Input to reshape is a SparseTensor with {total} dense values, but the requested "
                f"shape requires a multiple of {known}. [Op:SparseReshape]"
            )
        target[unknown[0]] = total // known
    if math.prod(target.tolist()) != total:
        raise invalid_argument(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has "
            f"{math.prod(target.tolist())}. input_shape={sizes.tolist()} "
            f"output_shape={target.tolist()} [Op:SparseReshape]"
        )
    indices = _ops.sparse_reshape_places(value._indices, value._dense_shape, target.tolist())
    return assembled(indices, value._values, _core.convert(target, dtypes.int64, None))


def _transposed_spec(sp_input: SparseTensor, perm: Any = None, name: str | None = None) -> Any:
    value = checked(sp_input)
    order = range(value.shape.rank or 0)[::-1] if perm is None else _known_order(perm)
    if value.shape.rank is None or order is None:
        return spec_of_rank(value)
    return SparseTensorSpec([value.shape[axis] for axis in order], value.dtype)


def _known_order(perm: TensorLike) -> Any:
    known = _core.static_value(_core.convert(perm, None, dtypes.int32))
    return None if known is None else known.numpy().tolist()


@op_function(in_graph=on_host(_transposed_spec))
def transpose(
    sp_input: SparseTensor, perm: TensorLike | None = None, name: str | None = None
) -> SparseTensor:
    """The axes in another order, reversed by default.

    >>> tf.sparse.transpose(tf.sparse.from_dense([[1, 2]])).dense_shape.numpy()
    array([2, 1])
    """
    value = checked(sp_input)
    sizes = sizes_of(value).tolist()
    if perm is None:
        order = list(range(len(sizes)))[::-1]
    else:
        order = _core.convert(perm, None, dtypes.int32).numpy().tolist()
    if sorted(order) != list(range(len(sizes))):
        raise invalid_argument(f"{order} is no permutation of {len(sizes)} axes [Op:Transpose]")
    shape = _core.convert([sizes[axis] for axis in order], dtypes.int64, None)
    return ordered(value, value._values, shape, order)


def _expanded_spec(sp_input: Any, axis: Axes | None = None, name: str | None = None) -> Any:
    value = checked(sp_input)
    if value.shape.rank is None or not isinstance(axis, int | None):
        return spec_of_rank(value, 1)
    sizes = value.shape.as_list()
    position = -1 if axis is None else axis
    sizes.insert(position if position >= 0 else len(sizes) + 1 + position, 1)
    return SparseTensorSpec(sizes, value.dtype)


@op_function(in_graph=on_host(_expanded_spec))
def expand_dims(sp_input: SparseTensor, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Inserts an axis of size one, by default at the end.

    >>> tf.sparse.expand_dims(tf.sparse.eye(2), 0).shape
    TensorShape([1, 2, 2])
    """
    value = checked(sp_input)
    sizes = sizes_of(value)
    axis = -1 if axis is None else int(axis)
    if not -len(sizes) - 1 <= axis <= len(sizes):
        raise invalid_argument(
            f"axis must lie within [{-len(sizes) - 1}, {len(sizes)}], got {axis}"
        )
    axis %= len(sizes) + 1
    return SparseTensor(
        np.insert(value.indices.numpy(), axis, 0, axis=1), value.values, np.insert(sizes, axis, 1)
    )


@op_function
def retain(sp_input: SparseTensor, to_retain: TensorLike) -> SparseTensor:
    """The elements that a mask selects.

    Args:
        sp_input: a sparse tensor with n elements.
        to_retain: booleans `[n]`, whether to keep each.

    >>> tf.sparse.retain(tf.sparse.eye(3), [True, False, True]).indices.numpy().tolist()
    [[0, 0], [2, 2]]
    """
    value = checked(sp_input)
    mask = _core.as_tensor(to_retain)
    if mask.ndim != 1:
        raise ValueError(f"Shape {mask.shape} must have rank 1")
    if not sizes_may_equal(mask._size, value.values._size):
        raise ValueError(f"Dimensions {value.values._size} and {mask._size} are not compatible")
    kept = _ops.reshape(_ops.where_indices(mask), [-1])
    indices = _ops.gather(value._indices, kept, 0, 0)
    return assembled(indices, slices_at(value._values, kept), value._dense_shape)


@op_function(in_graph=on_host(_sliced_spec))
def reset_shape(sp_input: SparseTensor, new_shape: ShapeLike | None = None) -> SparseTensor:
    """The same elements in a larger shape, or in the smallest shape that holds them.

    Raises:
        ValueError: if the new shape has another rank, or is smaller.

    >>> tf.sparse.reset_shape(tf.SparseTensor([[0, 1]], [5], [4, 4])).dense_shape.numpy()
    array([1, 2])
    """
    value = checked(sp_input)
    sizes, indices = sizes_of(value), value._indices
    if new_shape is None:
        tight = (
            _ops.add(_ops.reduce_max(indices, [0]), 1) if indices._size else np.zeros_like(sizes)
        )
        return SparseTensor(indices, value.values, tight)
    target = np.asarray(_core.convert(new_shape, dtypes.int64, None).numpy())
    if target.shape != sizes.shape:
        raise ValueError(f"Dimensions {target.size} and {sizes.size} are not compatible")
    if (target < sizes).any():
        raise ValueError(
            "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
            f"({target}), sp_input.shape ({sizes})."
        )
    return SparseTensor(indices, value.values, target)


def _filled_specs(sp_input: SparseTensor, *_: object, **__: object) -> Any:
    spec = spec_like(sp_input)
    rows = None if spec.shape.rank is None else spec.shape.as_list()[0]
    return spec, TensorSpec([rows], dtypes.bool)


@op_function(in_graph=on_host(_filled_specs))
def fill_empty_rows(
    sp_input: SparseTensor, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Sets a default value in the first column of empty rows.

    Args:
        sp_input: a sparse matrix.
        default_value: the value.

    Returns:
        The matrix in order, and booleans: which rows were empty.

    >>> filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1]], [5], [2, 2]), 7)
    >>> filled.values.numpy(), empty.numpy()
    (array([5, 7], dtype=int32), array([False,  True]))
    """
    value = checked(sp_input)
    default = _core.convert(default_value, value.dtype, None)
    if default.ndim:
        raise invalid_argument(
            f"default_value must be a scalar, saw: {default.shape} [Op:SparseFillEmptyRows]"
        )
    rows = int(sizes_of(value)[0])
    indices, order, empty = _ops.sparse_fill_rows(value._indices, rows)
    # An order of -1 is the default value, which is put behind the others.
    count = value._values._size
    elements = _ops.concat([value._values, _ops.reshape(default, [1])], 0)
    if indices._shape_tuple()[0] != count:
        order = _ops.select(_ops.less(order, 0), count, order)
    result = assembled(indices, slices_at(elements, order), value._dense_shape)
    return result, empty


@op_function
def mask(a: Any, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """The slices whose indices are not in `mask_indices`.

    >>> rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 4]))
    >>> tf.sparse.mask(rows, [4]).indices.numpy()
    array([0], dtype=int32)
    """
    indices = _core.as_tensor(a.indices)
    kept, places = setdiff1d(indices, _core.convert(mask_indices, indices.dtype, None))
    return IndexedSlices(_ops.gather(a.values, places, 0, 0), kept, a.dense_shape)


@op_function
def map_values(op: Callable, *args: object, **kwargs: object) -> SparseTensor:
    """Applies a function to the values of sparse tensors.

    Args:
        op: called with the values of each sparse argument, and the others as they are.
        *args: arguments; sparse ones must have the same indices.
        **kwargs: arguments by name.

    Raises:
        ValueError: if no argument is sparse.
        tf.errors.InvalidArgumentError: if indices differ.

    >>> tf.sparse.map_values(tf.add, tf.sparse.eye(2), 5).values.numpy()
    array([6., 6.], dtype=float32)
    """
    sparse: list[SparseTensor] = []

    def values_of(item: object) -> Any:
        if isinstance(item, SparseTensor):
            sparse.append(item)
            return item.values
        if isinstance(item, list | tuple) and not hasattr(item, "_fields"):
            return type(item)(values_of(inner) for inner in item)
        if isinstance(item, dict):
            return {key: values_of(inner) for key, inner in item.items()}
        return item

    flat_args, flat_kwargs = values_of(list(args)), values_of(kwargs)
    if not sparse:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = sparse[0]
    # While a graph is built, indices have no values to compare.
    for other in sparse[1:] if _core.building() is None else []:
        mine, theirs = first.indices, other.indices
        same = mine is theirs or np.array_equal(mine.numpy(), theirs.numpy())
        if not same or not np.array_equal(sizes_of(first), sizes_of(other)):
            raise invalid_argument("Mismatched indices! All sparse inputs must have the same.")
    return first.with_values(op(*flat_args, **flat_kwargs))
