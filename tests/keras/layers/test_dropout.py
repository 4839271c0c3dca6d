"""Dropout keeps the mean."""

from __future__ import annotations

import numpy as np

import eagerflow as tf

layers = tf.keras.layers


def test_dropout_keeps_the_mean() -> None:
    x = tf.ones([200, 200])
    for rate in (0.1, 0.5, 0.9):
        y = layers.Dropout(rate)(x, training=True).numpy()
        assert abs(np.mean(y == 0) - rate) < 0.02
        np.testing.assert_allclose(y[y > 0], 1 / (1 - rate), rtol=1e-5)
    noisy = layers.GaussianNoise(0.5)(x, training=True).numpy() - 1
    assert abs(noisy.std() - 0.5) < 0.02 and abs(noisy.mean()) < 0.02
    alpha = layers.AlphaDropout(0.3)(tf.random.normal([300, 300]), training=True).numpy()
    assert abs(alpha.mean()) < 0.05 and abs(alpha.std() - 1) < 0.05


def test_generators_draw_for_batches_of_unknown_size() -> None:
    """A layer that draws from a generator is traced once for all batches."""
    layer = layers.Dropout(0.5, seed=1, force_generator=True)

    @tf.function(input_signature=[tf.TensorSpec([None, 50])])
    def dropped(x: tf.Tensor) -> tf.Tensor:
        return layer(x, training=True)

    for batch in (20, 30):
        y = dropped(tf.ones([batch, 50])).numpy()
        assert y.shape == (batch, 50)
        assert set(y.reshape(-1).tolist()) == {0.0, 2.0}
