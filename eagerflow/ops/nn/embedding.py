"""Sums and means of rows of embedding tables, for sparse lists of row ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import (
    as_column,
    is_known,
    may_equal,
    of_rank,
    rank_of,
    reshaped,
    sizes_of,
)
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops import indexing
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.linalg.products import clip_by_norm
from eagerflow.ops.numpy_ops import sparse_tensor
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_COMBINERS = ("mean", "sqrtn", "sum")


class InTurn(list[Any]):
    """Tables that hold the rows of one table in turn: of n tables, table i % n holds row i."""


def table_of(value: Any) -> Any:
    """A table as lookups accept it: what is made of several variables is one tensor."""
    known = isinstance(value, Tensor | _core.Variable | list | tuple)
    return value if known else _core.as_tensor(value)


def _rows_of_parts(tables: Any, ids: Tensor) -> Tensor:
    """Rows of several tables, each of which gets gradients only for its own rows."""
    flat, count = _ops.reshape(ids, [-1]), len(tables)
    if isinstance(tables, InTurn):
        which, rows = flat % count, flat // count
    else:
        heights = _ops.stack([sizes_of(_core.as_tensor(table))[0] for table in tables])
        ends = _ops.cumsum(_ops.cast(heights, flat.dtype))
        which = indexing.searchsorted(ends[:-1], flat, side="right")
        rows = flat - _ops.gather(_ops.concat([[0], ends], 0), which, 0, 0)
    which = _ops.cast(which, dtypes.int32)
    positions = _ops.range(0, sizes_of(flat)[0], 1)
    embedded = [
        _ops.gather(table, own, 0, 0)
        for table, own in zip(tables, indexing.dynamic_partition(rows, which, count), strict=True)
    ]
    together = indexing.dynamic_stitch(
        indexing.dynamic_partition(positions, which, count), embedded
    )
    first = _core.as_tensor(tables[0])
    if ids.ndim is None:
        return _ops.reshape(together, _ops.concat([_ops.shape(ids), _ops.shape(first)[1:]], 0))
    return reshaped(together, [*sizes_of(ids), *sizes_of(first)[1:]])


@op_function
def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """Rows of a table.

    Args:
        params: the table `[n, ...]`, or a list of tables that hold its rows one after the other.
        ids: int32 or int64 row indices, of any shape.
        max_norm: if given, rows of a larger euclidean norm are scaled down.

    Raises:
        ValueError: if there is no table.
        tf.errors.InvalidArgumentError: if a row index is out of range.

    >>> tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [1, 1]).numpy()
    array([[3., 4.],
           [3., 4.]], dtype=float32)
    """
    if params is None:
        raise ValueError("params must be specified")
    tables = params if isinstance(params, list | tuple) else [params]
    if not tables:
        raise ValueError("params should not be empty")
    if len(tables) == 1:
        rows = _ops.gather(tables[0], ids, 0, 0)
    else:
        rows = _rows_of_parts(tables, _core.as_tensor(ids))
    if max_norm is None:
        return rows
    first, rank = rank_of(_core.as_tensor(ids)), rank_of(rows)
    axes = list(range(first, rank)) if is_known(first, rank) else _ops.range(first, rank, 1)
    return clip_by_norm(rows, max_norm, axes=axes)


def _is_sparse(value: object) -> bool:
    return hasattr(value, "indices") and hasattr(value, "dense_shape")


def _parts(ids: Any) -> tuple[Any, Tensor]:
    """The example of each row id, an array or a symbolic tensor, and the row ids."""
    if _is_sparse(ids):
        rows = _core.as_tensor(ids.indices)
        if _core.building() is not None:
            return rows[:, 0], ids.values
        return np.asarray(rows)[:, 0], ids.values
    if hasattr(ids, "value_rowids"):
        rows = ids.value_rowids()
        return rows if _core.building() is not None else np.asarray(rows), ids.flat_values
    raise TypeError(f"sp_ids must be a SparseTensor or RaggedTensor, got {type(ids).__name__}")


@op_function
def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: TensorLike,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The combined rows of a table for each of several examples.

    Args:
        params: the table `[n, ...]`, or a list of tables that hold its rows one after the other.
        sp_ids: a `tf.SparseTensor` `[examples, positions]`, or a ragged tensor, of row ids.
        sp_weights: weights of the rows, sparse or ragged at the same positions; None for 1.
        combiner: "mean" (the default), "sum", or "sqrtn", which divides weighted sums by the root
            of the sum of the squares of the weights.
        max_norm: if given, rows of a larger euclidean norm are scaled down.

    Returns:
        `[examples, ...]`, up to the last example that has row ids; zeros for those without.

    Raises:
        ValueError: if the combiner is unknown or there is no table.
        TypeError: if the row ids are neither sparse nor ragged.

    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [1, 2])
    >>> tf.nn.embedding_lookup_sparse(tf.constant([[1.0], [3.0]]), ids, None).numpy()
    array([[2.]], dtype=float32)
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    if params is None or (isinstance(params, list | tuple) and not params):
        raise ValueError("Missing params")
    if sp_weights is not None and type(sp_weights) is not type(sp_ids):
        raise TypeError(
            "sp_weights must be None or of the same kind as sp_ids, got "
            f"{type(sp_weights).__name__} for {type(sp_ids).__name__}"
        )
    segments, ids = _parts(sp_ids)
    ids = of_rank(_core.as_tensor(ids), 1)
    if not ids.dtype.is_integer:
        raise invalid_argument(f"The row ids must be integers, got {ids.dtype.name} [Op:GatherV2]")
    # Each distinct row is looked up once.
    unique, positions, _ = _ops.unique_with_counts(ids, dtypes.int64)
    rows = _ops.gather(embedding_lookup(params, unique, max_norm), positions, 0, 0)
    dtype = rows.dtype
    if dtype.size == 2:
        rows = _ops.cast(rows, dtypes.float32)
    symbolic = isinstance(segments, Tensor)
    if symbolic:
        before = _core.convert([-1], segments.dtype, None)
        count: Any = _ops.reduce_max(_ops.concat([before, segments], 0)) + 1
    else:
        count = int(segments[-1]) + 1 if segments.size else 0
    if sp_weights is None:
        total = _ops.unsorted_segment_sum(rows, segments, count)
        if symbolic and combiner != "sum":
            sizes: Any = _ops.unsorted_segment_sum(_ops.ones_like(segments), segments, count)
            scale: Any = _ops.cast(_ops.maximum(sizes, 1), rows.dtype)
            scale = scale if combiner == "mean" else _ops.sqrt(scale)
            total = _ops.divide_real(total, as_column(scale, rows))
        elif combiner != "sum":
            sizes = np.maximum(np.bincount(segments, minlength=count), 1).astype(np.float64)
            scale = sizes if combiner == "mean" else np.sqrt(sizes)
            scale = as_column(scale.astype(rows.dtype.as_numpy_dtype), rows)
            total = _ops.divide_real(total, scale)
        return _ops.cast(total, dtype) if total.dtype is not dtype else total
    _, weights = _parts(sp_weights)
    weights = _ops.cast(weights, rows.dtype)
    if not may_equal(weights._shape_tuple(), ids._shape_tuple()):
        raise invalid_argument(
            f"sp_weights has {weights._size} values, sp_ids {ids._size}: they must be the same"
        )
    total = _ops.unsorted_segment_sum(rows * as_column(weights, rows), segments, count)
    if combiner != "sum":
        squared = combiner == "sqrtn"
        sums = _ops.unsorted_segment_sum(weights * weights if squared else weights, segments, count)
        divisor = as_column(_ops.sqrt(sums) if squared else sums, rows)
        total = _ops.divide_no_nan(total, divisor)
    return _ops.cast(total, dtype) if total.dtype is not dtype else total


def _safe_spec(embedding_weights: Any, sparse_ids: Any, *_: object, **__: object) -> TensorSpec:
    table = embedding_weights
    if isinstance(table, list | tuple):
        if not table:
            raise ValueError(f"Missing embedding_weights {embedding_weights}.")
        table = table[0]
    if table is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    rows = _core.as_tensor(table)
    outer, inner = sparse_ids.shape[:-1], rows.shape[1:]
    return TensorSpec(outer.concatenate(inner), rows.dtype)


@op_function(in_graph=on_host(_safe_spec))
def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = "mean",
    default_id: TensorLike | None = None,
    max_norm: TensorLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Like `embedding_lookup_sparse`, for row ids that may be missing or invalid.

    Negative row ids, and those of weights that are not positive, are left out (the latter not
    for the combiner "sum").

    Args:
        embedding_weights: the table `[n, ...]`, or a list of tables.
        sparse_ids: a `tf.SparseTensor` `[d0, ..., examples, positions]` of row ids, or a ragged
            tensor.
        sparse_weights: weights, sparse or ragged at the same positions; None for 1.
        combiner: "mean", "sum" or "sqrtn".
        default_id: the row for examples without row ids; None gives them zeros.
        max_norm: if given, rows of a larger euclidean norm are scaled down.

    Returns:
        `[d0, ..., examples, ...]`.

    Raises:
        ValueError: if there is no table.

    >>> ids = tf.SparseTensor([[0, 0]], tf.constant([-1], tf.int64), [2, 1])
    >>> tf.nn.safe_embedding_lookup_sparse(tf.constant([[1.0], [3.0]]), ids).numpy()
    array([[0.],
           [0.]], dtype=float32)
    """
    if embedding_weights is None or (
        isinstance(embedding_weights, list | tuple) and not embedding_weights
    ):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    if hasattr(sparse_ids, "to_sparse"):
        sparse_ids = sparse_ids.to_sparse()
    if not _is_sparse(sparse_ids):
        raise TypeError(
            f"sparse_ids must be a SparseTensor or a RaggedTensor, got {type(sparse_ids).__name__}"
        )
    if hasattr(sparse_weights, "to_sparse"):
        sparse_weights = sparse_weights.to_sparse()
    shape = [int(size) for size in np.asarray(_core.as_tensor(sparse_ids.dense_shape))]
    indices = np.asarray(_core.as_tensor(sparse_ids.indices))
    ids = _core.as_tensor(sparse_ids.values)
    weights = None if sparse_weights is None else _core.as_tensor(sparse_weights.values)
    outer = shape[:-1]
    count = int(np.prod(outer))
    rows = np.zeros(len(indices), np.int64)
    for k, size in enumerate(outer):
        rows = rows * size + indices[:, k]
    kept = np.asarray(ids) >= 0
    if weights is not None and combiner != "sum":
        kept = kept & (np.asarray(weights) > 0)
    chosen = np.flatnonzero(kept)
    ids, rows, columns = _ops.gather(ids, chosen, 0, 0), rows[chosen], indices[chosen, -1]
    if weights is not None:
        weights = _ops.gather(weights, chosen, 0, 0)
    empty = np.setdiff1d(np.arange(count), rows)
    # Empty rows look up the default; a mask clears them if there is none.
    default = _core.convert(0 if default_id is None else default_id, ids.dtype, None)
    ids = _ops.concat([ids, _ops.broadcast_to(default, [empty.size])], 0)
    rows = np.concatenate([rows, empty])
    columns = np.concatenate([columns, np.zeros_like(empty)])
    if weights is not None:
        weights = _ops.concat([weights, _ops.ones([empty.size], weights.dtype)], 0)
    order = np.argsort(rows, kind="stable")
    positions = np.stack([rows[order], columns[order]], axis=1).astype(np.int64)
    matrix = [count, shape[-1]]
    filled = sparse_tensor(positions, _ops.gather(ids, order, 0, 0), matrix)
    filled_weights = None
    if weights is not None:
        filled_weights = sparse_tensor(positions, _ops.gather(weights, order, 0, 0), matrix)
    result = embedding_lookup_sparse(embedding_weights, filled, filled_weights, combiner, max_norm)
    if default_id is None and empty.size:
        absent = np.zeros((count, *([1] * (result.ndim - 1))), bool)
        absent[empty] = True
        result = _ops.select(absent, _ops.zeros_like(result), result)
    return _ops.reshape(result, [*outer, *result._shape_tuple()[1:]])
