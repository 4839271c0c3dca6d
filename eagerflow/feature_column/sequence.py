"""Columns of sequences."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.feature_column.base import (
    CategoricalColumn,
    SequenceDenseColumn,
    StateManager,
    checked_key,
    is_sparse,
)
from eagerflow.feature_column.categories import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    outer_sizes,
    steps_of,
)
from eagerflow.feature_column.numeric import check_normalizer, checked_number_dtype, checked_shape
from eagerflow.feature_column.parents import OfCategories, OfFeature
from eagerflow.feature_column.vocabulary import (
    categorical_column_with_vocabulary_list,
    column_from_file,
)
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.sparse.arrangement import reshape
from eagerflow.sparse.conversion import to_dense
from eagerflow.typing import DTypeLike, ShapeLike

_ops = _core.ops


class SequenceCategoricalColumn(
    OfCategories, CategoricalColumn, namedtuple("SequenceCategoricalColumn", ["categorical_column"])
):
    """Sequences of categories."""

    @property
    def name(self) -> str:
        """The name of the categories."""
        return self.categorical_column.name

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The categories."""
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The categories `[batch, steps, n]` and their weights."""
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return self.IdWeightPair(*(None if part is None else _by_step(part) for part in pair))


def _by_step(values: Any) -> Any:
    """Sparse sequences `[batch, steps, n]`; n is 1 unless steps have several values."""
    if values.shape.rank == 3:
        return values
    rows, steps, *rest = [*outer_sizes(values), values.dense_shape[-1]]
    return reshape(values, [rows, steps, math.prod(rest)])


class SequenceNumericColumn(
    OfFeature,
    SequenceDenseColumn,
    namedtuple(
        "SequenceNumericColumn", ["key", "shape", "default_value", "dtype", "normalizer_fn"]
    ),
):
    """Made by `tf.feature_column.sequence_numeric_column`."""

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one step."""
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The normalized values, sparse."""
        values = transformation_cache.get(self.key, state_manager)
        return values if self.normalizer_fn is None else self.normalizer_fn(values)

    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """The values `[batch, steps, *shape]`, and the number of steps of each example.

        Raises:
            TypeError: unless the feature is sparse.
        """
        values = transformation_cache.get(self, state_manager)
        if not is_sparse(values):
            raise TypeError("Input must be a SparseTensor.")
        dense = to_dense(values, default_value=self.default_value)
        dense = _ops.reshape(dense, [_ops.shape(dense)[0], -1, *self.shape])
        size = math.prod(self.shape) if values.shape.rank == 2 else 1
        lengths = -(-steps_of(values) // size)
        return self.TensorSequenceLengthPair(dense, lengths)


def check_single(column: Any, kind: str) -> None:
    """Raises if a column of sequences is used where there are none.

    Raises:
        ValueError: in that case.
    """
    inner = column.categorical_column
    if isinstance(inner, SequenceCategoricalColumn):
        raise ValueError(
            f"In {kind}: {column.name}. categorical_column must not be of type "
            "SequenceCategoricalColumn. Suggested fix A: If you wish to use DenseFeatures, use a "
            "non-sequence categorical_column_with_*. Suggested fix B: If you wish to create "
            "sequence input, use SequenceFeatures instead of DenseFeatures. Given (type "
            f"{type(inner)}): {inner}"
        )


def check_sequence(column: Any, kind: str) -> None:
    """Raises unless a column is one of sequences.

    Raises:
        ValueError: in that case.
    """
    inner = column.categorical_column
    if not isinstance(inner, SequenceCategoricalColumn):
        raise ValueError(
            f"In {kind}: {column.name}. categorical_column must be of type "
            "SequenceCategoricalColumn to use SequenceFeatures. Suggested fix: Use one of "
            f"sequence_categorical_column_with_*. Given (type {type(inner)}): {inner}"
        )


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Sequences of category ids; see `categorical_column_with_identity`.

    >>> column = tf.feature_column.sequence_categorical_column_with_identity("page", 3)
    >>> layer = tf.keras.experimental.SequenceFeatures([tf.feature_column.indicator_column(column)])
    >>> vectors, lengths = layer({"page": tf.sparse.from_dense([[1, 2], [2, 0]])})
    >>> vectors.shape, lengths.numpy()
    (TensorShape([2, 2, 3]), array([2, 1]))
    """
    return SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value)
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> SequenceCategoricalColumn:
    """Sequences of hashed categories; see `categorical_column_with_hash_bucket`."""
    return SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Any,
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Sequences of terms that are listed; see `categorical_column_with_vocabulary_list`."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> SequenceCategoricalColumn:
    """Sequences of terms that a file lists; see `categorical_column_with_vocabulary_file`."""
    return SequenceCategoricalColumn(
        column_from_file(
            key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype, None
        )
    )


def sequence_numeric_column(
    key: str,
    shape: ShapeLike = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> SequenceNumericColumn:
    """A column of sequences of numbers.

    Args:
        key: the feature's name; the feature is sparse.
        shape: the shape of one step.
        default_value: the value of absent elements of a sequence.
        dtype: the dtype of the values.
        normalizer_fn: a function of the sparse tensor that is called first.

    Raises:
        TypeError: if a size or the normalizer is of another kind.
        ValueError: if sizes are not positive, or the dtype is not numeric.
    """
    shape = checked_shape(shape, key)
    checked_key(key)
    dtype = checked_number_dtype(dtype, key)
    check_normalizer(normalizer_fn)
    return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)
