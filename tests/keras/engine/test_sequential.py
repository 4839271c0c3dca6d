"""Models that are a sequence of layers."""

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


def test_with_a_known_input():
    model = tf.keras.Sequential(
        [
            layers.Dense(4, activation="relu", input_shape=(3,), name="one"),
            layers.Dense(2, name="two"),
        ]
    )
    assert model.built
    assert [v.name for v in model.weights] == [
        "one/kernel:0",
        "one/bias:0",
        "two/kernel:0",
        "two/bias:0",
    ]
    assert [layer.name for layer in model.layers] == ["one", "two"]
    assert model.output_shape == (None, 2)
    x = np.random.default_rng(0).normal(size=[5, 3]).astype(np.float32)
    one, two = model.layers
    expected = np.maximum(x @ one.kernel.numpy(), 0) @ two.kernel.numpy()
    np.testing.assert_allclose(model(x), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("first", [tf.keras.Input([3]), layers.InputLayer((3,))])
def test_with_an_input_first(first):
    model = tf.keras.Sequential([first])
    model.add(layers.Dense(2))
    assert model.output_shape == (None, 2)
    assert len(model.layers) == 1


def test_without_an_input():
    model = tf.keras.Sequential([layers.Dense(4), layers.Dense(2)])
    assert not model.built
    with pytest.raises(ValueError, match="not yet been created"):
        model.weights  # noqa: B018
    assert model(tf.ones([2, 3])).shape == [2, 2]
    assert len(model.weights) == 4
    assert model(tf.ones([5, 3])).shape == [5, 2]
    model = tf.keras.Sequential([layers.Dense(4), layers.Dense(2)])
    model.build((None, 3))
    assert model.output_shape == (None, 2)
    with pytest.raises(ValueError, match="incompatible"):
        model(tf.ones([2, 4]))


def test_adding_and_taking_away():
    model = tf.keras.Sequential([layers.Dense(4, input_shape=(3,)), layers.Dense(2)])
    model.pop()
    assert model.output_shape == (None, 4)
    assert len(model.weights) == 2
    model.add(layers.Dense(7))
    assert model(tf.ones([1, 3])).shape == [1, 7]
    with pytest.raises(TypeError, match="must be an instance of class Layer"):
        model.add(3)
    with pytest.raises(ValueError, match="unique names"):
        model.add(layers.Dense(7, name=model.layers[0].name))


def test_taking_a_layer_away_leaves_the_calls_of_the_others():
    model = tf.keras.Sequential(
        [layers.Dense(4, input_shape=(3,)), layers.Dense(2, name="b"), layers.Dense(5)]
    )
    before = model.get_layer("b").output
    model.pop()
    model.add(layers.Dense(7))
    assert model.get_layer("b").output is before
    assert tf.keras.Model(model.inputs, before)(tf.ones([1, 3])).shape == [1, 2]


def test_taking_a_layer_away_when_a_call_told_the_shape():
    model = tf.keras.Sequential([layers.Dense(4), layers.Dense(2)])
    model(tf.ones([2, 3]))
    model.pop()
    assert model.output_shape == (2, 4)
    model.add(layers.Dense(7))
    assert model(tf.ones([5, 3])).shape == [5, 7]
    assert len(model.weights) == 4


def test_configuration_round_trip():
    model = tf.keras.Sequential(
        [layers.Conv2D(4, 3, input_shape=(8, 8, 1)), layers.Flatten(), layers.Dense(2)]
    )
    again = tf.keras.Sequential.from_config(model.get_config())
    again.set_weights(model.get_weights())
    x = np.random.default_rng(0).normal(size=[2, 8, 8, 1]).astype(np.float32)
    np.testing.assert_array_equal(again(x), model(x))
    lazy = tf.keras.Sequential([layers.Dense(2)])
    lazy(tf.ones([4, 3]))
    assert tf.keras.Sequential.from_config(lazy.get_config()).count_params() == 8


def test_training_and_masks_pass_through():
    model = tf.keras.Sequential([layers.Dropout(0.5), layers.Masking(), layers.Activation("relu")])
    x = tf.ones([4, 10, 3])
    assert np.array_equal(model(x), x)
    assert (model(x, training=True).numpy() == 0).any()
    assert model(x)._keras_mask.numpy().all()


def test_a_call_of_ones_own_builds_what_it_calls():
    class Penalized(tf.keras.Sequential):
        def call(self, inputs):
            self.add_loss(tf.reduce_sum(inputs))
            return inputs

    model = Penalized([tf.keras.layers.Dense(1)])
    model.compile("sgd")
    history = model.fit(np.ones((4, 1)), np.ones((4, 1)), verbose=0)
    assert history.history["loss"] == [4.0] and not model.weights


@pytest.mark.parametrize("shape", [(), [], tf.TensorShape([])])
@pytest.mark.parametrize("subclass", [False, True])
def test_an_empty_shape_leaves_weights_to_the_first_call(shape, subclass):
    class Network(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        def call(self, x):
            return self.dense(x)

    model = Network() if subclass else tf.keras.Sequential([tf.keras.layers.Dense(2)])
    model.build(input_shape=shape)
    assert model.built and not model.weights
    assert model(tf.ones([3, 4])).shape == [3, 2] and len(model.weights) == 2
    model.compile("sgd", "mse")
    model.fit(tf.ones([4, 4]), tf.ones([4, 2]), verbose=0)


def test_layers_tell_shapes_of_inputs_of_other_sizes():
    model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Activation("relu")])
    model(np.ones((5, 3)))
    assert [layer.output_shape for layer in model.layers] == [(5, 2), (5, 2)]
    model(np.ones((7, 3)))
    assert [layer.output_shape for layer in model.layers] == [(None, 2), (None, 2)]
    lines = []
    model.summary(print_fn=lambda line, **_: lines.append(line))
    assert sum("(None, 2)" in line for line in lines) == 2
