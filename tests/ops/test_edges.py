"""Rare inputs of composed functions: integers, empty tensors, shapes that broadcast."""

from __future__ import annotations

import math

import numpy as np
import pytest

import eagerflow as tf


def test_angles_of_real_numbers():
    np.testing.assert_allclose(tf.math.angle([2.0, -1.0, 0.0]).numpy(), [0, math.pi, 0], 1e-6)
    with pytest.raises(TypeError, match="int32"):
        tf.math.angle([1, -1])


def test_losses_of_integers_are_averaged_as_floats():
    loss = tf.nn.scale_regularization_loss(tf.constant([1, 2], tf.uint8))
    assert (loss.dtype, float(loss)) == (tf.float32, 3.0)
    assert float(tf.nn.compute_average_loss(tf.constant([3, 4]))) == 3.5
    assert float(tf.nn.compute_average_loss(tf.zeros([0]))) == 0.0
    with pytest.raises(ValueError, match="rank"):
        tf.nn.compute_average_loss(1.0)


def test_ends_of_lines_broadcast():
    lines = tf.linspace([0.0, 2.0], [[4.0, 6.0], [8.0, 10.0]], 3)
    np.testing.assert_array_equal(lines[1].numpy(), [[2.0, 4.0], [4.0, 6.0]])


def test_nothing_comes_before_the_first_sum():
    sums = tf.math.cumulative_logsumexp([1.0, 1.0], exclusive=True).numpy()
    np.testing.assert_array_equal(sums, [-math.inf, 1.0])


def test_weights_may_all_be_zero():
    mean, variance = tf.nn.weighted_moments(tf.constant([1.0, 2.0]), [0], tf.constant([0.0, 0.0]))
    assert (float(mean), float(variance)) == (0.0, 0.0)


def test_plain_numbers_beside_batches_take_their_dtype():
    x = tf.constant([[1.0, 3.0]])
    result = tf.nn.batch_normalization(x, [1, 1], [3, 0], 1, 2, tf.constant(1.0))
    np.testing.assert_array_equal(result.numpy(), [[1.0, 5.0]])


def test_segments_of_many_and_of_no_rows():
    x = tf.Variable([2.0, 3.0, 4.0, 0.0, 5.0])
    with tf.GradientTape() as tape:
        y = tf.math.unsorted_segment_prod(x, [0, 2, 0, 2, 0], 4)
    np.testing.assert_array_equal(y.numpy(), [40.0, 1.0, 0.0, 1.0])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [20.0, 0.0, 10.0, 3.0, 8.0])
    assert tf.math.segment_prod(tf.zeros([2, 0]), [0, 3]).shape == (4, 0)
    assert tf.math.unsorted_segment_max(tf.zeros([2, 0]), [0, 3], 5).shape == (5, 0)


def test_the_last_of_several_rows_is_stitched():
    rows = tf.dynamic_stitch([[0, 3], [0]], [[[1.0], [2.0]], [[9.0]]])
    np.testing.assert_array_equal(rows.numpy(), [[9.0], [0.0], [0.0], [2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        tf.dynamic_stitch([[-1]], [[1]])


def test_repeats_take_no_list_of_places():
    np.testing.assert_array_equal(tf.repeat([[1, 2]], 2, axis=1).numpy(), [[1, 1, 2, 2]])
    np.testing.assert_array_equal(tf.repeat([1, 2], [2]).numpy(), [1, 1, 2, 2])
    assert tf.repeat(tf.zeros([2, 3]), 0, axis=0).shape == (0, 3)


def test_truediv_takes_the_first_dtype_and_divide_the_tensors():
    y = tf.constant([2.0], tf.float64)
    with pytest.raises(TypeError, match="float32.*float64"):
        tf.truediv([1.0], y)
    assert tf.divide(1.0, y).dtype == tf.float64


def test_bounds_between_which_there_is_no_number():
    """All that is drawn is rejected, for ever."""
    with pytest.raises(tf.errors.InternalError, match="failed to accept a sample"):
        tf.random.stateless_parameterized_truncated_normal(
            [3], seed=[1, 2], minvals=1e30, maxvals=1.1e30
        )
