"""Layers of version 1 take their dtype from their first input, eagerly and in graphs."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1
old, keras = v1.layers, tf.keras.layers
VECTORS, SERIES, IMAGES = (2, 4), (2, 5, 4), (2, 6, 6, 4)

# Makers of layers, and the shape of their inputs.
OLD = {
    "Dense": (lambda: old.Dense(2), VECTORS),
    "dense": (lambda: lambda x: old.dense(x, 2, tf.nn.relu), VECTORS),
    "batch_normalization": (lambda: lambda x: old.batch_normalization(x, training=True), VECTORS),
    "dropout": (lambda: lambda x: old.dropout(x, training=True), VECTORS),
    "Conv1D": (lambda: old.Conv1D(2, 2), SERIES),
    "conv2d": (lambda: lambda x: old.conv2d(x, 2, 2), IMAGES),
    "Conv2DTranspose": (lambda: old.Conv2DTranspose(2, 2), IMAGES),
    "separable_conv2d": (lambda: lambda x: old.separable_conv2d(x, 2, 2), IMAGES),
    "max_pooling2d": (lambda: lambda x: old.max_pooling2d(x, 2, 2), IMAGES),
    "flatten": (lambda: old.flatten, IMAGES),
}
KERAS = {
    "Dense": (lambda: keras.Dense(2), VECTORS),
    "BatchNormalization": (keras.BatchNormalization, VECTORS),
    "LayerNormalization": (keras.LayerNormalization, VECTORS),
    "PReLU": (keras.PReLU, VECTORS),
    "Dropout": (lambda: keras.Dropout(0.5), VECTORS),
    "Conv1D": (lambda: keras.Conv1D(2, 2), SERIES),
    "DepthwiseConv2D": (lambda: keras.DepthwiseConv2D(2), IMAGES),
    "MaxPooling2D": (keras.MaxPooling2D, IMAGES),
    "Sequential": (
        lambda: tf.keras.Sequential([keras.Dense(3, "relu"), keras.Dropout(0.5), keras.Dense(2)]),
        VECTORS,
    ),
}


@pytest.fixture
def inferred():
    v1.keras.layers.disable_v2_dtype_behavior()
    yield
    v1.keras.layers.enable_v2_dtype_behavior()


def check(make, shape, dtype):
    with tf.Graph().as_default():
        x = v1.placeholder(dtype, (None, *shape[1:]))
        y = make()(x)
        assert y.dtype == dtype
        assert {variable.dtype.base_dtype.name for variable in v1.global_variables()} <= {dtype}
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(y, {x: np.ones(shape)}).dtype == dtype
    layer = make()
    assert layer(tf.ones(shape, dtype)).dtype == dtype
    if isinstance(layer, keras.Layer):
        assert layer.dtype == dtype
        assert {weight.dtype.name for weight in layer.weights} <= {dtype}


@pytest.mark.parametrize("name", OLD)
def test_layers_of_version_1_in_every_generation(name):
    check(*OLD[name], "float64")


@pytest.mark.parametrize("name", KERAS)
def test_layers_of_keras(name, inferred):
    check(*KERAS[name], "float64")


def test_models_and_layers_of_programs(inferred):
    class Scale(keras.Layer):
        def build(self, shape):
            self.w = self.add_weight("w", [shape[-1]])

        def call(self, inputs):
            return inputs * self.w

    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.parts = [keras.Dense(3), Scale(), old.Dense(2)]

        def call(self, inputs):
            for part in self.parts:
                inputs = part(inputs)
            return inputs

    check(Model, VECTORS, "float64")


def test_what_names_its_dtype_has_it(inferred):
    assert keras.Dense(2).dtype is None and keras.Dense(2, dtype="float64").dtype == "float64"
    assert keras.Input((2,)).dtype == tf.float32
    built = keras.Dense(2)
    built.build((None, 3))
    assert built.dtype == "float32"
    # Integers are looked up in a table of floats.
    ids = tf.constant([[1, 2]])
    assert keras.Embedding(4, 2)(ids).dtype == tf.float32
    assert tf.keras.Sequential([keras.Embedding(4, 2), keras.Dense(1)])(ids).dtype == tf.float32
    assert keras.Flatten()(ids).dtype == tf.int32


def test_version_2_casts():
    assert keras.Dense(2)(tf.ones(VECTORS, "float64")).dtype == tf.float32
