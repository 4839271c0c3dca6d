"""Fake quantization against its definition, with gradients."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("shape", [(5,), (0,), (40, 3), (70_000,)])
def test_fake_quantization(shape):
    x = np.random.RandomState(0).uniform(-8, 8, shape).astype("float32")
    y = tf.quantization.fake_quant_with_min_max_vars(x, -4.0, 4.0).numpy()
    scale = np.float32(8 / 255)
    steps = y / scale
    np.testing.assert_allclose(steps, np.round(steps), atol=2e-3)
    inside = np.abs(x) < 3.9
    np.testing.assert_allclose(y[inside], x[inside], atol=scale)
    args = tf.quantization.fake_quant_with_min_max_args(x, -4.0, 4.0).numpy()
    np.testing.assert_allclose(args, y, atol=scale * 1.01)


@pytest.mark.parametrize("persistent", [False, True])
def test_gradients_of_fake_quantization(persistent):
    random = np.random.RandomState(0)
    x = tf.constant(random.uniform(-2, 2, (300, 4)).astype("float32"))
    low, high = tf.constant([-1.0, -0.5, 0.0, -1.5]), tf.constant([1.0, 1.5, 0.0, 0.5])
    weights = random.randn(300, 4).astype("float32")
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch([x, low, high])
        y = tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high)
        if persistent:
            into, below, above = tape.gradient(y, [x, low, high], weights)
    if not persistent:
        into, below, above = tape.gradient(y, [x, low, high], weights)
    numbers = x.numpy()
    for channel, (least, most) in enumerate([(-1.0, 1.0), (-0.5, 1.5), (None, None), (-1.5, 0.5)]):
        column, weight = numbers[:, channel], weights[:, channel]
        if least is None:
            np.testing.assert_array_equal(into[:, channel], weight)
            assert float(below[channel]) == 0 and float(above[channel]) == 0
            continue
        sure = np.minimum(np.abs(column - least), np.abs(column - most)) > 0.01
        inside = (column >= least) & (column <= most)
        expected = np.where(inside, weight, 0)
        np.testing.assert_array_equal(into.numpy()[sure, channel], expected[sure])
        np.testing.assert_allclose(float(below[channel]), weight[column < least].sum(), atol=2.0)


def test_limits_that_are_0():
    """All values are 0, and gradients pass unlimited, even those of NaN."""
    q, x = tf.quantization, tf.constant([-1.0, 2.0, np.nan])
    dy = [1.0, 2.0, 3.0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = q.fake_quant_with_min_max_vars(x, 0.0, 0.0)
    np.testing.assert_array_equal(y, [0, 0, 0])
    np.testing.assert_array_equal(tape.gradient(y, x, tf.constant(dy)), dy)
    parts = q.fake_quant_with_min_max_vars_gradient(dy, x, 0.0, 0.0)
    np.testing.assert_array_equal(parts[0], dy)
    assert float(parts[1]) == float(parts[2]) == 0
    parts = q.fake_quant_with_min_max_vars_per_channel_gradient([dy], [x], [0.0] * 3, [0.0] * 3)
    np.testing.assert_array_equal(parts[0], [dy])
