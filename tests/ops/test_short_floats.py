"""Sixteen-bit floats: results are rounded float32 results."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf

SHAPES = [(5,), (3, 7), (2, 3000), (3000, 3), (4, 5, 6), (70_000,), (300, 700), (0, 3), (3, 0)]


def pair(shape, dtype, seed=0):
    values = np.random.RandomState(seed).uniform(-2, 2, shape).astype("float32")
    short = tf.cast(values, dtype)
    return short, tf.cast(short, tf.float32)


def floats(x):
    return tf.cast(x, tf.float32).numpy()


@pytest.fixture(params=["float16", "bfloat16"])
def dtype(request):
    return tf.as_dtype(request.param)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "function", [tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod]
)
def test_reductions(function, shape, dtype):
    x, wide = pair(shape, dtype)
    axes = [None, *range(len(shape))] + ([[0, 2]] if len(shape) > 2 else [])
    for axis in axes:
        result, expected = function(x, axis), tf.cast(function(wide, axis), dtype)
        assert result.dtype == dtype and result.shape == expected.shape
        np.testing.assert_allclose(floats(result), floats(expected), rtol=1e-2, atol=1e-2)


def test_extremes_with_nan(dtype):
    x = tf.constant([1.0, np.nan, -np.inf], dtype)
    assert np.isnan(float(tf.reduce_max(x))) and np.isnan(float(tf.reduce_min(x)))
    assert float(tf.reduce_max(x[2:])) == -np.inf


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "function",
    [
        tf.nn.softmax,
        tf.nn.log_softmax,
        tf.negative,
        tf.abs,
        lambda x: tf.add_n([x, x, x]),
        lambda x: tf.math.top_k(x, min(2, x.shape[-1]))[0],
    ],
)
def test_functions_are_those_of_floats(function, shape, dtype):
    x, wide = pair(shape, dtype)
    result = function(x)
    assert result.dtype == dtype
    np.testing.assert_array_equal(floats(result), floats(tf.cast(function(wide), dtype)))


def test_signs(dtype):
    x = tf.constant([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)
    np.testing.assert_array_equal(np.signbit(floats(-x)[:4]), [True, False, True, False])
    np.testing.assert_array_equal(floats(abs(x)), [0, 0, np.inf, np.inf, np.nan])


def test_losses(dtype):
    x, wide = pair((300, 70), dtype)
    labels = np.random.RandomState(1).randint(0, 70, 300)
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x)
    expected = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, wide)
    np.testing.assert_array_equal(floats(loss), floats(tf.cast(expected, dtype)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="label value of 70"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 70], x[:2])


@pytest.mark.parametrize("pool", [tf.nn.max_pool2d, tf.nn.avg_pool2d])
def test_pooling(pool, dtype):
    x, wide = pair((5, 9, 8, 3), dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, wide])
        y, expected = pool(x, 3, 2, "SAME"), pool(wide, 3, 2, "SAME")
    np.testing.assert_array_equal(floats(y), floats(tf.cast(expected, dtype)))
    gradient, wide_gradient = tape.gradient(y, x), tape.gradient(expected, wide)
    assert gradient.dtype == dtype
    np.testing.assert_allclose(floats(gradient), floats(wide_gradient), atol=0.02)


def test_segments(dtype):
    x, wide = pair((50, 33), dtype)
    ids = np.arange(50) % 7 - 1
    result = tf.math.unsorted_segment_sum(x, ids, 6)
    np.testing.assert_array_equal(
        floats(result), floats(tf.cast(tf.math.unsorted_segment_sum(wide, ids, 6), dtype))
    )


@pytest.mark.parametrize(
    "m, n, k",
    [
        *[(128, 128, 128), (200, 333, 77), (1000, 9, 300), (9, 999, 200)],
        # Matrices that are converted part by part, also where their sums have many terms.
        *[(1, 300, 5001), (300, 1, 5001), (16, 700, 1100), (2500, 2, 40), (3, 70_000, 1)],
    ],
)
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_products(m, n, k, transpose_a, transpose_b, dtype):
    a, wide_a = pair((k, m) if transpose_a else (m, k), dtype)
    b, wide_b = pair((n, k) if transpose_b else (k, n), dtype, 1)
    result = tf.matmul(a, b, transpose_a, transpose_b)
    expected = tf.matmul(wide_a, wide_b, transpose_a, transpose_b)
    np.testing.assert_allclose(floats(result), floats(expected), rtol=8e-3, atol=0.1)


@pytest.mark.parametrize(
    "left, right",
    [
        ((6, 64, 64), (6, 64, 64)),
        ((40, 3, 5), (40, 5, 7)),
        ((6, 64, 64), (64, 64)),
        ((2, 3, 128, 64), (2, 3, 64, 96)),
        ((64, 64), (6, 64, 64)),
        ((2, 1, 128, 64), (1, 3, 64, 96)),
    ],
)
@pytest.mark.parametrize("transpose_b", [False, True])
def test_batches_of_products(left, right, transpose_b, dtype):
    if transpose_b:
        right = (*right[:-2], right[-1], right[-2])
    a, wide_a = pair(left, dtype)
    b, wide_b = pair(right, dtype, 1)
    result = tf.matmul(a, b, transpose_b=transpose_b)
    expected = tf.matmul(wide_a, wide_b, transpose_b=transpose_b)
    assert result.shape == expected.shape
    np.testing.assert_allclose(floats(result), floats(expected), rtol=8e-3, atol=0.1)
