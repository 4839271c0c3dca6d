"""Convolutions that go together through a few images of the batch at a time."""

import numpy as np
import pytest

import eagerflow as tf

SIZE, WIDE = 96, 96  # an image between two convolutions has 3.5 MB


def weights(*shape):
    """float32 numbers that keep the size of what they are applied to."""
    scale = np.float32(np.prod(shape[:-1]) ** -0.5)
    return tf.Variable(np.random.default_rng(sum(shape)).normal(size=shape).astype("f") * scale)


class Network:
    """Three convolutions, of which the last adds what the first one reads."""

    def __init__(self, residual):
        self.residual = residual
        self.wide, self.narrow = weights(1, 1, 16, WIDE), weights(1, 1, WIDE, 16)
        self.deep, self.bias = weights(3, 3, WIDE, 1), weights(WIDE)

    def first(self, x):
        """Many channels of each pixel."""
        return tf.nn.relu6(tf.nn.conv2d(x, self.wide, 1, "SAME") + self.bias)

    def rest(self, x, wide):
        """What follows it."""
        deep = tf.nn.depthwise_conv2d(wide, self.deep, [1, 1, 1, 1], "SAME")
        narrow = tf.nn.conv2d(tf.nn.relu6(deep + self.bias), self.narrow, 1, "SAME")
        return tf.nn.relu(narrow + x) if self.residual else tf.nn.relu(narrow)

    def __call__(self, x):
        return self.rest(x, self.first(x))


def images(batch):
    """float32 [batch, SIZE, SIZE, 16]."""
    values = np.random.default_rng(batch).normal(size=(batch, SIZE, SIZE, 16))
    return tf.constant(values.astype("f"))


def traced(function):
    """Of batches of any size; the second call of it has prepared weights."""
    spec = tf.TensorSpec([None, SIZE, SIZE, 16])
    return tf.function(function, input_signature=[spec])


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("batch", [0, 1, 2, 3, 5, 8])
def test_results(batch, residual):
    network, x = Network(residual), images(batch)
    run = traced(network)
    for _ in range(3):
        np.testing.assert_allclose(run(x), network(x), atol=1e-4)
    network.narrow.assign(-network.narrow)
    np.testing.assert_allclose(run(x), network(x), atol=1e-4)


def test_results_that_others_read():
    network, x = Network(residual=True), images(6)

    @traced
    def run(x):
        wide = network.first(x)
        return tf.reduce_mean(wide), network.rest(x, wide), network.rest(-x, wide)

    for _ in range(2):
        mean, first, second = run(x)
        wide = network.first(x)
        np.testing.assert_allclose(mean, tf.reduce_mean(wide), atol=1e-4)
        np.testing.assert_allclose(first, network.rest(x, wide), atol=1e-4)
        np.testing.assert_allclose(second, network.rest(-x, wide), atol=1e-4)


def test_weights_that_change_between_convolutions():
    network, x = Network(residual=False), images(6)
    scale = tf.Variable(1.0)

    @traced
    def run(x):
        wide = network.first(x)
        network.wide.assign(network.wide * 2.0)
        scale.assign_add(1.0)
        return network.rest(x, wide)

    for _ in range(2):
        expected = network(x)
        np.testing.assert_allclose(run(x), expected, atol=1e-4)
    assert scale.numpy() == 3.0


def test_gradients():
    network, x = Network(residual=True), images(4)
    variables = [network.wide, network.narrow, network.deep, network.bias]

    def slopes(function):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.square(function(x)))
        return tape.gradient(loss, [x, *variables])

    for got, expected in zip(slopes(traced(network)), slopes(network), strict=True):
        scale = float(tf.reduce_max(tf.abs(expected)))
        np.testing.assert_allclose(got / scale, expected / scale, atol=1e-4)


def test_other_shapes_of_what_is_added():
    network, x = Network(residual=False), images(6)

    @tf.function(input_signature=[tf.TensorSpec([None, SIZE, SIZE, 16])] * 2)
    def run(x, other):
        return tf.nn.relu(network(x) + other)

    for batch in (6, 1):
        other = images(6)[:batch]
        for _ in range(2):
            expected = tf.nn.relu(network(x) + other)
            np.testing.assert_allclose(run(x, other), expected, atol=1e-4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        run(x, images(3))
