"""Stateless random values in graphs equal eager ones."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("seed", [[1, 2], [3, -4], [2**31, 7]])
def test_gamma_values_of_seeds_that_a_graph_gets(seed):
    def draw(seed):
        return tf.random.stateless_gamma([3], seed, alpha=[0.5, 1.0, 2.0])

    seeds = [tf.constant(seed, tf.int64) + k for k in range(8)]  # keys with and without a sign
    for one in seeds:
        np.testing.assert_array_equal(tf.function(draw)(one), draw(one))


def test_seeds_of_shuffled_indices_have_two_parts():
    assert tf.random.experimental.index_shuffle(0, [1, 2], 9).dtype == tf.int32
    with pytest.raises(tf.errors.InvalidArgumentError, match="seed"):
        tf.random.experimental.index_shuffle(0, [1, 2, 3], 9)
