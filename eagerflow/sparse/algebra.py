"""Products, sums and parts of sparse tensors, whose results are sparse."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import is_known, sizes_in
from eagerflow.ops.array import broadcast_static_shape, invalid_argument, slices_at
from eagerflow.sparse.arithmetic import add, sparse_dense_matmul
from eagerflow.sparse.arrangement import elements_within, transpose
from eagerflow.sparse.conversion import checked, flat_indices, reorder, sizes_of, to_dense
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec, assembled

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, name: str | None = None
) -> Any:
    """The product of two matrices, or batches of them, of which at least one is sparse; the same as `a @ b`.

    Args:
        a: `[..., m, k]`, or `[..., k, m]` if it is transposed; sparse or dense.
        b: `[..., k, n]`, or `[..., n, k]` if it is transposed, of the same dtype.
        transpose_a: whether to use the transpose of `a`.
        transpose_b: whether to use the transpose of `b`.

    Returns:
        A sparse tensor `[..., m, n]` in row-major order if both are sparse. It has an element where products
        were added up, also if their sum is zero. Otherwise a dense matrix; batches are not supported there.

    Raises:
        TypeError: if both are dense.
        tf.errors.InvalidArgumentError: if shapes or dtypes do not fit.

    >>> a, b = tf.sparse.from_dense([[1, 2], [0, 3]]), tf.sparse.from_dense([[0, 1], [0, 1]])
    >>> tf.sparse.to_dense(tf.sparse.matmul(a, b)).numpy()
    array([[0, 3],
           [0, 3]], dtype=int32)
    """
    is_sparse = [isinstance(value, SparseTensor) for value in (a, b)]
    if not any(is_sparse):
        raise TypeError(
            "At least one matrix must be a SparseTensor; do you mean to use tf.matmul()?"
        )
    if all(is_sparse):
        a, b = (_transposed(v) if t else v for v, t in ((a, transpose_a), (b, transpose_b)))
        return _sparse_product(a, b)
    a, b = (
        _conjugate(v) if t and v.dtype.is_complex else v
        for v, t in ((a, transpose_a), (b, transpose_b))
    )
    return sparse_dense_matmul(a, b, transpose_a, transpose_b)


def _conjugate(value: Any) -> Any:
    return (
        value.with_values(_ops.conj(value.values))
        if isinstance(value, SparseTensor)
        else _ops.conj(value)
    )


def _transposed(value: SparseTensor) -> SparseTensor:
    order = list(range(len(value.shape)))
    return transpose(value, [*order[:-2], order[-1], order[-2]])


def _product_spec(a: SparseTensor, b: SparseTensor) -> SparseTensorSpec:
    left, right = a.shape.with_rank_at_least(2), b.shape.with_rank_at_least(2)
    if left.rank is None or right.rank is None:
        return SparseTensorSpec(None, a.dtype)
    batch = broadcast_static_shape(left[:-2], right[:-2])
    return SparseTensorSpec(batch.concatenate([left[-2], right[-1]]), a.dtype)


def _sparse_product(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    if a.shape.rank == 2 and b.shape.rank == 2:
        return _matrix_product(a, b)
    return _batch_product(a, b)


def _undefined(a: Any, b: Any) -> Exception:
    return invalid_argument(
        f"The product of tensors of shapes {list(a)} and {list(b)} is undefined [Op:SparseMatMul]"
    )


def _matrix_product(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    _check_dtypes(a, b, "SparseMatMul")
    (rows, inner), (other, columns) = (sizes_in(value._dense_shape, 2) for value in (a, b))
    if is_known(inner, other) and inner != other:
        raise _undefined([rows, inner], [other, columns])
    values, indices = _ops.sparse_product(
        a._values, a._indices, b._values, b._indices, rows, inner, columns
    )
    shape = _ops.concat([a._dense_shape[:1], b._dense_shape[1:]], 0)
    return assembled(indices, values, shape, in_order=True)


@op_function(in_graph=on_host(_product_spec))
def _batch_product(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    ours, theirs = sizes_of(a), sizes_of(b)
    if len(ours) < 2 or len(theirs) < 2 or ours[-1] != theirs[-2]:
        raise _undefined(ours.tolist(), theirs.tolist())
    _check_dtypes(a, b, "SparseMatMul")
    # The batch is a matrix of blocks on the diagonal, times the matrices one below the other.
    left, right = _Coordinates(a), _Coordinates(b)
    try:
        batch = np.array(np.broadcast_shapes(tuple(ours[:-2]), tuple(theirs[:-2])), np.int64)
    except ValueError:
        raise _undefined(ours.tolist(), theirs.tolist()) from None
    (m, inner), n = ours[-2:].tolist(), int(theirs[-1])
    count = math.prod(map(int, batch))

    def matrix(value: SparseTensor, own: _Coordinates, diagonal: bool) -> tuple[Tensor, np.ndarray]:
        sizes = own.sizes[-2:]
        for _ in range(len(batch) + 2 - len(own.sizes)):
            own.insert(0, 1)
        spread = _spread(value, own, np.concatenate([batch, sizes]))
        places = spread._indices.numpy()
        block = flat_indices(places[:, :-2], batch)
        row, column = places[:, -2] + block * sizes[0], places[:, -1]
        return spread._values, np.stack([row, column + block * sizes[1] * diagonal], 1)

    first, first_places = matrix(a, left, True)
    second, second_places = matrix(b, right, False)
    values, indices = _ops.sparse_product(
        first, first_places, second, second_places, count * m, count * inner, n
    )
    row, column = indices.numpy().T
    block, row = np.divmod(row, max(m, 1))
    axes = np.unravel_index(block, tuple(batch)) if len(block) else [block] * len(batch)
    sizes = np.concatenate([batch, [m, n]]).astype(np.int64)
    return assembled(
        _core.as_tensor(np.stack([*axes, row, column], 1)), values, _core.as_tensor(sizes)
    )


class _Coordinates:
    """The indices of a sparse tensor as columns, and its sizes, to which axes of size 1 can be added."""

    def __init__(self, value: SparseTensor) -> None:
        self.sizes = sizes_of(value)
        self.columns = list(value._indices.numpy().T)
        self.count = value._values.shape[0]

    def insert(self, axis: int, size: int) -> None:
        self.sizes = np.insert(self.sizes, axis, size)
        self.columns.insert(axis, np.zeros(self.count, np.int64))

    def keys(self, axes: list[int]) -> np.ndarray:
        """Each element's position in the axes, in row-major order."""
        return (
            flat_indices(np.stack([self.columns[k] for k in axes], 1), self.sizes[axes])
            if axes
            else np.zeros(self.count, np.int64)
        )


