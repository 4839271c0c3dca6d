"""Products of float matrices of all sizes against NumPy in double precision."""

import numpy as np
import pytest

import eagerflow as tf

SIZES = [1, 2, 5, 8, 15, 16, 17, 31, 33, 48, 49, 100, 130, 257]


def product(m, k, n, transpose_a, transpose_b):
    """A product's error relative to what rounding allows."""
    random = np.random.default_rng(m * 7919 + k * 31 + n)
    a = random.normal(size=(k, m) if transpose_a else (m, k)).astype(np.float32)
    b = random.normal(size=(n, k) if transpose_b else (k, n)).astype(np.float32)
    got = tf.matmul(a, b, transpose_a, transpose_b).numpy()
    left = (a.T if transpose_a else a).astype(np.float64)
    right = (b.T if transpose_b else b).astype(np.float64)
    bound = (np.abs(left) @ np.abs(right)).max() * 1e-6
    assert got.shape == (m, n)
    return np.abs(got - left @ right).max() / bound


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_all_combinations_of_odd_sizes(transpose_a, transpose_b):
    for m in SIZES[::2]:
        for k in SIZES[::3]:
            for n in SIZES:
                assert product(m, k, n, transpose_a, transpose_b) < 1


@pytest.mark.parametrize(
    "m, k, n", [(1, 3000, 10), (32, 784, 128), (784, 32, 128), (700, 300, 20), (70, 900, 500)]
)
def test_sizes_of_networks(m, k, n):
    for transpose_b in (False, True):
        assert product(m, k, n, False, transpose_b) < 1


def test_what_lies_beyond_a_row_stays_out():
    # Rows are read in whole vectors: numbers of the next row must not come in, not even NaN.
    a = np.ones((3, 4), np.float32)
    b = np.ones((4, 17), np.float32)
    b[1:, 0] = np.nan
    got = tf.matmul(a, b).numpy()
    assert np.isnan(got[:, 0]).all()
    np.testing.assert_array_equal(got[:, 1:], 4)
    np.testing.assert_array_equal(tf.matmul(tf.zeros([3, 20]), tf.ones([20, 18])).numpy(), 0)
