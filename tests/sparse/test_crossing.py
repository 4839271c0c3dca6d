"""Crossed features: the order in which values are joined."""

import pytest

import eagerflow as tf

dense = tf.constant([["a"], ["b"]])
numbers = tf.constant([[1], [2]])


@pytest.mark.parametrize("swapped", [False, True])
def test_sparse_inputs_come_before_dense_ones(swapped):
    sparse = tf.sparse.from_dense([["p"], ["q"]])
    inputs = [sparse, dense, numbers] if swapped else [dense, numbers, sparse]
    assert tf.sparse.cross(inputs).values.numpy().tolist() == [b"p_X_a_X_1", b"q_X_b_X_2"]
    assert tf.sparse.cross_hashed(inputs, 40, hash_key=3).values.numpy().tolist() == [5, 15]


def test_crossed_columns_begin_with_columns():
    """Features that are named in place of a column are dense."""
    prices = tf.feature_column.bucketized_column(tf.feature_column.numeric_column("price"), [2, 6])
    features = {"price": [[1.0], [5.0], [9.0]], "kind": [["a"], ["b"], ["zz"]]}
    for keys in (["kind", prices], [prices, "kind"]):
        crossed = tf.feature_column.crossed_column(keys, 100)
        layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(crossed)])
        assert tf.argmax(layer(features), 1).numpy().tolist() == [95, 57, 23]


@pytest.mark.parametrize("cross", ["sparse.cross", "sparse.cross_hashed", "ragged.cross"])
@pytest.mark.parametrize("shape", [[2], [2, 1, 2]])
def test_crossed_tensors_are_matrices(cross, shape):
    package, name = cross.split(".")
    dense = tf.ones(shape, tf.int64)
    for value in (dense, tf.sparse.from_dense(dense)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="rank 2"):
            getattr(getattr(tf, package), name)([value, value])
