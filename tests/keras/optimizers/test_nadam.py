"""Nadam in fit, with recorded losses."""

from __future__ import annotations

from typing import Any

import numpy as np

import eagerflow as tf

layers = tf.keras.layers


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-6)


def test_nadam_in_fit() -> None:
    random = np.random.RandomState(0)
    x, y = random.rand(24, 6).astype("float32"), random.rand(24, 2).astype("float32")
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([layers.Dense(8, input_shape=(6,)), layers.ReLU(), layers.Dense(2)])
    model.compile(tf.keras.optimizers.Nadam(0.01), "mse")
    history = model.fit(x, y, epochs=3, batch_size=8, shuffle=False, verbose=0)
    close(history.history["loss"], [0.41511559, 0.34958601, 0.28973097])
