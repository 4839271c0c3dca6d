"""Convolutions beyond the cases of `tests/layer_cases`: subclasses of programs."""

import numpy as np

import eagerflow as tf


class Scaled(tf.keras.layers.Conv2D):
    """A convolution that counts its calls, and has a `rank` of its own."""

    def __init__(self, *args, rank=1, **kwargs):
        super().__init__(*args, **kwargs)
        self.rank = rank
        self.calls = 0

    def call(self, inputs):
        self.calls += 1
        return super().call(2.0 * inputs)


def test_attribute_rank_of_a_subclass_leaves_the_window_as_it_is():
    plain = tf.keras.layers.Conv2D(3, 2, kernel_initializer="ones")
    scaled = Scaled(3, 2, kernel_initializer="ones")
    images = np.arange(2 * 4 * 5 * 3, dtype="float32").reshape(2, 4, 5, 3)
    np.testing.assert_allclose(scaled(images), 2.0 * plain(images))
    assert scaled.calls == 1


def test_more_axes_of_batches_call_a_subclass_once():
    seen = []
    scaled = Scaled(3, 2, activation=lambda x: seen.append(x.shape.as_list()) or x)
    images = np.ones((2, 3, 4, 5, 3), "float32")
    outputs = scaled(images)
    assert scaled.calls == 1
    assert outputs.shape == (2, 3, 3, 4, 3)
    assert seen == [[2, 3, 3, 4, 3]]
    one = tf.nn.conv2d(2.0 * images[1], scaled.kernel, 1, "VALID")
    np.testing.assert_allclose(outputs[1], one, rtol=1e-5)
