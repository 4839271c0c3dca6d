"""Variables of version 1's functions that belong to Keras's layers, and random numbers that repeat."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1


class Scaled(tf.keras.layers.Layer):
    @v1.keras.utils.track_tf1_style_variables
    def call(self, x, training=None):
        with v1.variable_scope("s"):
            ones = v1.ones_initializer()
            half = tf.keras.regularizers.L2(0.5)
            x = x * v1.get_variable("w", [1], initializer=ones, regularizer=half)
            tenth = tf.keras.regularizers.L2(0.1)
            x = v1.layers.dense(x, 3, kernel_initializer=ones, kernel_regularizer=tenth)
            return v1.layers.batch_normalization(x, training=training)


TRAINED = [
    "batch_normalization/beta",
    "batch_normalization/gamma",
    "dense/bias",
    "dense/kernel",
    "w",
]
AVERAGES = ["batch_normalization/moving_mean", "batch_normalization/moving_variance"]


def test_variables_losses_and_functions():
    layer = Scaled()
    assert layer(tf.ones([2, 1])).numpy() == pytest.approx(np.full([2, 3], 0.9995004))
    layer(tf.ones([2, 1]), training=True)
    assert [w.name for w in layer.weights] == [f"s/{n}:0" for n in TRAINED + AVERAGES]
    assert [w.name for w in layer.trainable_weights] == [f"s/{n}:0" for n in TRAINED]
    assert [float(loss) for loss in layer.losses] == pytest.approx([0.5, 0.3])
    function = tf.function(lambda x: layer(x))
    assert function(tf.ones([2, 1])).numpy() == pytest.approx(np.full([2, 3], 0.99448526))
    assert len(layer.weights) == 7


def test_models_train():
    inputs = tf.keras.Input([1])
    model = tf.keras.Model(inputs, Scaled()(inputs))
    model.compile("sgd", "mse")
    history = model.fit(tf.ones([4, 1]), tf.ones([4, 3]), epochs=2, verbose=0)
    assert history.history["loss"] == pytest.approx([1.8, 1.7756], abs=1e-4)


def test_objects_do_not_share():
    class Dense(tf.Module):
        @v1.keras.utils.track_tf1_style_variables
        def __call__(self):
            return v1.get_variable("w", [])

    first, second = Dense(), Dense()
    assert first() is first() and first() is not second()
    assert len(first.variables) == 1


def test_decorates_methods_of_modules_only():
    @v1.keras.utils.track_tf1_style_variables
    def function(x):
        return x

    with pytest.raises(ValueError, match=r"subclassed `tf.Module`"):
        function(1)
    with pytest.raises(ValueError, match="track_tf1_style_variables"):
        v1.keras.utils.get_or_create_layer("dense", lambda: None)


def test_random_numbers_by_count():
    tool = v1.keras.utils.DeterministicRandomTestTool(mode="num_random_ops")
    with tool.scope():
        assert tf.random.uniform([1]).numpy() == pytest.approx(0.8354591)
        assert tf.random.normal([1], seed=5).numpy() == pytest.approx(-1.499947)
        assert tool.operation_seed == 2
        assert tf.random.uniform([1]).numpy() == pytest.approx(0.98781276)
        tool.operation_seed = 0
        with pytest.raises(ValueError, match="already-used operation seed 0"):
            tf.random.uniform([1])


def test_random_numbers_that_are_constant():
    tool = v1.keras.utils.DeterministicRandomTestTool()
    with tool.scope():
        drawn = [float(tf.random.uniform([])) for _ in range(2)]
    assert drawn == pytest.approx([0.8354591] * 2)
    with pytest.raises(ValueError, match="'constant' or 'num_random_ops'"):
        v1.keras.utils.DeterministicRandomTestTool(mode="x")
