"""Losses, and classes among the largest."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf


def test_losses_of_integers_are_averaged_as_floats():
    loss = tf.nn.scale_regularization_loss(tf.constant([1, 2], tf.uint8))
    assert (loss.dtype, float(loss)) == (tf.float32, 3.0)
    assert float(tf.nn.compute_average_loss(tf.constant([3, 4]))) == 3.5
    assert float(tf.nn.compute_average_loss(tf.zeros([0]))) == 0.0
    with pytest.raises(ValueError, match="rank"):
        tf.nn.compute_average_loss(1.0)


def test_in_top_k_against_sorting():
    random = np.random.RandomState(0)
    scores = random.permutation(300 * 50).reshape(300, 50).astype("float32")
    targets = random.randint(-1, 52, 300)
    for k in (1, 3, 50):
        ranks = (-scores).argsort(axis=1).argsort(axis=1)
        known = (targets >= 0) & (targets < 50)
        expected = known & (ranks[np.arange(300), np.where(known, targets, 0)] < k)
        np.testing.assert_array_equal(tf.math.in_top_k(targets, scores, k), expected)


def test_in_top_k_with_ties_and_what_is_not_finite():
    scores = [[1.0, 1.0, 0.0], [np.inf, 1.0, 0.0], [0.0, np.nan, 1.0]]
    assert tf.math.in_top_k([1, 1, 2], scores, 1).numpy().tolist() == [True, False, False]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must match length of targets"):
        tf.math.in_top_k([1], scores, 1)
