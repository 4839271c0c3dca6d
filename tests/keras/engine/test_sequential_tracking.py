"""What a Sequential model tracks: its input layer too, which `layers` leaves out."""

import eagerflow as tf
from eagerflow.keras import layers


def names(model):
    return [type(layer).__name__ for layer in model._self_tracked_trackables]


def test_an_input_layer_is_tracked_first():
    given = tf.keras.Sequential([layers.Input((4,)), layers.Dense(3)])
    assert names(given) == ["InputLayer", "Dense"] and len(given.layers) == 1
    by_shape = tf.keras.Sequential([layers.Dense(3, input_shape=(4,)), layers.Dense(2)])
    assert names(by_shape) == ["InputLayer", "Dense", "Dense"] and len(by_shape.layers) == 2
    given.pop()
    assert names(given) == ["InputLayer"]
    given.add(layers.Dense(1))
    assert names(given) == ["InputLayer", "Dense"]


def test_an_input_layer_is_tracked_once_the_shape_is_known():
    model = tf.keras.Sequential([layers.Dense(3), layers.Dense(2)])
    assert names(model) == ["Dense", "Dense"]
    model.build((None, 4))
    assert names(model) == ["InputLayer", "Dense", "Dense"]
    model(tf.ones([1, 4]))
    model.add(layers.ReLU())
    assert names(model) == ["InputLayer", "Dense", "Dense", "ReLU"]
    model.pop()
    model.pop()
    assert names(model) == ["InputLayer", "Dense"]
