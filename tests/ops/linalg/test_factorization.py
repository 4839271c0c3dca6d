"""Factors of single larger matrices, and special functions of many values."""

import numpy as np
import pytest
import scipy.special

import eagerflow as tf


def matrix(rows, columns, dtype="float32"):
    numbers = np.random.RandomState(0).randn(rows, columns)
    if dtype == "complex64":
        numbers = numbers + 1j * np.random.RandomState(1).randn(rows, columns)
    return numbers.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(64, 71), (71, 64), (130, 130)])
@pytest.mark.parametrize("full", [False, True])
def test_factors_multiply_to_the_matrix(shape, full, dtype):
    a = matrix(*shape, dtype)
    q, r = tf.linalg.qr(a, full_matrices=full)
    assert q.dtype == dtype and r.dtype == dtype
    np.testing.assert_allclose(tf.matmul(q, r), a, atol=1e-3)
    s, u, v = tf.linalg.svd(a, full_matrices=full)
    k = min(shape)
    assert u.dtype == dtype and s.shape == (k,)
    assert u.shape == (shape[0], shape[0] if full else k)
    assert v.shape == (shape[1], shape[1] if full else k)
    product = (u.numpy()[:, :k] * s.numpy()) @ v.numpy()[:, :k].conj().T
    np.testing.assert_allclose(product, a, atol=1e-3)
    np.testing.assert_allclose(tf.linalg.svd(a, compute_uv=False), s, atol=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_eigenvalues(dtype):
    a = matrix(100, 100, dtype)
    a = a @ a.conj().T
    e, v = tf.linalg.eigh(np.tril(a))
    assert v.dtype == dtype and e.dtype == dtype
    np.testing.assert_allclose((v.numpy() * e.numpy()) @ v.numpy().conj().T, a, atol=1e-2)
    values = tf.linalg.eigvalsh(a)
    assert values.dtype == dtype
    np.testing.assert_allclose(values, e, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_special_functions_of_many_numbers(dtype):
    x = tf.cast(np.random.RandomState(0).uniform(0.1, 5, (300, 400)), dtype)
    wide = tf.cast(x, tf.float64).numpy()
    tolerance = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-12}[dtype]
    functions = [
        (tf.math.bessel_i0, scipy.special.i0(wide)),
        (tf.math.special.bessel_k1, scipy.special.k1(wide)),
        (lambda x: tf.math.igamma(x, x[:1]), scipy.special.gammainc(wide, wide[:1])),
    ]
    if dtype in ("float32", "float64"):  # TensorFlow has zeta for these only
        powers = tf.cast(x + 1, tf.float64).numpy()
        expected = scipy.special.zeta(powers, wide[0, 0])
        functions.append((lambda x: tf.math.zeta(x + 1, x[0, 0]), expected))
    for function, expected in functions:
        result = function(x)
        assert result.dtype == dtype and result.shape == (300, 400)
        result = tf.cast(result, tf.float64)
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance / 100)


def test_blocks_do_not_matter():
    start = np.linspace(-3, 3, 70_001).astype("float32")
    whole = tf.math.zeta(np.float32(3), start)
    parts = [tf.math.zeta(np.float32(3), part) for part in np.array_split(start, 10)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


@pytest.mark.parametrize("n", [1, 2, 7, 40, 90])
def test_schur_form(n):
    random = np.random.RandomState(n)
    a = random.normal(size=(3, n, n)) + 1j * random.normal(size=(3, n, n))
    a[1] = np.triu(a[1])  # already triangular
    a[2] = np.eye(n, k=1) + np.eye(n, k=-n + 1)  # a cyclic permutation: no shift is close
    t, q = (np.asarray(part) for part in tf._core.ops.schur(a))
    assert np.array_equal(t, np.triu(t))
    turned = np.conj(q.swapaxes(1, 2))
    np.testing.assert_allclose(turned @ t @ q, a, atol=1e-13 * n)
    np.testing.assert_allclose(turned @ q, [np.eye(n)] * 3, atol=1e-13 * n)


@pytest.mark.parametrize("kind", ["general", "hermitian", "defective"])
@pytest.mark.parametrize("n", [3, 20, 90])
def test_roots_and_logarithms(kind, n):
    random = np.random.RandomState(n)
    a = random.normal(size=(n, n)) + 1j * random.normal(size=(n, n))
    if kind == "hermitian":
        a = a @ a.conj().T + np.eye(n)
    if kind == "defective":
        a = 2 * np.eye(n) + np.eye(n, k=1)
    a = a.astype(np.complex128)
    root, logarithm = tf.linalg.sqrtm(a).numpy(), tf.linalg.logm(a)
    scale = np.abs(a).max()
    np.testing.assert_allclose(root @ root, a, atol=1e-12 * scale)
    np.testing.assert_allclose(tf.linalg.expm(logarithm), a, atol=1e-12 * scale)
    assert (np.linalg.eigvals(root).real >= 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("m", [1, 2, 3, 50])
def test_tridiagonal_systems_exchange_rows(dtype, m):
    random = np.random.RandomState(m)
    bands = random.normal(size=(4, 3, m)).astype(dtype)
    bands[:, 1] *= 1e-3  # the pivots are next to the main diagonal
    bands[:, 1, -1:] += 1
    b = random.normal(size=(4, m, 2)).astype(dtype)
    x = tf.linalg.tridiagonal_solve(bands, b).numpy()
    full = [np.diag(s[1]) + np.diag(s[0, :-1], 1) + np.diag(s[2, 1:], -1) for s in bands]
    exact = np.linalg.solve(np.asarray(full, np.complex128), b)
    digits = 1e-3 if dtype in ("float32", "complex64") else 1e-11
    np.testing.assert_allclose(x, exact, rtol=digits, atol=digits * np.abs(exact).max())


def test_lu_of_batches():
    a = np.random.RandomState(0).normal(size=(2, 3, 70, 70))
    factors, order = tf.linalg.lu(a, output_idx_type=tf.int64)
    assert order.dtype == tf.int64 and order.shape == (2, 3, 70)
    lower = np.tril(factors, -1) + np.eye(70)
    product = lower @ np.triu(factors)
    np.testing.assert_allclose(
        product, np.take_along_axis(a, order.numpy()[..., None], 2), atol=1e-12
    )
    assert tf.linalg.lu(np.zeros((0, 3, 3)))[1].shape == (0, 3)
