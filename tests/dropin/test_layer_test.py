"""Keras's own test of layers, which packages call for theirs."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat.internals.keras_testing import layer_test


class Scale(tf.keras.layers.Layer):
    """A layer that is right, or wrong in one way."""

    def __init__(self, wrong=None, factor=2.0, **kwargs):
        super().__init__(**kwargs)
        self.wrong = wrong
        self.factor = factor

    def build(self, input_shape):
        self.weight = self.add_weight(name="weight", shape=(), initializer="ones")

    def call(self, x):
        y = x * self.factor * self.weight
        return tf.cast(y, tf.float16) if self.wrong == "dtype" else y

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 7) if self.wrong == "shape" else input_shape

    def get_config(self):
        config = super().get_config() | {"wrong": self.wrong}
        return config if self.wrong == "configuration" else config | {"factor": self.factor}


CUSTOM = {"Scale": Scale}


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("data", [None, np.ones((2, 3), np.float32)])
def test_right_layers_pass(data, training):
    arguments = {"input_shape": (2, 3)} if data is None else {"input_data": data}
    if data is not None:
        arguments |= {"expected_output": 3 * data, "expected_output_shape": (None, 3)}
    output = layer_test(
        Scale, {"factor": 3.0}, validate_training=training, custom_objects=CUSTOM, **arguments
    )
    assert output.shape == (2, 3) and output.dtype == np.float32


@pytest.mark.parametrize("wrong", ["dtype", "shape", "configuration"])
def test_wrong_layers_fail(wrong):
    with pytest.raises(AssertionError):
        layer_test(
            Scale, {"wrong": wrong, "factor": 3.0}, input_shape=(None, 3), custom_objects=CUSTOM
        )


def test_other_values_fail():
    data = np.ones((2, 3), np.float32)
    with pytest.raises(AssertionError, match="Mismatched"):
        layer_test(Scale, input_data=data, expected_output=data, custom_objects=CUSTOM)
    with pytest.raises(AssertionError, match="shape"):
        layer_test(Scale, input_data=data, expected_output_shape=(None, 4), custom_objects=CUSTOM)
    with pytest.raises(AssertionError):
        layer_test(Scale, input_data=data, supports_masking=True, custom_objects=CUSTOM)


def test_layers_that_adapt():
    data = np.array([[1.0, 2.0], [3.0, 6.0]], np.float32)
    expected = np.array([[-1.0, -1.0], [1.0, 1.0]], np.float32)
    layer_test(
        tf.keras.layers.Normalization, input_data=data, adapt_data=data, expected_output=expected
    )


def test_weights_of_a_model_are_those_of_layers_that_adapt():
    data = np.array([[1.0, 2.0], [3.0, 6.0]], np.float32)
    layer = tf.keras.layers.Normalization()
    layer.adapt(data)
    model = tf.keras.Sequential([tf.keras.Input([2]), layer])
    again = tf.keras.Sequential.from_config(model.get_config())
    outer = tf.keras.Sequential([tf.keras.Input([2]), again])
    outer.set_weights(model.get_weights())
    assert np.array_equal(outer.predict(data, verbose=0), [[-1, -1], [1, 1]])
