"""Values with shapes and dtypes that are no tensors, such as distributions, between layers."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.keras.engine.functional import shape_inference


class Scaled:
    """A value and its scale, as packages' distributions are."""

    def __init__(self, value, scale):
        self.value, self.scale = value, scale

    shape = property(lambda self: self.value.shape)
    dtype = property(lambda self: self.value.dtype)

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.cast(self.value * self.scale, dtype or self.dtype)


class Scale(tf.keras.layers.Layer):
    def call(self, inputs):
        return Scaled(inputs, tf.constant(2.0, inputs.dtype))


class Read(tf.keras.layers.Layer):
    def call(self, scaled, other=None):
        assert isinstance(scaled, Scaled) and scaled.dtype == tf.float64
        return scaled.value if other is None else scaled.value + tf.cast(other, tf.float64)


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(shape_inference, "_kept_types", [])
    shape_inference.register_symbolic_tensor_type(Scaled)


def test_layers_get_values_that_are_no_tensors_without_a_cast():
    value = Scaled(tf.ones([2, 3], tf.float64), 2.0)
    result = Read()(value)
    assert result.dtype == tf.float64 and result.shape == [2, 3]
    # Tensors are cast to the layer's dtype, and others by their own conversion where a layer needs one.
    assert tf.keras.layers.Flatten()(value.value).dtype == tf.float32


def test_functional_models_pass_them_on(registered):
    x, other = tf.keras.Input([3], dtype="float64"), tf.keras.Input([3])
    scaled = Scale(dtype="float64")(x)
    chained = Scale(dtype="float64")(Read(dtype="float64")(scaled))
    model = tf.keras.Model([x, other], Read(dtype="float64")(chained, other=other))
    assert model.output_shape == (None, 3) and model.output.dtype == tf.float64
    values = np.arange(6.0).reshape(2, 3)
    result = model([values, np.ones([2, 3], np.float32)])
    np.testing.assert_array_equal(result, values + 1.0)
    model.compile("sgd", "mse")
    assert model.predict([values, values], verbose=0).shape == (2, 3)


def test_tensors_where_they_are_not_registered():
    x = tf.keras.Input([3])
    assert tf.keras.Model(x, tf.keras.layers.Dense(2)(Scale()(x))).output_shape == (None, 2)
