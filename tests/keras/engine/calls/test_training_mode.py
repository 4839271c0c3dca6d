"""Layers of functions and graphs whose `training` is a tensor, known only when they run."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras
layers = keras.layers
X = np.random.default_rng(0).random((4, 3, 2)).astype("f")
IMAGES = np.random.default_rng(1).random((2, 6, 6, 3)).astype("f")


class Halving(layers.Dropout):
    """A layer of the program that leaves the work to its base."""

    def call(self, inputs, training=None):
        return super().call(inputs, training=training) / 2


class Attending(layers.Layer):
    def __init__(self):
        super().__init__()
        self.attention = layers.MultiHeadAttention(1, 2, dropout=0.5)

    def call(self, inputs, training=None):
        return self.attention(inputs, inputs, training=training)


CASES = {
    "dropout": (lambda: layers.Dropout(0.5), X),
    "of a program": (lambda: Halving(0.5), X),
    "spatial": (lambda: layers.SpatialDropout1D(0.5), X),
    "noise": (lambda: layers.GaussianNoise(1.0), X),
    "alpha": (lambda: layers.AlphaDropout(0.5), X),
    "batch normalization": (lambda: layers.BatchNormalization(), X),
    "renormalization": (lambda: layers.BatchNormalization(fused=False, axis=[1, 2]), X),
    "lstm": (lambda: layers.LSTM(2, dropout=0.5, recurrent_dropout=0.5), X),
    "gru": (lambda: layers.GRU(2, dropout=0.5), X),
    "without dropout": (lambda: layers.LSTM(2), X),
    "cells": (lambda: layers.RNN([layers.LSTMCell(2, dropout=0.5), layers.GRUCell(2)]), X),
    "convolution": (lambda: layers.ConvLSTM1D(2, 2, dropout=0.5), X[..., None]),
    "bidirectional": (lambda: layers.Bidirectional(layers.GRU(2, dropout=0.5)), X),
    "by steps": (lambda: layers.TimeDistributed(layers.Dropout(0.5)), X),
    "attention": (Attending, X),
    "spectral": (lambda: layers.SpectralNormalization(layers.Dense(2)), X),
    "flip": (lambda: layers.RandomFlip(), IMAGES),
    "crop": (lambda: layers.RandomCrop(3, 3), IMAGES),
    "brightness": (lambda: layers.RandomBrightness(0.5), IMAGES),
    "model": (lambda: keras.Sequential([layers.Dense(2), layers.Dropout(0.5)]), X),
}


@pytest.mark.parametrize("case", CASES)
def test_both_in_one_function(case):
    make, inputs = CASES[case]
    keras.utils.set_random_seed(1)
    layer = make()
    plain = layer(inputs, training=False)
    before = [weight.numpy() for weight in layer.weights]

    @tf.function
    def call(x, training):
        return layer(x, training=training)

    found = call(inputs, tf.constant(False))
    np.testing.assert_allclose(found, plain, rtol=1e-5, atol=1e-6)
    for weight, old in zip(layer.weights, before, strict=True):
        np.testing.assert_array_equal(weight, old)
    trained = call(inputs, tf.constant(True))
    assert trained.shape == plain.shape
    if case == "without dropout":
        np.testing.assert_allclose(trained, plain, rtol=1e-5)
    elif case != "spectral":
        assert not np.allclose(trained, plain)
    assert call.experimental_get_tracing_count() == 1


def test_averages_move_in_training_only():
    layer = layers.BatchNormalization(momentum=0.5)
    layer.build([None, 2])
    x = X.reshape(-1, 2)

    @tf.function
    def call(training):
        return layer(x, training=training)

    np.testing.assert_allclose(call(tf.constant(False)), x / np.sqrt(1.001), rtol=1e-5)
    np.testing.assert_array_equal(layer.moving_mean, [0, 0])
    call(tf.constant(True))
    np.testing.assert_allclose(layer.moving_mean, x.mean(0) / 2, rtol=1e-5)


def test_gradients_go_through_the_choice():
    layer = layers.Dropout(0.5, seed=1)

    @tf.function
    def gradient(x, training):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x, training=training)
        return y, tape.gradient(y, x)

    for training in (True, False):
        y, dx = gradient(tf.ones([20]), tf.constant(training))
        np.testing.assert_array_equal(y, dx)
        assert set(dx.numpy().tolist()) == ({0.0, 2.0} if training else {1.0})


@pytest.mark.parametrize("dtype", [tf.bool, tf.int32])
def test_placeholders_of_sessions(dtype):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        training = v1.placeholder_with_default(tf.zeros([], dtype), [])
        dropped = layers.Dropout(0.5)(tf.ones([50]), training=training)
        chosen = keras.backend.in_train_phase(1.0, lambda: tf.constant(2.0), training)
        first, one = session.run([dropped, chosen], {training: 1})
        second, two = session.run([dropped, chosen])
    assert set(first.tolist()) == {0.0, 2.0} and one == 1
    assert set(second.tolist()) == {1.0} and two == 2
