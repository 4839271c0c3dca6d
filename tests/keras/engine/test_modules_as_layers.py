"""Modules among the layers of a Sequential model."""

import numpy as np
import pytest

import eagerflow as tf


class Scale(tf.Module):
    def __init__(self):
        super().__init__()
        self.factor = tf.Variable(2.0)

    def __call__(self, x):
        return x * self.factor


def test_a_module_is_a_layer():
    model = tf.keras.Sequential([tf.keras.Input([2]), Scale(), tf.keras.layers.Dense(1)])
    assert type(model.layers[0]).__name__ == "ModuleWrapper"
    assert model.layers[0].name.startswith("module_wrapper")
    assert len(model.trainable_weights) == 3
    model.compile("sgd", "mse")
    before = float(model.layers[0].trainable_weights[0])
    model.fit(np.ones([4, 2]), np.zeros([4, 1]), verbose=0)
    assert float(model.layers[0].trainable_weights[0]) != before


def test_a_method_named_call_is_called():
    class Shift(tf.Module):
        def call(self, x):
            return x + 1.0

    assert tf.keras.Sequential([Shift()])(tf.zeros([1, 1])).numpy().tolist() == [[1.0]]


@pytest.mark.parametrize(("layer", "error"), [(tf.Module(), ValueError), (tf.exp, TypeError)])
def test_what_cannot_be_called_as_a_layer_is_refused(layer, error):
    with pytest.raises(error):
        tf.keras.Sequential([layer])
