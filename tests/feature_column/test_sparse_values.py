"""Columns of features that are given as values of sparse tensors."""

from __future__ import annotations

import numpy as np

import eagerflow as tf

SparseTensorValue = tf.compat.v1.SparseTensorValue


def test_columns_take_values_of_sparse_tensors() -> None:
    value = SparseTensorValue([[0, 0], [1, 0], [1, 1]], [2, 0, 1], [2, 2])
    tensor = tf.SparseTensor(*value)
    column = tf.feature_column.sequence_categorical_column_with_identity("a", num_buckets=3)
    layer = tf.keras.experimental.SequenceFeatures([tf.feature_column.indicator_column(column)])
    for features in ({"a": value}, {"a": tensor}):
        outputs, lengths = layer(features)
        np.testing.assert_array_equal(lengths, [1, 2])
        np.testing.assert_array_equal(outputs[1], [[1, 0, 0], [0, 1, 0]])
    number = tf.feature_column.sequence_numeric_column("b")
    outputs, _ = tf.keras.experimental.SequenceFeatures([number])(
        {"b": SparseTensorValue([[0, 0], [0, 1]], [1.5, 2.5], [1, 2])}
    )
    np.testing.assert_array_equal(outputs, [[[1.5], [2.5]]])
