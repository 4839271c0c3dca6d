"""TensorFlow's operations on components of sparse and ragged tensors; `rules.txt` names them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef import composed
from eagerflow.graphdef.composed import sparse, sparse_parts

Tensor = _core.Tensor


def counted(
    values: Any, weights: Tensor, least: int, most: int, binary: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """`DenseCountSparseOutput`, `SparseCountSparseOutput` and `RaggedCountSparseOutput`."""
    flat = values if isinstance(values, Tensor) else getattr(values, "flat_values", values.values)
    found = tf.sparse.bincount(
        values,
        _like(values, composed.weights_of_counts(weights, flat)),
        axis=0 if values.shape.rank == 1 else -1,
        minlength=None if least < 0 else least,
        maxlength=None if most < 0 else most,
        binary_output=binary,
    )
    return found.indices, tf.cast(found.values, weights.dtype), found.dense_shape


def _like(values: Any, weights: Any) -> Any:
    """Weights in the form of the values that they belong to."""
    if weights is None or isinstance(values, Tensor):
        return weights
    if isinstance(values, tf.SparseTensor):
        return tf.SparseTensor(values.indices, weights, values.dense_shape)
    return values.with_flat_values(weights)


def bincount(
    indices: Tensor, values: Tensor, shape: Tensor, size: Tensor, weights: Tensor, binary: bool
) -> Tensor:
    """`SparseBincount`: the count of each value, for each row of a matrix."""
    if shape.shape.num_elements() == 1:
        return composed.dense_bincount(values, size, weights, binary)
    rows = tf.reduce_sum(tf.cast(shape[:1], tf.int64))
    splits = tf.searchsorted(indices[:, 0], tf.range(rows + 1))
    return composed.ragged_bincount(tf.cast(splits, tf.int64), values, size, weights, binary)


def filled_rows(
    rows: Tensor, values: Tensor, count: Tensor, default: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`RaggedFillEmptyRows`, with the new index of each value."""
    lengths = tf.math.unsorted_segment_sum(tf.ones_like(rows), rows, count)
    empty = tf.equal(lengths, 0)
    added = tf.reshape(tf.where(empty), [-1])
    every = tf.concat([rows, added], 0)
    order = tf.argsort(every, stable=True)
    defaults = tf.fill(tf.shape(added), default)
    filled = tf.gather(tf.concat([values, defaults], 0), order)
    places = tf.cast(tf.math.invert_permutation(order), tf.int64)[: tf.size(rows)]
    return tf.gather(every, order), filled, empty, places


def split(axis: Any, indices: Tensor, values: Tensor, shape: Tensor, count: int) -> list[list[Any]]:
    """`SparseSplit`."""
    known: Any = composed.known(axis)
    parts = tf.sparse.split(tf.SparseTensor(indices, values, shape), count, known)
    return [
        [part.indices for part in parts],
        [part.values for part in parts],
        [part.dense_shape for part in parts],
    ]


def merged(a: Sequence[Tensor], b: Sequence[Tensor], largest: bool) -> tuple[Tensor, Tensor]:
    """`SparseSparseMaximum` and `SparseSparseMinimum`."""
    choose = tf.sparse.maximum if largest else tf.sparse.minimum
    found = choose(sparse(*a), sparse(*b))
    return found.indices, found.values


def with_dense(indices: Tensor, values: Tensor, shape: Tensor, dense: Tensor) -> Tensor:
    """The elements of a dense tensor, broadcast to a sparse shape, at the sparse indices."""
    sizes = tf.cast(shape, tf.int32)
    return tf.gather_nd(tf.broadcast_to(dense, sizes), indices)


def _columns(
    indices: Sequence[Tensor],
    values: Sequence[Tensor],
    shapes: Sequence[Tensor],
    dense: Sequence[object],
) -> list[Any]:
    """The crossed columns: first the sparse ones, then the dense ones."""
    columns: list[Any] = [
        tf.SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)
    ]
    return [*columns, *dense]


def crossed(
    indices: Sequence[Tensor], values: Sequence[Tensor], shapes: Sequence[Tensor], dense: Sequence[object],
    separator: Any = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`SparseCrossV2`."""
    return sparse_parts(tf.sparse.cross(_columns(indices, values, shapes, dense), None, separator))


def crossed_hashes(
    indices: Sequence[Tensor], values: Sequence[Tensor], shapes: Sequence[Tensor], dense: Sequence[Any],
    buckets: int, key: int,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`SparseCross` with hashed output."""
    columns = _columns(indices, values, shapes, dense)
    return sparse_parts(tf.sparse.cross_hashed(columns, buckets, key))


def crossed_rows(
    ragged: Sequence[Tensor], splits: Sequence[Tensor], indices: Sequence[Tensor],
    values: Sequence[Tensor], shapes: Sequence[Tensor], dense: Sequence[Any], order: str,
    hashed: bool, buckets: int, key: int, dtype: Any,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`RaggedCross`; `order` has a letter for the kind of each column."""
    columns = {
        "R": iter(
            tf.RaggedTensor.from_row_splits(*parts, validate=False)
            for parts in zip(ragged, splits, strict=True)
        ),
        "S": iter(_columns(indices, values, shapes, ())),
        "D": iter(dense),
    }
    inputs = [next(columns[letter]) for letter in order]
    found: Any = tf.ragged.cross_hashed(inputs, buckets, key) if hashed else tf.ragged.cross(inputs)
    return found.values, tf.cast(found.row_splits, dtype)


def decoded_with_offsets(text: Tensor, dtype: Any, *options: Any) -> tuple[Tensor, Tensor, Tensor]:
    """`UnicodeDecodeWithOffsets`: splits, characters, and where in the text each begins."""
    characters, starts = tf.strings.unicode_decode_with_offsets(text, *options)
    splits, values = composed.ragged_parts(characters)
    return tf.cast(splits, dtype), values, composed.ragged_parts(starts)[1]


def deserialized(serialized: Tensor, dtype: Any) -> Any:
    """`DeserializeSparse`: the axes of the strings, then those of the tensors."""
    rank = serialized.shape.rank or 1
    if rank == 1:
        return _one(serialized, dtype)
    return tf.io.deserialize_many_sparse(serialized, dtype)


def _one(serialized: Tensor, dtype: Any) -> Any:
    """The sparse tensor of three strings."""
    return tf.SparseTensor(
        tf.io.parse_tensor(serialized[0], tf.int64),
        tf.io.parse_tensor(serialized[1], dtype),
        tf.io.parse_tensor(serialized[2], tf.int64),
    )
