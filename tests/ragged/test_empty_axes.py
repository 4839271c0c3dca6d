"""Ragged tensors keep their shapes where axes have no elements."""

import math

import numpy as np
import pytest

import eagerflow as tf

SHAPES = [
    tuple(0 if k == axis else size for k, size in enumerate(sizes))
    for sizes in [(2, 3), (2, 3, 4), (2, 1, 3, 2)]
    for axis in range(len(sizes))
] + [(0, 0), (2, 0, 0), (0, 3, 0)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("in_graph", [False, True])
def test_tensors_and_back(shape, in_graph):
    for rank in range(1, len(shape)):

        def there(x, rank=rank):
            return tf.RaggedTensor.from_tensor(x, ragged_rank=rank)

        rows = (tf.function(there) if in_graph else there)(tf.zeros(shape))
        assert rows.ragged_rank == rank and rows.nrows() == shape[0]
        for axis, lengths in enumerate(rows.nested_row_lengths()):
            assert lengths.numpy().tolist() == [shape[axis + 1]] * math.prod(shape[: axis + 1])
        assert there(tf.zeros(shape)).to_tensor().shape == shape


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.int64, np.bool_])
def test_arrays_keep_their_dtype(dtype):
    for array in (np.zeros([0], dtype), np.zeros([2, 0], dtype), np.zeros([2, 1], dtype)):
        assert tf.ragged.constant(array).dtype == dtype


def test_partitions_of_nothing():
    rows = tf.ragged.stack_dynamic_partitions(tf.zeros([0]), [], 2)
    assert rows.shape.as_list() == [2, None] and rows.row_splits.dtype == tf.int32
    nested = tf.ragged.constant([[1], []])
    assert tf.ragged.stack_dynamic_partitions(nested, [1, 1], 2).row_splits.dtype == tf.int64
