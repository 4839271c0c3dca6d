"""Columns of multi-hot vectors of categories."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from eagerflow.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    SequenceDenseColumn,
    StateManager,
)
from eagerflow.feature_column.categories import steps_of, with_vectors
from eagerflow.feature_column.parents import OfCategories
from eagerflow.feature_column.sequence import check_sequence, check_single
from eagerflow.framework.shapes import TensorShape


class IndicatorColumn(
    OfCategories,
    DenseColumn,
    SequenceDenseColumn,
    namedtuple("IndicatorColumn", ["categorical_column"]),
):
    """Made by `tf.feature_column.indicator_column`."""

    @property
    def name(self) -> str:
        """The name of the categories with the suffix of this kind of column."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of a vector, with a leading axis of size one."""
        return TensorShape([1, self.categorical_column.num_buckets])

    def create_state(self, state_manager: StateManager) -> None:
        """Makes the variables of the column of categories."""
        self.categorical_column.create_state(state_manager)

    def transform_feature(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The vectors: how often categories are there, or the sums of their weights."""
        column = self.categorical_column
        pair = column.get_sparse_tensors(transformation_cache, state_manager)
        return with_vectors(pair, column.num_buckets)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The vectors, float32.

        Raises:
            ValueError: for a column of sequences.
        """
        check_single(self, "indicator_column")
        return transformation_cache.get(self, state_manager)

    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """The vectors of each step, and the number of steps of each example.

        Raises:
            ValueError: unless it is a column of sequences.
        """
        check_sequence(self, "indicator_column")
        vectors = transformation_cache.get(self, state_manager)
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return self.TensorSequenceLengthPair(vectors, steps_of(pair.id_tensor))


def indicator_column(categorical_column: FeatureColumn) -> IndicatorColumn:
    """A column of vectors with the count, or the total weight, of each category.

    Args:
        categorical_column: the column of categories.

    Raises:
        ValueError: if it is another column.

    >>> tags = tf.feature_column.categorical_column_with_vocabulary_list("tags", ["a", "b"])
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(tags)])
    >>> layer({"tags": tf.constant([["a", "a"], ["b", ""]])}).numpy()
    array([[2., 0.],
           [0., 1.]], dtype=float32)
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(
            "Unsupported input type. Input must be a CategoricalColumn. "
            f"Given: {categorical_column}"
        )
    return IndicatorColumn(categorical_column)
