"""Wrappers: the weights of spectrally normalized layers in files."""

import numpy as np

import eagerflow as tf

layers = tf.keras.layers


def test_weights_of_normalized_layers_are_saved(tmp_path):
    def make():
        dense = layers.Dense(2, input_shape=(3,))
        model = tf.keras.Sequential([layers.SpectralNormalization(dense)])
        model(tf.ones([1, 3]))
        return model

    model, other = make(), make()
    model(tf.ones([1, 3]), training=True)
    path = tmp_path / "model.weights.h5"
    model.save_weights(path)
    other.load_weights(path)
    assert len(model.get_weights()) == 3
    for one, two in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(one, two)
