"""Shapes of ragged tensors: gradients and structures."""

import numpy as np

import eagerflow as tf


def test_gradients_flow_through_broadcasting():
    x = tf.constant([[10.0], [20.0], [30.0]])
    shape = tf.shape(tf.ragged.constant([[1, 2], [], [3, 4, 5]]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.broadcast_to(x, shape) ** 2)
    np.testing.assert_array_equal(tape.gradient(y, x), [[40.0], [0.0], [180.0]])


def test_structures_take_shapes_apart():
    shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
    inner, splits = tf.nest.flatten(shape, expand_composites=True)
    assert inner.numpy().tolist() == [3]
    assert splits.numpy().tolist() == [0, 2, 3]
    again = tf.nest.pack_sequence_as(shape, [inner, splits], expand_composites=True)
    assert bool(again == shape)
