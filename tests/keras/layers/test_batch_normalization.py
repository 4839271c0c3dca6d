"""BatchNormalization learns averages."""

from __future__ import annotations

import numpy as np
import pytest

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


def test_normalized_values_of_training_are_adjusted_before_gamma_and_beta():
    x = tf.reshape(tf.range(12.0), [4, 3])
    plain = tf.keras.layers.BatchNormalization(scale=False, center=False)
    layer = tf.keras.layers.BatchNormalization(
        adjustment=lambda shape: (tf.ones([shape[0], 1]) * 2.0, 1.0), beta_initializer="ones"
    )
    expected = plain(x, training=True) * 2.0 + 1.0 + 1.0
    np.testing.assert_allclose(layer(x, training=True), expected, rtol=1e-6)
    np.testing.assert_allclose(layer(x), plain(x) + 1.0, rtol=1e-5)
    assert "adjustment" not in layer.get_config()
    assert tf.keras.layers.BatchNormalization(adjustment=None).adjustment is None
    with pytest.raises(ValueError, match="adjustment"):
        tf.keras.layers.BatchNormalization(fused=True, adjustment=lambda shape: (1.0, 0.0))
