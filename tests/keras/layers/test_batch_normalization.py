"""BatchNormalization learns averages."""

from __future__ import annotations

import numpy as np

import eagerflow as tf

layers = tf.keras.layers


def test_batch_normalization_learns_averages() -> None:
    layer = layers.BatchNormalization(momentum=0.5)
    x = tf.constant([[1.0, 10.0], [3.0, 30.0]])
    for _ in range(30):
        layer(x, training=True)
    np.testing.assert_allclose(layer.moving_mean.numpy(), [2.0, 20.0], rtol=1e-5)
    np.testing.assert_allclose(layer.moving_variance.numpy(), [1.0, 100.0], rtol=1e-5)
    before = layer.moving_mean.numpy()
    layer.trainable = False
    layer(x * 5.0, training=True)
    np.testing.assert_array_equal(layer.moving_mean.numpy(), before)


def test_several_axes_are_never_fused():
    layer = tf.keras.layers.BatchNormalization
    assert layer(axis=[1, 2]).fused is False
    assert layer(axis=[1]).fused is None
    assert layer(synchronized=True).fused is False
