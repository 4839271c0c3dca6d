"""Losses and metrics between the symbolic tensors of functional models."""

import numpy as np
import pytest

import eagerflow as tf

losses = tf.keras.losses
NAMES = ("mse", "mae", "kld", "huber", "hinge", "log_cosh", "poisson", "binary_crossentropy")


@pytest.mark.parametrize("name", NAMES)
def test_functions(name):
    inputs = tf.keras.Input([3])
    outputs = tf.keras.activations.sigmoid(inputs * 2.0)
    model = tf.keras.Model(inputs, getattr(losses, name)(inputs, outputs))
    x = np.linspace(0.1, 0.9, 6, dtype="float32").reshape(2, 3)
    expected = getattr(losses, name)(tf.constant(x), tf.sigmoid(tf.constant(x * 2.0)))
    np.testing.assert_allclose(model(x), expected, rtol=1e-4)


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
