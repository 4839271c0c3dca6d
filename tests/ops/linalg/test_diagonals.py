"""Matrices from diagonals: their sizes where some are not given."""

import pytest

import eagerflow as tf


@pytest.mark.parametrize("k", [-2, -1, 0, 1, 2])
def test_matrices_are_square_by_default(k):
    matrix = tf.linalg.diag([1, 2, 5], k=k)
    assert matrix.shape == (3 + abs(k), 3 + abs(k))
    assert tf.linalg.diag_part(matrix, k=k).numpy().tolist() == [1, 2, 5]
    assert int(tf.reduce_sum(matrix)) == 8


def test_one_given_size_leaves_the_least_of_the_other():
    assert tf.linalg.diag([1, 2, 5], k=1, num_cols=4).shape == (3, 4)
    assert tf.linalg.diag([1, 2, 5], k=-1, num_rows=5).shape == (5, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="diagonal"):
        tf.linalg.diag([1, 2, 5], k=1, num_rows=9, num_cols=9)
