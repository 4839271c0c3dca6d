"""Sets along the last axis, and distances between sequences."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument, require_in_bounds
from eagerflow.ops.numpy_ops import sparse_spec, sparse_tensor
from eagerflow.typing import DTypeLike, TensorLike

if TYPE_CHECKING:
    from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec

_ops = _core.ops
Tensor = _core.Tensor

_DTYPES = (
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.string,
)


def _is_sparse(value: object) -> bool:
    return hasattr(value, "indices") and hasattr(value, "dense_shape")


def _rows(value: Any) -> tuple[dict[tuple, list], tuple[int, ...], Any]:
    """The elements of each row by its index, the shape without the last axis, and the dtype."""
    rows: dict[tuple, list] = {}
    if _is_sparse(value):
        shape = tuple(int(size) for size in np.asarray(value.dense_shape))
        require_in_bounds(np.asarray(value.indices), np.asarray(shape), "EditDistance")
        indices = np.asarray(value.indices)[:, :-1].tolist()
        for index, item in zip(indices, value.values.numpy().tolist(), strict=True):
            rows.setdefault(tuple(index), []).append(item)
        return rows, shape, value.values.dtype
    dense = _core.as_tensor(value)
    shape = dense._shape_tuple()
    if len(shape) < 2:
        raise invalid_argument(f"Shape {list(shape)} has rank {len(shape)} < 2")
    array = dense.numpy()
    for index in np.ndindex(*shape[:-1]):
        rows[index] = array[index].tolist()
    return rows, shape, dense.dtype


def _row_ids(value: SparseTensor) -> tuple[np.ndarray, tuple[int, ...]]:
    """The row of each element of a sparse tensor, and the shape."""
    shape = tuple(np.asarray(value.dense_shape).tolist())
    if len(shape) < 2:
        raise invalid_argument(f"Shape {list(shape)} has rank {len(shape)} < 2")
    rows = _ops.sparse_flat_places(value.indices, shape, list(range(len(shape) - 1)))
    return rows.numpy(), shape


def _row_splits(
    value: Any, kept: np.ndarray | None = None
) -> tuple[Tensor, Tensor, tuple[int, ...]]:
    """The elements row by row, where each row begins, and the shape.

    Args:
        value: a dense or sparse tensor.
        kept: the rows of a sparse tensor that count, all others being empty; by default all.
    """
    if not _is_sparse(value):
        shape = value._shape_tuple()
        if len(shape) < 2:
            raise invalid_argument(f"Shape {list(shape)} has rank {len(shape)} < 2")
        count = math.prod(shape[:-1])
        splits = np.arange(count + 1, dtype=np.int64) * shape[-1]
        return _ops.reshape(value, [-1]), _core.as_tensor(splits), shape
    values, (row_ids, shape) = value.values, _row_ids(value)
    if (row_ids[1:] < row_ids[:-1]).any():
        order = np.argsort(row_ids, kind="stable")
        values, row_ids = _ops.gather(values, order, 0, 0), row_ids[order]
    rows = np.arange(math.prod(shape[:-1]) + 1) if kept is None else np.append(kept, 2**63 - 1)
    splits = np.searchsorted(row_ids, rows).astype(np.int64)
    return values, _core.as_tensor(splits), shape


def _check_dtype(dtype: DTypeLike) -> None:
    if dtype not in _DTYPES:
        raise TypeError(
            f"Sets are of integers or strings; {dtype!r} is not among the supported dtypes: "
            f"{', '.join(kind.name for kind in _DTYPES)}"
        )


def _combined(a: Any, b: Any, operation: str) -> SparseTensor:
    if not _is_sparse(a):
        a = _core.as_tensor(a)
    _check_dtype(a.dtype)
    if not _is_sparse(b):
        b = _core.as_tensor(b)
    if a.dtype != b.dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    kept = None
    if _is_sparse(a) and _is_sparse(b):  # which may have far more rows than elements
        kept = np.unique(np.concatenate([_row_ids(a)[0], _row_ids(b)[0]]))
    first, first_splits, shape = _row_splits(a, kept)
    second, second_splits, other = _row_splits(b, kept)
    if shape[:-1] != other[:-1]:
        raise invalid_argument(f"Mismatched group shapes: {list(shape[:-1])} vs {list(other[:-1])}")
    values, indices, splits = _ops.set_rows(first, second, first_splits, second_splits, operation)
    width = int(np.diff(splits.numpy()).max(initial=0))
    outer = shape[:-1]
    if len(outer) == 1 and kept is None:
        return sparse_tensor(indices, values, [*outer, width])
    rows, columns = indices.numpy().T
    rows = rows if kept is None else kept[rows]
    coordinates = np.stack([*np.unravel_index(rows, outer), columns], axis=-1)
    return sparse_tensor(coordinates, values, [*outer, width])


def _sets_spec(a: Tensor, *_: object, **__: object) -> SparseTensorSpec:
    value = a if _is_sparse(a) else _core.as_tensor(a)
    rank = value.shape.rank
    return sparse_spec(None if rank is None else [None] * rank, value.dtype)


@op_function(in_graph=on_host(_sets_spec))
def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """The intersection of each pair of rows.

    Args:
        a: integers or strings `[..., n]`, dense or sparse; a row is a set.
        b: of the same dtype and outer shape.
        validate_indices: ignored.

    Returns:
        A sparse tensor with the sorted elements of each set.

    Raises:
        TypeError: if the dtypes differ.
        tf.errors.InvalidArgumentError: if the outer shapes differ or the rank is below 2.

    >>> tf.sets.intersection(tf.constant([[1, 2]]), tf.constant([[2, 3]])).values.numpy()
    array([2], dtype=int32)
    """
    return _combined(a, b, "intersection")


@op_function(in_graph=on_host(_sets_spec))
def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> Any:
    """The union of each pair of rows; see `tf.sets.intersection`.

    >>> tf.sets.union(tf.constant([[1, 2]]), tf.constant([[2, 3]])).values.numpy()
    array([1, 2, 3], dtype=int32)
    """
    return _combined(a, b, "union")


@op_function(in_graph=on_host(_sets_spec))
def difference(
    a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """The difference of each pair of rows; see `tf.sets.intersection`.

    Args:
        a: integers or strings `[..., n]`, dense or sparse; a row is a set.
        b: of the same dtype and outer shape.
        aminusb: whether to return `a - b`; otherwise `b - a`.
        validate_indices: ignored.

    >>> tf.sets.difference(tf.constant([[1, 2]]), tf.constant([[2, 3]])).values.numpy()
    array([1], dtype=int32)
    """
    return _combined(a, b, "a_minus_b" if aminusb else "b_minus_a")


def _counts_spec(a: Tensor, validate_indices: bool = True) -> TensorSpec:
    return TensorSpec(a.shape[:-1], dtypes.int32)


def _distances_spec(hypothesis: Any, *_: object, **__: object) -> TensorSpec:
    rank = hypothesis.shape.rank
    return TensorSpec(None if rank is None else [None] * (rank - 1), dtypes.float32)


@op_function(in_graph=on_host(_counts_spec))
def size(a: SparseTensor, validate_indices: bool = True) -> Tensor:
    """The number of distinct elements in each row.

    Args:
        a: a sparse tensor `[..., n]`.
        validate_indices: ignored.

    Returns:
        int32, of the outer shape.

    Raises:
        TypeError: if `a` is not sparse.

    >>> tf.sets.size(tf.sparse.from_dense([[1, 1, 2]])).numpy()
    array([2], dtype=int32)
    """
    if not _is_sparse(a):
        raise TypeError(f"Expected `SparseTensor`, got {_core.as_tensor(a)}.")
    _check_dtype(a.values.dtype)
    values, splits, shape = _row_splits(a)
    ends = _ops.set_rows(values, values, splits, splits, "union")[2].numpy()
    counts = np.diff(ends).astype(np.int32)
    return _core.as_tensor(counts.reshape(shape[:-1]))


def _distance(a: list, b: list) -> int:
    """The Levenshtein distance: the insertions, deletions and replacements."""
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        line = [i]
        for j, y in enumerate(b, 1):
            line.append(min(before[j] + 1, line[-1] + 1, before[j - 1] + (x != y)))
        before = line
    return before[-1]


@op_function(in_graph=on_host(_distances_spec))
def edit_distance(
    hypothesis: TensorLike, truth: TensorLike, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """The smallest number of insertions, deletions and replacements between sequences.

    Args:
        hypothesis: a sparse tensor `[..., n]` of sequences.
        truth: another one of the same dtype.
        normalize: whether to divide by the lengths of the true sequences.

    Returns:
        float32 without the last axis; infinite where a sequence is compared with an empty one, if
        normalized.

    Raises:
        TypeError: if an argument is not sparse.

    >>> a = tf.sparse.from_dense([[1, 2, 3]])
    >>> b = tf.sparse.from_dense([[1, 3]])
    >>> tf.edit_distance(a, b, normalize=False).numpy()
    array([1.], dtype=float32)
    """
    for what, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not _is_sparse(value):
            raise TypeError(f"{what} must be a SparseTensor.")
    first, shape, _ = _rows(hypothesis)
    second, other, _ = _rows(truth)
    if len(shape) != len(other):
        raise invalid_argument(
            f"hypothesis and truth must have the same rank, got {len(shape)} and {len(other)} "
            "[Op:EditDistance]"
        )
    outer = tuple(max(pair) for pair in zip(shape[:-1], other[:-1], strict=True))
    distances = np.zeros(outer, np.float32)
    for index in set(first) | set(second):
        a, b = first.get(index, []), second.get(index, [])
        distance = float(_distance(a, b))
        if normalize:
            distance = distance / len(b) if b else float("inf") if a else 0.0
        distances[index] = distance
    return _core.as_tensor(distances)


ListDiff = namedtuple("ListDiff", ("out", "idx"))
ListDiff.__doc__ = "What is in one list and not in the other, and where it is."


def _difference_specs(
    x: TensorLike, y: TensorLike, index_dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> ListDiff:
    kind = _core.as_tensor(x).dtype
    return ListDiff(TensorSpec([None], kind), TensorSpec([None], dtypes.as_dtype(index_dtype)))


@op_function(in_graph=on_host(_difference_specs))
def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> ListDiff:
    """The values of `x` that are not in `y`, in order, and their indices.

    >>> out, idx = tf.compat.v1.setdiff1d([1, 2, 3, 4], [2, 4])
    >>> out.numpy().tolist(), idx.numpy().tolist()
    ([1, 3], [0, 2])
    """
    x = _core.as_tensor(x)
    y = _core.convert(y, x.dtype, None)
    for name, value in ("x", x), ("y", y):
        if value.ndim != 1:
            raise invalid_argument(f"{name} should be a 1D vector. [Op:ListDiff]")
    indices = _core.as_tensor(np.flatnonzero(~np.isin(x.numpy(), y.numpy())))
    return ListDiff(_ops.gather(x, indices), _ops.cast(indices, index_dtype))
