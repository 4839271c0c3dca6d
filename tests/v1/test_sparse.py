"""Sparse functions and partitioners under version 1's names; expected values are TensorFlow's."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1

IDS = [[0, 0], [0, 1], [1, 0]]


@pytest.fixture
def weights():
    return tf.SparseTensor(IDS, [0.5, 1.5, 2.5], [2, 2])


def test_segments():
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert v1.sparse_segment_sum(rows, [0, 2], [0, 0]).numpy().tolist() == [[6, 8]]
    assert v1.sparse_segment_mean(rows, [0, 2], [0, 0]).numpy().tolist() == [[3, 4]]
    parts = v1.sparse_segment_sqrt_n(rows, [0, 2], [0, 1], num_segments=3)
    assert parts.numpy().tolist() == [[1, 2], [5, 6], [0, 0]]


def test_merged_ids_are_put_in_order(weights):
    ids = tf.SparseTensor(IDS, tf.constant([3, 1, 2], tf.int64), [2, 2])
    merged = v1.sparse_merge(ids, weights, 5)
    assert merged.indices.numpy().tolist() == [[0, 1], [0, 3], [1, 2]]
    assert merged.values.numpy().tolist() == [1.5, 0.5, 2.5]
    assert merged.dense_shape.numpy().tolist() == [2, 5]
    unsorted = v1.sparse_merge(ids, weights, 5, already_sorted=True)
    assert unsorted.indices.numpy().tolist() == [[0, 3], [0, 1], [1, 2]]
    crossed = v1.sparse_merge([ids, ids], weights, [5, 6])
    assert crossed.indices.numpy().tolist() == [[0, 1, 1], [0, 3, 3], [1, 2, 2]]
    with pytest.raises(ValueError, match="equal lengths"):
        v1.sparse_merge([ids], weights, [5, 6])
    with pytest.raises(TypeError, match="vocab_size has to be a list"):
        v1.sparse_merge([ids], weights, 5)


def test_products_and_sums(weights):
    product = v1.sparse_matmul([[1.0, 2.0]], [[3.0], [4.0]], a_is_sparse=True)
    assert product.numpy().tolist() == [[11]]
    sums = v1.sparse_reduce_sum_sparse(weights, axis=1)
    assert sums.values.numpy().tolist() == [2.0, 2.5]
    largest = v1.sparse_reduce_max_sparse(weights, keep_dims=True)
    assert tf.sparse.to_dense(largest).numpy().tolist() == [[2.5]]


def test_serialized(weights):
    assert v1.serialize_many_sparse(weights, "name").shape == (2, 3)
    restored = v1.deserialize_many_sparse(v1.serialize_sparse(weights)[None], tf.float32)
    assert restored.dense_shape.numpy().tolist() == [1, 2, 2]


def test_slices_stay_slices():
    slices = tf.IndexedSlices(tf.ones([2, 3]), [0, 4])
    assert v1.convert_to_tensor_or_indexed_slices(slices) is slices
    assert v1.convert_to_tensor_or_indexed_slices(2, tf.float64).dtype == tf.float64
    with pytest.raises(ValueError, match="dtype int32"):
        v1.convert_to_tensor_or_indexed_slices(slices, tf.int32)


@pytest.mark.parametrize(
    ("partitioner", "dtype", "parts"),
    [
        (v1.variable_axis_size_partitioner(16), tf.float32, [3, 1]),
        (v1.variable_axis_size_partitioner(4), tf.float32, [6, 1]),
        (v1.variable_axis_size_partitioner(4, max_shards=2), tf.float32, [2, 1]),
        (v1.variable_axis_size_partitioner(64), tf.string, [3, 1]),
        (v1.min_max_variable_partitioner(4, min_slice_size=16), tf.float32, [3, 1]),
        (v1.min_max_variable_partitioner(2, min_slice_size=8), tf.float32, [2, 1]),
        (v1.min_max_variable_partitioner(10, 1, 16), tf.float64, [1, 2]),
        (v1.min_max_variable_partitioner(3), tf.float32, [1, 1]),
    ],
)
def test_partitioners(partitioner, dtype, parts):
    assert partitioner(shape=tf.TensorShape([6, 2]), dtype=dtype) == parts


def test_refused_partitioners():
    with pytest.raises(ValueError, match="max_shard_bytes"):
        v1.variable_axis_size_partitioner(0)
    with pytest.raises(ValueError, match="max_shards"):
        v1.variable_axis_size_partitioner(8, max_shards=-1)


def test_namespaces():
    assert v1.manip.roll([1, 2, 3], 1, 0).numpy().tolist() == [3, 1, 2]
    assert v1.manip.gather_nd([[1, 2], [3, 4]], [[1]]).numpy().tolist() == [[3, 4]]
    np.testing.assert_allclose(v1.spectral.rfft([1.0, 2.0]), [3, -1])
