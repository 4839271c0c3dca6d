"""Triangular systems, linear systems, inverses, determinants and exponentials of matrices."""

import numpy as np
import pytest
import scipy.linalg

import eagerflow as tf

SIZES = [1, 2, 7, 33, 64, 65, 130, 200]
TOLERANCE = {"float32": 2e-3, "float64": 1e-9}


def regular(shape, dtype, seed=0):
    random = np.random.RandomState(seed)
    matrices = random.uniform(-1, 1, shape)
    return (matrices + 2 * np.sqrt(shape[-1]) * np.eye(shape[-1])).astype(dtype)


def numbers(shape, dtype, seed=1):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


@pytest.fixture(params=["float32", "float64"])
def dtype(request):
    return request.param


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_triangular_systems(n, lower, adjoint, dtype):
    a = regular((n, n), dtype)
    for k in (1, 3, 40):
        b = numbers((n, k), dtype)
        x = tf.linalg.triangular_solve(a, b, lower, adjoint)
        expected = scipy.linalg.solve_triangular(a, b, trans="T" if adjoint else "N", lower=lower)
        np.testing.assert_allclose(x.numpy(), expected, rtol=0, atol=TOLERANCE[dtype])


def test_the_other_triangle_is_not_read(dtype):
    a = regular((80, 80), dtype)
    b = numbers((80, 2), dtype)
    broken = np.where(np.tri(80, dtype=bool), a, np.nan)
    x = tf.linalg.triangular_solve(broken, b)
    np.testing.assert_array_equal(x, tf.linalg.triangular_solve(a, b))


def test_batches_of_triangular_systems_broadcast(dtype):
    a, b = regular((4, 1, 5, 5), dtype), numbers((3, 5, 2), dtype)
    x = tf.linalg.triangular_solve(a, b)
    assert x.shape == (4, 3, 5, 2)
    product = np.tril(a) @ x.numpy()
    expected = np.broadcast_to(b, product.shape)
    np.testing.assert_allclose(product, expected, atol=TOLERANCE[dtype])


def test_zeros_on_the_diagonal_divide():
    x = tf.linalg.triangular_solve([[0.0, 0.0], [1.0, 1.0]], [[1.0], [0.0]]).numpy()
    assert x[0, 0] == np.inf and x[1, 0] == -np.inf


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("adjoint", [True, False])
def test_systems_and_inverses(n, adjoint, dtype):
    a, b = numbers((n, n), dtype, 3) + np.eye(n, dtype=dtype), numbers((n, 3), dtype)
    exact = a.astype(np.float64).T if adjoint else a.astype(np.float64)
    expected = np.linalg.solve(exact, b)
    scale = np.abs(np.linalg.inv(exact)).max() + 1
    x = tf.linalg.solve(a, b, adjoint).numpy()
    np.testing.assert_allclose(x, expected, rtol=0, atol=scale * TOLERANCE[dtype])
    inverse = tf.linalg.inv(a, adjoint).numpy()
    np.testing.assert_allclose(inverse, np.linalg.inv(exact), atol=scale * TOLERANCE[dtype])


def test_rows_are_exchanged(dtype):
    a = np.array([[0, 1, 0], [0, 0, 2], [4, 0, 0]], dtype)
    np.testing.assert_array_equal(tf.linalg.inv(a), np.linalg.inv(a))
    assert float(tf.linalg.det(a)) == 8.0
    sign, logarithm = tf.linalg.slogdet(a[[1, 0, 2]])
    assert float(sign) == -1.0
    np.testing.assert_allclose(float(logarithm), np.log(8), rtol=1e-6)


