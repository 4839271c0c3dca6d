"""Ragged tensors without elements, as TensorFlow 2.21 answers."""

import numpy as np
import pytest

import eagerflow as tf

ROWS = tf.ragged.constant([[], [], []], dtype=tf.float32)
NESTED = tf.ragged.constant([[], []], ragged_rank=2, dtype=tf.float32)


def test_padding_is_zero_where_no_row_has_elements():
    for _ in range(20):
        # Memory that held other numbers is given to the next tensor.
        noise = tf.random.normal([15])
        del noise
        np.testing.assert_array_equal(ROWS.to_tensor(shape=[5, 3]), np.zeros([5, 3]))
        np.testing.assert_array_equal(NESTED.to_tensor(shape=[2, 1, 2]), np.zeros([2, 1, 2]))


@pytest.mark.parametrize("value, shape", [(ROWS, (3, 0)), (NESTED, (2, 0, 0))])
def test_arrays_have_all_axes(value, shape):
    assert value.numpy().shape == shape
    assert value[:0].numpy().shape == (0, *shape[1:])


def test_gradients_have_the_rows():
    for value in (ROWS, NESTED):
        for function in (tf.reduce_max, tf.reduce_min, tf.reduce_sum, tf.reduce_mean):
            with tf.GradientTape() as tape:
                tape.watch(value)
                y = tf.reduce_sum(function(value, 1))
            assert tape.gradient(y, value).to_list() == value.to_list()


def test_strings_are_joined_to_empty_ones():
    words = tf.ragged.constant([[], []], dtype=tf.string)
    assert tf.strings.reduce_join(words, 1).numpy().tolist() == [b"", b""]
    assert tf.strings.reduce_join(words, 0).shape == [0]


def test_picking_from_batches_picks_nothing():
    places = tf.ragged.constant([[], [], []], dtype=tf.int32)
    assert tf.gather(ROWS, places, batch_dims=1).to_list() == [[], [], []]


def test_counts_have_the_size_of_one_number():
    numbers = tf.ragged.constant([[], []], dtype=tf.int32)
    assert tf.sparse.bincount(numbers, axis=-1).shape == [2, 1]
    assert tf.math.bincount(numbers, axis=-1).shape == [2, 0]
    assert tf.sparse.bincount(numbers).dense_shape.numpy().tolist() == [1]
