"""Losses and metrics between the symbolic tensors of functional models."""

import numpy as np
import pytest

import eagerflow as tf

losses = tf.keras.losses


NAMES = ("mse", "mae", "kld", "huber", "hinge", "log_cosh", "poisson", "binary_crossentropy")


@pytest.mark.parametrize("name", NAMES)
def test_functions(name):
    inputs = tf.keras.Input([3])
    outputs = tf.keras.activations.sigmoid(inputs * 2.0)
    model = tf.keras.Model(inputs, getattr(losses, name)(inputs, outputs))
    x = np.linspace(0.1, 0.9, 6, dtype="float32").reshape(2, 3)
    expected = getattr(losses, name)(tf.constant(x), tf.sigmoid(tf.constant(x * 2.0)))
    np.testing.assert_allclose(model(x), expected, rtol=1e-4)