@pytest.mark.parametrize("n", SIZES[:-1])
def test_determinants(n, dtype):
    a = numbers((4, n, n), dtype, 5) * 2 / np.sqrt(n)
    a = a.astype(dtype)
    exact = a.astype(np.float64)
    sign, logarithm = tf.linalg.slogdet(a)
    signs, logarithms = np.linalg.slogdet(exact)
    np.testing.assert_array_equal(sign, signs)
    np.testing.assert_allclose(logarithm, logarithms, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(tf.linalg.det(a), np.linalg.det(exact), rtol=2e-3)


def test_singular_matrices(dtype):
    zeros = np.zeros((2, 3, 3), dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.inv(zeros)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.solve(zeros, zeros)
    sign, logarithm = tf.linalg.slogdet(zeros)
    assert sign.numpy().tolist() == [0, 0] and logarithm.numpy().tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize("n", [7, 8, 20, 64])
@pytest.mark.parametrize("condition", [3.0, 30.0, 190.0, 1e3, 1e5])
def test_gradients_of_determinants(n, condition, dtype):
    """From well conditioned matrices to those that are nearly singular."""
    left, right = (np.linalg.qr(numbers((n, n), np.float64, seed))[0] for seed in (8, 9))
    a = (left * np.geomspace(1, 1 / condition, n) * np.sqrt(condition)) @ right
    x = tf.constant(a.astype(dtype))
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.linalg.det(x)
    exact = np.linalg.det(a) * np.linalg.inv(a).T
    tolerance = condition * np.finfo(dtype).eps * 20 * np.abs(exact).max()
    np.testing.assert_allclose(tape.gradient(value, x), exact, atol=tolerance)


def test_gradients_of_determinants_that_overflow(dtype):
    x = tf.constant(np.eye(40, dtype=dtype) * np.finfo(dtype).max ** 0.1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.linalg.det(x)
    assert np.isinf(value) and not np.isfinite(tape.gradient(value, x)).all()


def test_empty(dtype):
    nothing = np.zeros((0, 3, 3), dtype)
    assert tf.linalg.inv(nothing).shape == (0, 3, 3)
    assert tf.linalg.solve(nothing, nothing).shape == (0, 3, 3)
    assert tf.linalg.triangular_solve(nothing, nothing).shape == (0, 3, 3)
    assert tf.linalg.det(np.zeros((2, 0, 0), dtype)).numpy().tolist() == [1, 1]


@pytest.mark.parametrize("n", [33, 64, 65, 150, 165])
@pytest.mark.parametrize("count", [2, 8, 19])
def test_cholesky_of_large_matrices(n, count, dtype):
    a = numbers((count, n, n), dtype, 7)
    a = a @ a.swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)
    broken = np.where(np.tri(n, dtype=bool), a, np.nan).astype(dtype)
    factors = tf.linalg.cholesky(broken)
    exact = np.linalg.cholesky(a.astype(np.float64))
    np.testing.assert_allclose(factors, exact, atol=TOLERANCE[dtype] * 10)
    a[1, n - 1, n - 1] = -1
    factors = tf.linalg.cholesky(a).numpy()
    assert np.isfinite(factors[0]).all()
    assert np.isnan(factors[1][np.tri(n, dtype=bool)]).all()
    assert not factors[1][~np.tri(n, dtype=bool)].any()


@pytest.mark.parametrize(
    "n, count", [(16, 1), (31, 20), (32, 3), (48, 5), (64, 4), (65, 9), (130, 9)]
)
def test_cholesky_gradients_of_many_matrices(n, count, dtype):
    """They are computed side by side, or one by one."""
    a = numbers((count, n, n), dtype, 10)
    a = a @ a.swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)
    dl = numbers((count, n, n), dtype, 11)
    x = tf.constant(a)
    with tf.GradientTape() as tape:
        tape.watch(x)
        factors = tf.linalg.cholesky(x)
    found = tape.gradient(factors, x, output_gradients=dl)
    for matrix, upstream, gradient in zip(a, dl, found, strict=True):
        lower = np.linalg.cholesky(matrix.astype(np.float64))
        product = np.tril(lower.T @ np.tril(upstream.astype(np.float64)))
        product[np.diag_indices(n)] /= 2
        inverse = np.linalg.inv(lower)
        exact = inverse.T @ product @ inverse
        scale = np.abs(exact).max()
        np.testing.assert_allclose(
            gradient / scale, (exact + exact.T) / 2 / scale, atol=TOLERANCE[dtype] * 10
        )


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: tf.linalg.solve(a, b),
        lambda a, b: tf.linalg.solve(a, b, adjoint=True),
        lambda a, b: tf.linalg.triangular_solve(a, b),
        lambda a, b: tf.linalg.triangular_solve(a, b, lower=False, adjoint=True),
        lambda a, b: tf.linalg.inv(a) @ b,
        lambda a, b: tf.linalg.det(a) * tf.reduce_sum(b),
        lambda a, b: tf.linalg.slogdet(a)[1] * tf.reduce_sum(b),
        lambda a, b: tf.linalg.expm(a / 4) @ b,
    ],
)
def test_gradients(function):
    a, b = regular((4, 4), "float64"), numbers((4, 2), "float64")
    for theoretical, numerical in zip(*tf.test.compute_gradient(function, [a, b]), strict=True):
        np.testing.assert_allclose(theoretical, numerical, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 30.0])
def test_exponentials(scale, dtype):
    a = (numbers((3, 5, 5), dtype, 9) * np.array([0.1, 1, 2], dtype)[:, None, None]) * scale
    a = a.astype(dtype) - scale * np.eye(5, dtype=dtype)
    expected = scipy.linalg.expm(a.astype(np.float64))
    limit = 2e-4 if dtype == "float32" else 1e-11
    difference = np.abs(tf.linalg.expm(a).numpy() - expected).max(axis=(-2, -1))
    assert (difference <= limit * (1 + np.abs(expected).max(axis=(-2, -1)))).all()


def test_exponentials_of_what_is_not_finite():
    a = np.zeros((2, 2, 2), "float32")
    a[1, 0, 0] = np.inf
    result = tf.linalg.expm(a).numpy()
    np.testing.assert_array_equal(result[0], np.eye(2))
    assert np.isnan(result[1]).any()
