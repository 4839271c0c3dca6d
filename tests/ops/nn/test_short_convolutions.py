"""Convolutions of bfloat16 equal float32 ones of the same values, rounded once."""

import numpy as np
import pytest

import eagerflow as tf

# Batch, rows, columns, channels, filters, size, stride, padding.
CASES = [
    (4, 28, 28, 1, 64, 3, 1, "SAME"),
    (3, 15, 17, 64, 48, 3, 1, "SAME"),
    (1, 30, 31, 24, 40, 5, 2, "VALID"),
    (8, 14, 14, 64, 96, 1, 1, "SAME"),
    (5, 16, 16, 32, 32, 1, 2, "SAME"),
    (1, 64, 64, 3, 17, 7, 2, [[0, 0], [3, 2], [2, 3], [0, 0]]),
]


def rounded(rng, *shape):
    return tf.cast(tf.constant(rng.normal(0, 1, shape).astype("f")), tf.bfloat16)


def check(short, wide):
    wide = wide.numpy()
    np.testing.assert_allclose(
        tf.cast(short, tf.float32).numpy(), wide, rtol=2**-8, atol=1e-5 * np.abs(wide).max()
    )


@pytest.mark.parametrize("case", CASES)
def test_convolutions_and_their_gradients(case):
    batch, rows, cols, channels, filters, size, stride, padding = case
    rng = np.random.default_rng(0)
    x = rounded(rng, batch, rows, cols, channels)
    w = rounded(rng, size, size, channels, filters)
    wide = tf.cast(x, tf.float32), tf.cast(w, tf.float32)
    result = tf.nn.conv2d(x, w, stride, padding)
    check(result, tf.nn.conv2d(*wide, stride, padding))
    dy = rounded(rng, *result.shape)
    gradients = []
    for inputs, slopes in (((x, w), dy), (wide, tf.cast(dy, tf.float32))):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = tf.nn.conv2d(*inputs, stride, padding)
        gradients.append(tape.gradient(y, inputs, slopes))
    for short, expected in zip(*gradients, strict=True):
        check(short, expected)
