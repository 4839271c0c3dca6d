"""Raw operations that TensorFlow has besides newer ones."""

import numpy as np
import pytest

import eagerflow as tf


def handle(*items):
    made = tf.raw_ops.EmptyTensorList(
        element_shape=-1, max_num_elements=-1, element_dtype=tf.float32
    )
    for item in items:
        made = tf.raw_ops.TensorListPushBack(input_handle=made, tensor=item)
    return made


@pytest.mark.parametrize("shape", [None, [None, 2]])
def test_concatenated_lists(shape):
    parts = handle(tf.ones([1, 2]), tf.zeros([2, 2]))
    found, lengths = tf.raw_ops.TensorListConcat(
        input_handle=parts, element_dtype=tf.float32, element_shape=shape
    )
    assert found.numpy().tolist() == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    assert lengths.numpy().tolist() == [1, 2] and lengths.dtype == tf.int64


def test_numbers_of_files(tmp_path):
    path = str(tmp_path / "numbers")
    np.arange(9, dtype=np.float32).tofile(path)
    read = tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[2, 3], memory_region_name=path)
    assert read.numpy().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[10], memory_region_name=path)
    with pytest.raises(tf.errors.NotFoundError):
        tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[1], memory_region_name=path + "-no")
