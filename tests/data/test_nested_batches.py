"""Batches of datasets as elements, and elements that are values of sparse and ragged tensors."""

import numpy as np
import pytest

import eagerflow as tf

Dataset = tf.data.Dataset


def ranges(count):
    return Dataset.range(count).map(lambda n: (n, Dataset.range(n)))


def test_specs():
    inner = tf.TensorSpec([], tf.int64)
    for drop, size in ((False, None), (True, 2)):
        number, nested = ranges(4).batch(2, drop_remainder=drop).element_spec
        assert number == tf.TensorSpec([size], tf.int64)
        assert nested == tf.data.DatasetSpec(inner, [size])
    assert tf.data.DatasetSpec(inner, [2]) != tf.data.DatasetSpec(inner)
    assert ranges(4).batch(2).batch(3).unbatch().element_spec == ranges(4).batch(2).element_spec


@pytest.mark.parametrize("sizes", [[3], [2, 2]])
def test_batches_come_apart_again(sizes):
    dataset = ranges(5)
    for size in sizes:
        dataset = dataset.batch(size)
    dataset = dataset.map(lambda numbers, nested: (numbers, nested))
    for _ in sizes:
        dataset = dataset.unbatch()
    found = dataset.flat_map(lambda n, nested: nested.map(lambda k: (n, k)))
    expected = [(n, k) for n in range(5) for k in range(n)]
    assert [(int(n), int(k)) for n, k in found] == expected


def test_single_datasets_have_no_slices():
    with pytest.raises(ValueError, match="no slices"):
        Dataset.range(3).map(lambda n: Dataset.range(n)).unbatch()


def test_elements_from_values_of_ragged_tensors():
    rows = tf.compat.v1.ragged.RaggedTensorValue(np.array([0, 42, 7]), np.array([0, 2, 3]))
    whole = Dataset.from_tensors(rows)
    assert whole.element_spec == tf.RaggedTensorSpec([2, None], tf.int64)
    assert next(iter(whole)).to_list() == [[0, 42], [7]]
    assert [row.numpy().tolist() for row in Dataset.from_tensor_slices(rows)] == [[0, 42], [7]]
    with pytest.raises(TypeError, match=r"not a subclass of TensorSpec: `RaggedTensorSpec.*`\.$"):
        whole.padded_batch(2)


def test_elements_from_values_of_sparse_tensors():
    def sparse(n):
        return tf.compat.v1.SparseTensorValue(indices=[[0]], values=[n], dense_shape=[2])

    (batch,) = Dataset.range(3).map(sparse).batch(3)
    assert batch.dense_shape.numpy().tolist() == [3, 2]
    assert tf.sparse.to_dense(batch).numpy().tolist() == [[0, 0], [1, 0], [2, 0]]


def test_padded_shapes_are_vectors():
    with pytest.raises(ValueError, match=r"Padded shape \[\[1, 1\]\] must be .* was \(1, 2\)"):
        Dataset.from_tensors([1, 2]).padded_batch(5, padded_shapes=[[1, 1]])
