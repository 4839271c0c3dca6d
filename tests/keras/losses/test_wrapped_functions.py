"""Configurations of losses and metrics that wrap functions, as Keras 2 has them."""

from __future__ import annotations

import pytest

import eagerflow as tf

keras = tf.keras
losses, metrics = keras.losses, keras.metrics


@keras.utils.register_keras_serializable("Wrapped")
def registered(y_true, y_pred):
    return tf.abs(y_true - y_pred)


def plain(y_true, y_pred):
    return tf.abs(y_true - y_pred)


def wrapped(function, **kwargs):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", function, **kwargs)
    model.fit(tf.ones([1, 2]), tf.ones([1, 1]), verbose=0)
    return model.compiled_loss._losses[0]


@pytest.mark.parametrize(
    ("function", "name"),
    [(plain, "plain"), (registered, "Wrapped>registered"), ("mse", "mean_squared_error")],
)
def test_losses_name_their_functions(function, name):
    assert wrapped(function).get_config()["fn"] == name


@pytest.mark.parametrize(
    "loss",
    [
        losses.MeanSquaredError(),
        losses.BinaryCrossentropy(from_logits=True),
        losses.Huber(2.0),
        losses.CosineSimilarity(axis=0),
        losses.SquaredHinge(),
    ],
)
def test_losses_of_keras_name_theirs_and_come_back(loss):
    config = loss.get_config()
    assert config["fn"] == loss.fn.__name__
    again = type(loss).from_config(config)
    assert again.get_config() == config
    y_true, y_pred = tf.constant([[1.0, 0.0]]), tf.constant([[0.3, -0.2]])
    assert float(again(y_true, y_pred)) == float(loss(y_true, y_pred))


def test_functions_are_found_by_their_names():
    loss = wrapped(plain)
    again = type(loss)
    with pytest.raises(ValueError, match="Unknown loss function: 'plain'"):
        again.from_config(loss.get_config())
    with keras.utils.custom_object_scope({"plain": plain}):
        assert again.from_config(loss.get_config()).fn is plain
    named = losses.deserialize(
        {"class_name": "LossFunctionWrapper", "config": {"fn": "mse", "name": "q"}}
    )
    assert named.fn is losses.mean_squared_error


def test_metrics_hold_functions_and_name_them_in_older_formats():
    metric = metrics.MeanMetricWrapper(plain, name="m")
    assert metric.get_config() == {"name": "m", "dtype": "float32", "fn": plain}
    assert type(metric).from_config(metric.get_config())([1.0], [0.5]).numpy() == 0.5
    assert metrics.serialize(metric, use_legacy_format=True) == {
        "class_name": "MeanMetricWrapper",
        "config": {"name": "m", "dtype": "float32", "fn": "plain"},
    }


def test_older_formats_name_functions_and_classes():
    class Layer(keras.layers.Layer):
        def get_config(self):
            return {"f": registered, "g": [plain], "k": keras.initializers.Ones(), "c": Layer}

    assert keras.utils.legacy.serialize_keras_object(Layer())["config"] == {
        "f": "Wrapped>registered",
        "g": [plain],
        "k": {"class_name": "Ones", "config": {}},
        "c": "Layer",
    }
