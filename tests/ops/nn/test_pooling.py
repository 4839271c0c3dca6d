"""Pooling at the edges of an image: windows too large or outside of it, and tied maxima."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_windows_larger_than_the_image(dtype):
    # The next image in memory is larger than every element of the first.
    x = tf.constant(np.array([[-5, -6, -7, -8], [7, 8, 9, 10]]).reshape(2, 2, 2, 1), dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 3, 2, "SAME")
    assert y.numpy().ravel().tolist() == [-5, 10]
    assert tape.gradient(y, x).numpy().ravel().tolist() == [1, 0, 0, 0, 0, 0, 0, 1]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.avg_pool2d(x, 3, 2, "SAME")
    assert y.numpy().ravel().tolist() == [-6.5, 8.5]
    assert tape.gradient(y, x).numpy().ravel().tolist() == [0.25] * 8


def test_columns_that_no_window_covers():
    # Padding moves the windows, so their count alone does not say that they cover all columns.
    x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    padding = [[0, 0], [1, 0], [1, 0], [0, 0]]
    for _ in range(3):  # whatever the memory held before
        junk = tf.fill([1, 4, 4, 1], np.nan)
        del junk
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.max_pool2d(x, 2, 2, padding)
        assert y.numpy().ravel().tolist() == [0, 2, 8, 10]
        expected = np.zeros(16)
        expected[[0, 2, 8, 10]] = 1
        assert tape.gradient(y, x).numpy().ravel().tolist() == expected.tolist()


def first_largest(x, size, step, results):
    """The index in `x` of the first largest element of each window, with SAME padding."""
    batch, rows, columns, channels = x.shape
    before = [
        max((n - 1) * step + size - length, 0) // 2
        for n, length in zip(results, (rows, columns), strict=True)
    ]
    numbers = np.arange(x.size).reshape(x.shape)
    found = np.zeros((batch, *results, channels), "int64")
    for n, i, j, c in np.ndindex(*found.shape):
        top, left = i * step - before[0], j * step - before[1]
        window = np.s_[n, max(top, 0) : top + size, max(left, 0) : left + size, c]
        found[n, i, j, c] = numbers[window].ravel()[np.argmax(x[window])]
    return found


@pytest.mark.parametrize("shape", [(1, 4, 4, 2), (2, 5, 3, 1)])
@pytest.mark.parametrize("step", [1, 2])
def test_both_derivatives_choose_the_first_among_equals(shape, step):
    x = tf.constant(np.random.default_rng(3).integers(0, 2, shape), tf.float32)
    numbers = tf.reshape(tf.range(float(tf.size(x))), shape)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.max_pool2d(x, 2, step, "SAME")
        weights = tf.reshape(tf.range(1.0, 1.0 + float(tf.size(y))), y.shape)
        outer.watch(weights)
        gradient = inner.gradient(y, x, weights)
        total = tf.reduce_sum(gradient * numbers)
    places = first_largest(x.numpy(), 2, step, y.shape[1:3])
    expected = np.zeros(x.shape, "float32")
    np.add.at(expected.reshape(-1), places.reshape(-1), weights.numpy().reshape(-1))
    np.testing.assert_array_equal(gradient, expected)
    np.testing.assert_array_equal(outer.gradient(total, weights), places)


@pytest.mark.parametrize("kind", ["MAX", "AVG"])
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("rate", [1, 2, 3])
def test_dilated_windows_skip_positions(kind, rank, rate):
    x = np.random.default_rng(rank).normal(size=(2, *(5, 6, 7)[:rank], 2)).astype("float32")
    rates = ([rate, 1, 2] if rate > 1 else [1, 1, 1])[:rank]
    window = [2, 3, 2][:rank]
    parts = []
    for offset in np.ndindex(*window):
        at = [o * r for o, r in zip(offset, rates, strict=True)]
        sizes = [n - (w - 1) * r for n, w, r in zip(x.shape[1:], window, rates, strict=False)]
        parts.append(x[(slice(None), *(slice(a, a + n) for a, n in zip(at, sizes, strict=True)))])
    expected = np.max(parts, 0) if kind == "MAX" else np.mean(parts, 0)
    result = tf.nn.pool(x, window, kind, dilations=rates)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"window_shape": [2]}, "rank 3"),
        ({"window_shape": [1, 1, 1, 1]}, "must be 1, 2, or 3"),
        ({"strides": [3, 1]}, "`strides` > `window_shape`"),
        ({"strides": [1]}, r"`len\(strides\)` should be 2"),
        ({"strides": [0, 1]}, "must be positive"),
        ({"dilations": [0, 1]}, "must be positive"),
        ({"dilations": [2]}, r"`len\(dilation_rate\)` should be 2"),
        ({"dilations": [2, 1], "strides": [1, 2]}, "in conjunction"),
        ({"dilations": [2, 1], "padding": "SAME"}, "not implemented"),
        ({"pooling_type": "MEDIAN"}, "pooling_type"),
    ],
    ids=str,
)
def test_windows_that_pool_refuses(options, words):
    arguments = {"window_shape": [2, 2], "pooling_type": "MAX", **options}
    with pytest.raises(ValueError, match=words):
        tf.nn.pool(tf.zeros([1, 4, 4, 1]), **arguments)