def _joined(
    a: _Coordinates, b: _Coordinates, op: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """All pairs of elements that meet when two tensors are broadcast.

    Returns:
        The number of each pair's element in both tensors, its indices in the result, and the result's sizes.
    """
    sizes = _broadcast_sizes(a, b, op)
    shared = [k for k in range(len(sizes)) if a.sizes[k] == b.sizes[k]]
    ours, theirs = a.keys(shared), b.keys(shared)
    order = np.argsort(theirs, kind="stable")
    limit = math.prod(map(int, sizes[shared]))
    if limit <= 4 * (len(ours) + len(theirs)) + 65536:
        starts = np.append(0, np.cumsum(np.bincount(theirs, minlength=limit)))  # as in rows of CSR
        low, counts = starts[ours], starts[ours + 1] - starts[ours]
    else:
        ordered = theirs[order]
        low = np.searchsorted(ordered, ours, "left")
        counts = np.searchsorted(ordered, ours, "right") - low
    first = np.repeat(np.arange(len(ours)), counts)
    offsets = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    second = order[np.repeat(low, counts) + offsets]
    columns = [
        a.columns[k][first] if a.sizes[k] == size else b.columns[k][second]
        for k, size in enumerate(sizes.tolist())
    ]
    coordinates = np.stack(columns, 1) if columns else np.zeros([len(first), 0], np.int64)
    return first, second, coordinates, sizes


def _broadcast_sizes(a: _Coordinates, b: _Coordinates, op: str) -> np.ndarray:
    for own, other in ((a, b), (b, a)):
        for _ in range(len(other.sizes) - len(own.sizes)):
            own.insert(0, 1)
    fits = (a.sizes == b.sizes) | (a.sizes == 1) | (b.sizes == 1)
    if not fits.all():
        raise invalid_argument(
            f"Incompatible shapes: {a.sizes.tolist()} vs. {b.sizes.tolist()} [Op:{op}]"
        )
    return np.where(a.sizes == 1, b.sizes, a.sizes)


def _check_dtypes(a: SparseTensor, b: SparseTensor, op: str) -> None:
    if a.dtype is not b.dtype:
        raise invalid_argument(
            f"cannot compute {op} of a {a.dtype.name} tensor and a {b.dtype.name} tensor [Op:{op}]"
        )


def _elementwise_spec(a: SparseTensor, b: SparseTensor) -> SparseTensorSpec:
    return SparseTensorSpec(broadcast_static_shape(a.shape, b.shape), a.dtype)


@op_function(in_graph=on_host(_elementwise_spec))
def _multiplied(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    _check_dtypes(a, b, "SparseMul")
    if np.array_equal(sizes_of(a), sizes_of(b)):
        a, b = reorder(a), reorder(b)
        products, indices = _ops.sparse_multiply(a._values, a._indices, b._values, b._indices)
        return assembled(indices, products, a._dense_shape, in_order=True)
    first, second, coordinates, sizes = _joined(_Coordinates(a), _Coordinates(b), "SparseMul")
    order = np.argsort(flat_indices(coordinates, sizes), kind="stable")
    values = _ops.multiply(slices_at(a._values, first[order]), slices_at(b._values, second[order]))
    return assembled(_core.as_tensor(coordinates[order]), values, _core.as_tensor(sizes))


@op_function(in_graph=on_host(_elementwise_spec))
def _added(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    _check_dtypes(a, b, "SparseAdd")
    if np.array_equal(sizes_of(a), sizes_of(b)):
        return add(reorder(a), reorder(b))
    left, right = _Coordinates(a), _Coordinates(b)
    sizes = _broadcast_sizes(left, right, "SparseAdd")
    return add(_spread(a, left, sizes), _spread(b, right, sizes))


def _spread(value: SparseTensor, own: _Coordinates, sizes: np.ndarray) -> SparseTensor:
    """A sparse tensor broadcast to other sizes."""
    wide = [k for k, size in enumerate(sizes) if own.sizes[k] != size]
    copies = math.prod(int(sizes[k]) for k in wide)
    source = np.repeat(np.arange(own.count), copies)
    coordinates = (
        np.stack(own.columns, 1)[source] if own.columns else np.zeros([len(source), 0], np.int64)
    )
    if wide:
        grid = np.indices([int(sizes[k]) for k in wide]).reshape(len(wide), copies)
        coordinates[:, wide] = np.tile(grid, own.count).T
    order = np.argsort(flat_indices(coordinates, sizes), kind="stable")
    indices = _core.as_tensor(coordinates[order])
    return assembled(indices, slices_at(value._values, source[order]), _core.as_tensor(sizes))


def multiply(x: Any, y: Any, name: str | None = None) -> SparseTensor:
    """The elementwise product of two tensors, which are broadcast; `x * y` is the same.

    Args:
        x: sparse, or a dense tensor or a number where `y` is sparse.
        y: the same, of the same dtype.

    Returns:
        A sparse tensor, which has elements where both have some.

    Raises:
        TypeError: if both are dense.
        tf.errors.InvalidArgumentError: if shapes or dtypes do not fit.

    >>> a, b = tf.sparse.from_dense([[1.0, 2.0], [0.0, 3.0]]), tf.sparse.from_dense([[5.0, 0.0]])
    >>> tf.sparse.to_dense(tf.sparse.multiply(a, b)).numpy()
    array([[5., 0.],
           [0., 0.]], dtype=float32)
    """
    if isinstance(x, SparseTensor) and isinstance(y, SparseTensor):
        return _multiplied(x, y)
    sparse, dense = (x, y) if isinstance(x, SparseTensor) else (y, x)
    return checked(sparse)._combined(dense, _ops.multiply)


def plus(x: Any, y: Any, name: str | None = None) -> Any:
    """`x + y`, of which at least one is sparse: sparse if both are."""
    if isinstance(x, SparseTensor) and isinstance(y, SparseTensor):
        return _added(x, y)
    sparse, dense = (x, y) if isinstance(x, SparseTensor) else (y, x)
    return _ops.add(
        to_dense(sparse, validate_indices=False), _core.convert(dense, None, sparse.dtype)
    )


def minus(x: Any, y: Any, name: str | None = None) -> Any:
    """`x - y`, of which at least one is sparse: sparse if both are."""
    return plus(x, negative(y))


def negative(x: Any) -> Any:
    """`-x`, sparse if `x` is."""
    return (
        x.with_values(_ops.negative(x.values)) if isinstance(x, SparseTensor) else _ops.negative(x)
    )


def get_item(value: SparseTensor, key: Any) -> SparseTensor:
    """`value[key]`: the part that integers, slices, `...` and `tf.newaxis` choose, sparse as well.

    Args:
        value: a sparse tensor of known rank.
        key: what stands between the brackets; its parts must not be tensors of graphs.

    Raises:
        TypeError: if a part of the key is something else.
        tf.errors.InvalidArgumentError: if there are too many parts, or an integer is out of range.

    >>> a = tf.sparse.from_dense([[1, 2, 0], [0, 0, 3]])
    >>> tf.sparse.to_dense(a[0]).numpy(), tf.sparse.to_dense(a[:, ::-2]).numpy().tolist()
    (array([1, 2, 0], dtype=int32), [[0, 1], [3, 0]])
    """
    parts = _whole_key(key, len(value.shape))
    return _part(value, tuple(parts))


def _whole_key(key: Any, rank: int) -> list[Any]:
    parts = list(key) if isinstance(key, tuple) else [key]
    for part in parts:
        if isinstance(part, bool) or not (
            part is None
            or part is Ellipsis
            or isinstance(part, slice)
            or hasattr(part, "__index__")
        ):
            raise TypeError(
                "Only integers, slices (`:`), ellipsis (`...`) and tf.newaxis (`None`) are valid indices of "
                f"sparse tensors, got {part!r}"
            )
    used = sum(part is not None and part is not Ellipsis for part in parts)
    if used > rank or parts.count(Ellipsis) > 1:
        raise invalid_argument(
            f"Index out of range using input dim {rank}; input has only {rank} dims [Op:SparseSlice]"
        )
    if Ellipsis not in parts:
        parts.append(Ellipsis)
    at = parts.index(Ellipsis)
    return [*parts[:at], *[slice(None)] * (rank - used), *parts[at + 1 :]]


def _part_spec(value: SparseTensor, parts: tuple) -> SparseTensorSpec:
    return SparseTensorSpec(
        TensorShape(
            [None if p is not None else 1 for p in parts if p is None or isinstance(p, slice)]
        ),
        value.dtype,
    )


@op_function(in_graph=on_host(_part_spec))
def _part(value: SparseTensor, parts: tuple) -> SparseTensor:
    value = reorder(value)
    sizes = sizes_of(value).tolist()
    chosen: list[range] = []  # of each axis
    axes: list[int | None] = []  # those that stay, and None for each new one
    for part in parts:
        if part is None:
            axes.append(None)
            continue
        axis, size = len(chosen), sizes[len(chosen)]
        if isinstance(part, slice):
            axes.append(axis)
            chosen.append(range(*part.indices(size)))
            continue
        index = int(part)
        if not -size <= index < size:
            raise invalid_argument(
                f"slice index {index} of dimension {axis} out of bounds. [Op:SparseSlice]"
            )
        chosen.append(range(index % size, index % size + 1))
    begin, step = [part.start for part in chosen], [part.step for part in chosen]
    count = list(map(len, chosen))
    indices, values = elements_within(value, begin, count, step)
    if axes != list(range(len(sizes))):
        old = indices.numpy()
        new = np.zeros([len(old), len(axes)], np.int64)
        kept = [k for k, axis in enumerate(axes) if axis is not None]
        new[:, kept] = old[:, [axes[k] for k in kept]]
        indices = _core.as_tensor(new)
    shape = _core.as_tensor(np.array([1 if k is None else count[k] for k in axes], np.int64))
    upwards = all(step[axis] > 0 for axis in axes if axis is not None)
    return reorder(assembled(indices, values, shape, upwards))


def _matmul_of_tensors(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    *others: Any,
    **options: Any,
) -> Any:
    """`tf.matmul` of sparse tensors, which need no hint that they are sparse."""
    if options.get("output_type") is not None:
        raise TypeError("tf.matmul of sparse tensors has no output_type.")
    a, b = (_conjugate(v) if adjoint else v for v, adjoint in ((a, adjoint_a), (b, adjoint_b)))
    return matmul(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b)


# What operators and functions of dense tensors compute where an operand is sparse.
OF_TENSORS: dict[Any, Callable[..., Any]] = {
    _ops.multiply: multiply,
    _ops.add: plus,
    _ops.subtract: minus,
    _ops.matmul: _matmul_of_tensors,
}
