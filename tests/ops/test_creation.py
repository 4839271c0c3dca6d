"""Tensors created from a few values."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf


def test_ends_of_lines_broadcast():
    lines = tf.linspace([0.0, 2.0], [[4.0, 6.0], [8.0, 10.0]], 3)
    np.testing.assert_array_equal(lines[1].numpy(), [[2.0, 4.0], [4.0, 6.0]])


def test_numbers_like_strings_have_the_dtype_that_is_asked_for():
    assert tf.ones_like(["a", "b"], dtype="int32").numpy().tolist() == [1, 1]
    assert tf.zeros_like(["a"], dtype=tf.float32).numpy().tolist() == [0.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="of string is not in the list"):
        tf.ones_like(["a"])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def ones(x):
        return tf.ones_like(x, dtype=tf.bool)

    assert ones(["a"]).numpy().tolist() == [True]
