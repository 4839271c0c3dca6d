"""Cholesky factors of many small matrices, and their gradients."""

import numpy as np
import pytest

import eagerflow as tf

SHAPES = [(1, 1), (5, 2, 2), (3, 3), (17, 7, 7), (2, 3, 16, 16), (40, 32, 32), (3, 33, 33)]


def positive(shape, dtype):
    matrices = np.random.RandomState(0).randn(*shape)
    return (matrices @ matrices.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_are_those_of_lapack(shape, dtype):
    matrices = positive(shape, dtype)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(
        tf.linalg.cholesky(matrices).numpy(),
        np.linalg.cholesky(matrices.astype(np.float64)),
        rtol=tolerance,
        atol=tolerance,
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_are_those_of_the_composed_formula(shape):
    matrices = tf.constant(positive(shape, np.float64))
    weights = np.random.RandomState(1).randn(*shape)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(matrices)
        loss = tf.reduce_sum(tf.linalg.cholesky(matrices) * weights)
        recorded = tape.gradient(loss, matrices)  # may be differentiated again: composed
    direct = tape.gradient(loss, matrices)
    np.testing.assert_allclose(direct.numpy(), recorded.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [33, 64, 65, 130, 300])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_factors_and_gradients_of_large_matrices(n, dtype):
    """Blocks of columns: the factor of NumPy, and the derivative along a direction."""
    random = np.random.default_rng(n)
    a, direction, weights = random.normal(size=(3, n, n))
    if dtype == "complex128":
        a = a + 1j * random.normal(size=(n, n))
    matrix = (a @ a.conj().T / n + 2 * np.eye(n)).astype(dtype)
    direction = (direction + direction.T).astype(dtype)
    x = tf.constant(matrix)
    with tf.GradientTape() as tape:
        tape.watch(x)
        factor = tf.linalg.cholesky(x)
        loss = tf.reduce_sum(tf.math.real(factor) * weights.astype(dtype).real)
    tolerance = 2e-5 if dtype == "float32" else 1e-11
    wide = matrix.astype(np.complex128 if dtype == "complex128" else np.float64)
    np.testing.assert_allclose(factor, np.linalg.cholesky(wide), rtol=tolerance, atol=tolerance)
    gradient = tape.gradient(loss, x).numpy()
    np.testing.assert_allclose(gradient, gradient.conj().T)
    step = 1e-5
    ends = [np.linalg.cholesky(wide + sign * step * direction).real for sign in (1, -1)]
    slope = np.sum((ends[0] - ends[1]) * weights) / (2 * step)
    np.testing.assert_allclose(
        np.sum(gradient.conj() * direction).real, slope, rtol=2e-3, atol=2e-3
    )


def test_only_matrices_without_factors_are_nan():
    matrices = np.stack([np.eye(4), -np.eye(4), 4 * np.eye(4)]).astype(np.float32)
    matrices[:, 0, 1:] = 7  # elements above the diagonal are not read
    factors = tf.linalg.cholesky(matrices).numpy()
    np.testing.assert_array_equal(factors[0], np.eye(4))
    np.testing.assert_array_equal(factors[2], 2 * np.eye(4))
    assert np.isnan(factors[1][np.tril_indices(4)]).all()
