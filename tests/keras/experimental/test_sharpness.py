"""Sharpness-aware minimization."""

import numpy as np
import pytest

import eagerflow as tf

keras, layers = tf.keras, tf.keras.layers


@pytest.mark.parametrize("splits", [None, 2])
def test_flat_minima(splits):
    x = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
    y = x @ np.ones((3, 1), "float32")
    inner = keras.Sequential([layers.Dense(1, input_shape=(3,), use_bias=False)])
    start = inner.get_weights()[0]
    model = keras.models.experimental.SharpnessAwareMinimization(inner, 0.1, splits)
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(x, y, batch_size=8, epochs=1, shuffle=False, verbose=0)
    total = np.zeros_like(start)
    for part_x, part_y in zip(np.split(x, splits or 1), np.split(y, splits or 1), strict=True):
        slope = lambda w, a=part_x, b=part_y: 2 * a.T @ (a @ w - b) / len(a)  # noqa: E731
        way = slope(start)
        total += slope(start + 0.1 * way / np.linalg.norm(way))
    np.testing.assert_allclose(inner.get_weights()[0], start - 0.1 * total, rtol=1e-4)
    again = type(model).from_config(model.get_config())
    assert again.rho == 0.1 and again.model.count_params() == 3
