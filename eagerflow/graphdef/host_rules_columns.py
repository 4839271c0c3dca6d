"""How the transformations of feature columns are expressed by TensorFlow's operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.graphdef.host_lowering import op, rules_of
from eagerflow.ops.nn import embedding
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.util.farmhash import fingerprint64

_ops = _core.ops
# Hashes of words lie below, so that they are positive int64s.
_RANGE = 2**62


@rules_of("feature_column.base")
def _elements_but(tensor: Any, ignored: Any) -> SparseTensor:
    indices = op("Where", _ops.not_equal(tensor, _core.convert(ignored, tensor.dtype, None)))
    return SparseTensor(indices, _ops.gather_nd(tensor, indices), _ops.shape(tensor, dtypes.int64))


@rules_of("feature_column.vocabulary")
def _ids_of(terms: Any, id_of: Callable[[Any], int]) -> Any:
    column: Any = id_of.__self__  # type: ignore[attr-defined]
    known = np.array(list(column.terms()), np.int64 if column.dtype.is_integer else object)
    words = known if column.dtype.is_integer else [fingerprint64(term) % _RANGE for term in known]
    keys = np.array(words, np.int64)
    order = np.argsort(keys)
    text = op("AsString", terms) if column.dtype.is_integer else terms
    if column.dtype.is_integer:
        asked = _ops.cast(terms, dtypes.int64)
    else:
        asked = op("StringToHashBucketFast", terms, num_buckets=_RANGE)
    # The place of a term among the sorted hashes, and whether the term there is the same.
    place = op("LowerBound", keys[order][None], _ops.reshape(asked, [1, -1]), out_type=dtypes.int64)
    place = _ops.minimum(_ops.reshape(place, _ops.shape(terms)), len(known) - 1)
    found = _ops.equal(
        _ops.gather(_core.as_tensor(known[order]), place, 0, 0),
        asked if column.dtype.is_integer else terms,
    )
    if column.num_oov_buckets:
        bucket = op("StringToHashBucketFast", text, num_buckets=column.num_oov_buckets)
        others = bucket + len(known)
    else:
        others = _ops.zeros_like(place) + column.default_value
    return _ops.select(found, _ops.gather(_core.as_tensor(order), place, 0, 0), others)


@rules_of("feature_column.numeric")
def _buckets(values: Any, edges: np.ndarray) -> Any:
    return op("Bucketize", values, boundaries=edges.tolist())


@rules_of("feature_column.numeric")
def _categories(buckets: Any, count: int, size: int) -> SparseTensor:
    offsets = np.arange(count) * size
    ids = _ops.cast(_ops.reshape(buckets, [-1, count]), dtypes.int64) + offsets
    indices = op("Where", _ops.ones_like(ids, dtypes.bool))
    return SparseTensor(indices, _ops.reshape(ids, [-1]), _ops.shape(ids, dtypes.int64))


def _chosen(tensor: Any, places: Any) -> Any:
    return None if tensor is None else _ops.gather(tensor, places, 0, 0)


@rules_of("ops.nn.embedding")
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    ids = sparse_ids.to_sparse() if hasattr(sparse_ids, "to_sparse") else sparse_ids
    weights = None
    if sparse_weights is not None:
        sparse = hasattr(sparse_weights, "to_sparse")
        weights = (sparse_weights.to_sparse() if sparse else sparse_weights).values
    # One row of ids for each example.
    outer = ids.dense_shape[:-1]
    matrix = _ops.stack([_ops.reduce_prod(outer), ids.dense_shape[-1]])
    indices, matrix = op("SparseReshape", ids.indices, ids.dense_shape, matrix)
    kept = ids.values >= 0
    if weights is not None and combiner != "sum":
        kept = _ops.logical_and(kept, weights > 0)
    places = _ops.reshape(op("Where", kept), [-1])
    indices, values, weights = (_chosen(each, places) for each in (indices, ids.values, weights))
    default = _core.convert(0 if default_id is None else default_id, values.dtype, None)
    filled, values, empty, _ = op("SparseFillEmptyRows", indices, values, matrix, default)
    # Results of operations that are only exported have no shapes.
    filled, values = _ops.reshape(filled, [-1, 2]), _ops.reshape(values, [-1])
    lists = SparseTensor(filled, values, matrix)
    if weights is not None:
        one = _core.convert(1, weights.dtype, None)
        weights = op("SparseFillEmptyRows", indices, weights, matrix, one)[1]
        weights = SparseTensor(filled, _ops.reshape(weights, [-1]), matrix)
    found = embedding.embedding_lookup_sparse(embedding_weights, lists, weights, combiner, max_norm)
    if default_id is None:
        absent = _ops.reshape(empty, [-1, *[1] * (found.ndim - 1)])
        found = _ops.select(absent, _ops.zeros_like(found), found)
    inner = _ops.shape(found, dtypes.int64)[1:]
    return _ops.reshape(found, _ops.concat([outer, inner], 0))
