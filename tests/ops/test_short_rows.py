"""Reductions of short rows and tall columns, batched gathers, reversals, norms: against NumPy."""

import numpy as np
import pytest

import eagerflow as tf

PAIRS = {
    "reduce_sum": np.sum,
    "reduce_mean": np.mean,
    "reduce_prod": np.prod,
    "reduce_max": np.max,
    "reduce_min": np.min,
}


def rows(dtype, count, n):
    x = np.random.default_rng(n).uniform(-4, 4, (count, n))
    return (np.abs(x) if dtype == "u1" else x).astype(dtype)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 10, 11, 16, 21, 32, 33])
def test_rows_and_columns(name, n):
    ours, theirs = getattr(tf, name), PAIRS[name]
    for count in (1, 2, 100, 3000):
        x = rows("f4", count, n)
        want = theirs(x.astype("f8"), axis=1)
        np.testing.assert_allclose(ours(x, 1), want, rtol=2e-5, atol=1e-5)
        np.testing.assert_allclose(ours(x.T.copy(), 0), want, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["f8", "i1", "u1", "i2", "i4", "i8"])
@pytest.mark.parametrize("n", [2, 3, 8, 15])
def test_other_numbers(dtype, n):
    x = rows(dtype, 700, n)
    for name in ("reduce_sum", "reduce_prod"):
        want = PAIRS[name](x, axis=1, dtype=dtype)
        np.testing.assert_allclose(getattr(tf, name)(x, 1), want, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(tf.reduce_max(x, 1), x.max(1))
    np.testing.assert_array_equal(tf.reduce_min(x, 1), x.min(1))
    np.testing.assert_array_equal(tf.reduce_all(x > 1, 1), (x > 1).all(1))
    np.testing.assert_array_equal(tf.reduce_any(x > 1, 1), (x > 1).any(1))


@pytest.mark.parametrize("n", [2, 3, 6, 8])
@pytest.mark.parametrize("name", ["reduce_max", "reduce_min"])
def test_a_nan_is_the_extreme(name, n):
    x = rows("f4", 300, n)
    for place in range(n):
        x[10 * place, place] = np.nan
    x[200] = np.inf
    want = PAIRS[name](x, axis=1)
    np.testing.assert_array_equal(getattr(tf, name)(x, 1), want)
    wide = np.tile(x, (1, 8))
    np.testing.assert_array_equal(getattr(tf, name)(wide.T.copy(), 0), want)


@pytest.mark.parametrize("dtype", ["i4", "i8"])
@pytest.mark.parametrize("items", [(), (2,), (3,), (20,)])
def test_gathers_of_each_row(dtype, items):
    generator = np.random.default_rng(0)
    x = generator.normal(size=(6, 50, *items)).astype("f4")
    at = generator.integers(0, 50, (6, 9)).astype(dtype)
    want = np.stack([row[places] for row, places in zip(x, at, strict=True)])
    np.testing.assert_array_equal(tf.gather(x, at, axis=1, batch_dims=1), want)
    for wrong in (-1, 50):
        at[3, 2] = wrong
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"indices\[3,2\] = {wrong} "):
            tf.gather(x, at, axis=1, batch_dims=1)


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("n", [1, 2, 15, 16, 70])
def test_reversals(dtype, n):
    x = np.arange(3 * n * 2).reshape(3, n, 2).astype(dtype)
    for axes in ([0], [1], [2], [1, 2], [0, 1, 2]):
        np.testing.assert_array_equal(tf.reverse(x, axes), np.flip(x, axes))
    np.testing.assert_array_equal(tf.constant(x)[:, ::-1, 0], x[:, ::-1, 0])
    np.testing.assert_array_equal(tf.reverse(x[..., 0], [1]), x[:, ::-1, 0])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_norms_of_whole_tensors(dtype):
    x = tf.Variable(rows(dtype, 40, 5))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            length = tf.norm(x)
        gradient = tape.gradient(length, x)
    np.testing.assert_allclose(length, np.linalg.norm(x.numpy()), rtol=1e-6)
    np.testing.assert_allclose(gradient, x / length, rtol=1e-5)
    # The gradient's elements add up to sum(x) / norm(x).
    total = np.sum(x.numpy())
    want = 1 / length.numpy() - total * x.numpy() / length.numpy() ** 3
    np.testing.assert_allclose(outer.gradient(gradient, x), want, rtol=1e-4, atol=1e-6)
