"""Classes of programs that extend a built-in layer, and call only the `__init__` of `Layer`."""

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers
CASES = {
    "Dense": (lambda: layers.Dense(2), [2, 3]),
    "Conv1D": (lambda: layers.Conv1D(2, 2), [1, 4, 2]),
    "Conv2D": (lambda: layers.Conv2D(2, 2), [1, 4, 4, 1]),
    "Conv2DTranspose": (lambda: layers.Conv2DTranspose(2, 2), [1, 4, 4, 1]),
    "DepthwiseConv2D": (lambda: layers.DepthwiseConv2D(2), [1, 4, 4, 1]),
    "SeparableConv2D": (lambda: layers.SeparableConv2D(2, 2), [1, 4, 4, 1]),
    "LocallyConnected1D": (lambda: layers.LocallyConnected1D(2, 2), [1, 4, 2]),
    "EinsumDense": (lambda: layers.EinsumDense("ab,bc->ac", 4), [2, 3]),
    "BatchNormalization": (layers.BatchNormalization, [2, 3]),
    "LayerNormalization": (layers.LayerNormalization, [2, 3]),
    "GroupNormalization": (lambda: layers.GroupNormalization(1), [2, 3]),
    "LSTM": (lambda: layers.LSTM(2), [1, 3, 2]),
    "Dropout": (lambda: layers.Dropout(0.5), [2, 3]),
    "Flatten": (layers.Flatten, [2, 3, 4]),
    "Reshape": (lambda: layers.Reshape([6]), [2, 3, 2]),
    "Softmax": (layers.Softmax, [2, 3]),
    "UpSampling2D": (layers.UpSampling2D, [1, 2, 2, 1]),
    "Cropping2D": (layers.Cropping2D, [1, 4, 4, 1]),
    "TimeDistributed": (lambda: layers.TimeDistributed(layers.Dense(2)), [1, 2, 3]),
}


@pytest.mark.parametrize("case", sorted(CASES.keys() - {"TimeDistributed"}))  # reads its layer
def test_only_the_arguments_that_are_there_are_saved(case):
    base = type(CASES[case][0]())

    class Extended(base):
        def __init__(self, size=1, **options):
            layers.Layer.__init__(self, **options)
            self.size = size

        def get_config(self):
            return layers.Layer.get_config(self) | {"size": self.size}

    config = Extended(3, name="x").get_config()
    assert config == {"name": "x", "trainable": True, "dtype": "float32", "size": 3}
    assert Extended.from_config(config).size == 3


@pytest.mark.parametrize("case", CASES)
def test_call_takes_variables(case):
    make, shape = CASES[case]
    layer = make()
    value = np.random.default_rng(0).random(shape).astype(np.float32)
    expected = layer(value)
    np.testing.assert_allclose(layer.call(tf.Variable(value)), expected, rtol=1e-6)


def test_noisy_weights():
    class Noisy(layers.Dense):
        def __init__(self, units, **options):
            super(layers.Dense, self).__init__(**options)
            self.units, self.activation, self.use_bias = units, tf.keras.activations.get(None), True

        def build(self, shape):
            self.mu = self.add_weight("mu", [shape[-1], self.units], initializer="ones")
            self.bias = self.add_weight("bias", [self.units], initializer="zeros")
            self.built = True

        def call(self, inputs):
            self.kernel = self.mu * 2
            return super().call(inputs)

        def get_config(self):
            return super(layers.Dense, self).get_config() | {"units": self.units}

    layer = Noisy(3)
    for inputs in (tf.ones([2, 4]), tf.Variable(tf.ones([2, 4]))):
        np.testing.assert_array_equal(layer(inputs), np.full([2, 3], 8.0))
    assert Noisy.from_config(layer.get_config()).units == 3
