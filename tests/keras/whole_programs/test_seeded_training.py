"""Layers that draw with a seed give the losses that they give in TensorFlow's `fit`."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras


X = np.random.RandomState(0).rand(16, 6).astype("float32")


def losses(model, shuffle=False):
    model.compile("sgd", "mse")
    history = model.fit(X, X[:, :1], batch_size=4, epochs=2, verbose=0, shuffle=shuffle)
    return history.history["loss"]


# Recorded from Keras 2. Each call of a layer takes the seed after the last one, and the first step
# of training is traced twice.
@pytest.mark.parametrize(
    "seeds, shuffle, expected",
    [
        ([1], False, [0.7475860118865967, 0.2928236722946167]),
        ([None], False, [0.8831761479377747, 0.3415440022945404]),
        ([1, None], False, [0.9666614532470703, 0.2780930995941162]),
        ([1, 2], False, [0.6125583052635193, 0.5070309638977051]),
        ([1, None], True, [0.8123576045036316, 0.2877125144004822]),
    ],
)
def test_functional(seeds, shuffle, expected):
    keras.utils.set_random_seed(42)
    inputs = keras.Input((6,))
    hidden = keras.layers.Dense(5)(inputs)
    for seed in seeds:
        hidden = keras.layers.Dropout(0.2, seed=seed)(hidden)
    model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
    np.testing.assert_allclose(losses(model, shuffle), expected, rtol=1e-5)


def test_sequential_of_unknown_shape():
    """The first step also connects the layers, for which the dropout takes a seed."""
    tf.random.set_seed(3)
    ones = {"kernel_initializer": "ones"}
    layers = [keras.layers.Dense(5, **ones), keras.layers.Dropout(0.5, seed=4)]
    model = keras.Sequential([*layers, keras.layers.Dense(1, **ones)])
    np.testing.assert_allclose(losses(model), [128.56983947753906, 7.985486030578613], rtol=1e-5)


def test_calls_in_functions_keep_their_seed():
    """A function draws with the seed of its trace; calls outside go on."""
    inputs = keras.Input((6,))
    model = keras.Model(inputs, keras.layers.Dropout(0.5, seed=1)(inputs))
    step = tf.function(lambda x: model(x, training=True))
    keras.utils.set_random_seed(42)
    same = tf.function(lambda x: tf.nn.dropout(x, 0.5, seed=1))
    x = tf.ones([2, 6])
    for _ in range(3):
        assert (step(x) == same(x)).numpy().all()
    outside = model(x, training=True)
    tf.random.set_seed(42)
    assert (outside == tf.nn.dropout(x, 0.5, seed=2)).numpy().all()
