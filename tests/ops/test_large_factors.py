"""Factors of single matrices of some size, and special functions of many numbers."""

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
    if dtype in ("float32", "float64"):  # TensorFlow has no others for zeta
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
