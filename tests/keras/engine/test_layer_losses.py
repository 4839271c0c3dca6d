"""Losses that layers and models add."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras


L = keras.layers


X = np.linspace(-1, 1, 32, dtype="float32").reshape(8, 4)


Y = X[:, :1] * 2


def ones(units, name=None, **kwargs):
    return L.Dense(units, kernel_initializer="ones", name=name, **kwargs)


class TestLossesOfModels:
    def test_symbolic_calls_add_symbolic_losses(self):
        inputs = keras.Input((4,))
        hidden = ones(2, activity_regularizer="l2", kernel_regularizer="l1")(inputs)
        model = keras.Model(inputs, ones(1)(hidden))
        assert len(model.losses) == 2 and isinstance(model.losses[1], tf.Tensor)
        model.add_loss([tf.reduce_mean(hidden), tf.reduce_sum(hidden)])
        assert len(model.losses) == 4
        model(X)
        assert len(model.losses) == 4 and all(isinstance(x, tf.Tensor) for x in model.losses)
        around = keras.Input((4,))
        outer = keras.Model(around, model(around))
        outer(X)
        assert len(outer.losses) == 4

    def test_models_trained_by_their_own_losses_alone(self):
        inputs = keras.Input((4,))
        model = keras.Model(inputs, ones(1)(inputs))
        model.add_loss(tf.reduce_mean(model.output**2))
        model.compile("sgd")
        history = model.fit(X, batch_size=8, verbose=0, epochs=2).history["loss"]
        assert history[0] == pytest.approx(float(np.mean(X.sum(1) ** 2)), rel=1e-5)
        assert history[1] < history[0]

    def test_clones_have_them(self):
        inputs = keras.Input((4,))
        model = keras.Model(inputs, ones(1)(inputs))
        model.add_loss(tf.reduce_sum(model.output**2))
        clone = keras.models.clone_model(model)
        for each in (model, clone):
            each.compile("sgd", "mse")
        expected = model.evaluate(X, Y, verbose=0)
        assert clone.evaluate(X, Y, verbose=0) == pytest.approx(expected)
        assert expected == pytest.approx(46.189392, rel=1e-5)

    def test_one_models_call_leaves_the_losses_of_another(self):
        first, second = (ones(1, activity_regularizer="l2") for _ in range(2))
        first(X)
        value = float(first.losses[0])
        second(2 * X)
        assert float(first.losses[0]) == value
        assert float(second.losses[0]) == pytest.approx(4 * value)
        first(X)
        assert len(first.losses) == 1

    def test_values_outside_of_calls_are_refused(self):
        with pytest.raises(ValueError, match="zero argument `lambda`"):
            ones(1).add_loss(tf.constant(1.0))


losses = tf.keras.losses


def test_objects_and_added_losses():
    inputs = tf.keras.Input([4])
    hidden = tf.keras.layers.Dense(2)(inputs)
    outputs = tf.keras.layers.Dense(4)(hidden)
    model = tf.keras.Model(inputs, outputs)
    model.add_loss(losses.MeanSquaredError()(inputs, outputs))
    model.compile("sgd")
    x = np.ones((8, 4), "float32")
    before = float(losses.mse(x, model(x))[0])
    history = model.fit(x, epochs=1, verbose=0).history
    assert history["loss"][0] == pytest.approx(before, rel=1e-4)
    assert model.evaluate(x, verbose=0) < before


def test_added_losses_come_after_the_models_own_layers_and_into_copies():
    """The order is recorded from Keras 2."""
    inputs = tf.keras.Input([3], name="inputs")
    hidden = tf.keras.layers.Dense(4, name="hidden")(inputs)
    outputs = tf.keras.layers.Dense(1, name="outputs")(hidden)
    targets = tf.keras.Input([1], name="targets")
    model = tf.keras.Model([inputs, targets], tf.keras.layers.Add(name="sum")([outputs, targets]))
    model.add_loss(tf.reduce_mean(hidden) * 0.01)
    model.add_metric(tf.reduce_max(outputs), name="largest", aggregation="mean")
    own = ["inputs", "hidden", "outputs", "targets", "sum"]
    copy = tf.keras.Model.from_config(model.get_config())
    copy.set_weights(model.get_weights())
    x = [np.ones((4, 3), "float32"), np.ones((4, 1), "float32")]
    logs = []
    for each in (model, copy):
        names = [layer.name for layer in each.layers]
        assert names[:5] == own and [name for name in names if "add" in name] == [
            "add_loss",
            "add_metric",
        ]
        assert len(names) == 10
        each.compile()
        logs.append(each.evaluate(x, verbose=0, return_dict=True))
    assert logs[0] == logs[1] and list(logs[0]) == ["loss", "largest"]


def test_outputs_that_are_only_converted_to_tensors_are_regularized():
    class Interval:
        """Something that packages give out: a tensor for those who ask for one."""

        def __init__(self, middle):
            self.middle = middle

        @property
        def dtype(self):
            return self.middle.dtype

        @property
        def shape(self):
            return self.middle.shape

    tf.register_tensor_conversion_function(
        Interval, lambda value, dtype=None, name=None, as_ref=False: value.middle
    )

    class Intervals(L.Layer):
        def call(self, inputs):
            return Interval(2 * inputs)

    layer = Intervals(activity_regularizer=lambda interval: tf.reduce_sum(interval.middle))
    layer(tf.ones([4, 3]))
    assert [float(loss) for loss in layer.losses] == [6.0]
