"""Saving a model leaves the model as it was."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras


class Scale(keras.layers.Layer):
    """Has all kinds of losses, and a metric."""

    def build(self, shape):
        self.w = self.add_weight(name="w", shape=[shape[-1]], regularizer="l2")

    def call(self, x, training=None):
        self.add_loss(0.1 * tf.reduce_mean(x))
        self.add_metric(tf.reduce_mean(x), name="mean")
        return x * self.w


@keras.utils.register_keras_serializable("unchanged")
class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.scale = Scale()
        self.dense = keras.layers.Dense(1, activity_regularizer="l2")
        self.drop = keras.layers.Dropout(0.5, seed=3)
        self.norm = keras.layers.BatchNormalization()

    def call(self, x, training=None):
        self.add_loss(lambda: tf.reduce_sum(self.dense.kernel))
        return self.norm(self.dense(self.drop(self.scale(x), training=training)), training=training)

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        return cls()


def functional():
    x = keras.Input([4])
    y = keras.layers.ActivityRegularization(l1=0.1)(Scale()(x))
    outputs = keras.layers.Dense(1)(keras.layers.Dropout(0.5, seed=1)(y))
    model = keras.Model(x, outputs)
    model.add_loss(tf.reduce_mean(outputs))
    model.add_metric(tf.reduce_sum(outputs), name="sum")
    return model


def chain():
    layers = [Scale(input_shape=[4]), keras.layers.Dense(1, kernel_regularizer="l1")]
    return keras.Sequential([*layers, keras.layers.BatchNormalization()])


def plain(value):
    return np.asarray(value).tolist()


def observed(model):
    """All that a program can see of a model."""
    layers = model._flatten_layers()
    return {
        "losses": [[plain(loss) for loss in layer.losses] for layer in layers],
        "metrics": [(metric.name, plain(metric.result())) for metric in model.metrics],
        "variables": [(v.name, v.trainable, plain(v)) for v in model.variables],
        "layers": [
            (layer.name, layer.trainable, layer.built, layer.stateful) for layer in model.layers
        ],
        "compiled": model._is_compiled,
        "state": [plain(v) for v in model.optimizer.variables] if model.optimizer else None,
        "attributes": sorted(
            name for name in vars(model) if not name.endswith(("_cache", "_weights"))
        ),
        "configuration": repr(model.get_config()),
        "outputs": plain(model(tf.ones([2, 4]) / 3)),
        "training": [plain(model.train_on_batch(tf.ones([2, 4]), tf.ones([2, 1])))]
        if model._is_compiled
        else None,
    }


SAVES = {
    "saved-model": lambda model, folder: model.save(folder / "m", save_format="tf"),
    "tf.saved_model": lambda model, folder: tf.saved_model.save(model, folder / "m"),
    "inside-module": lambda model, folder: save_inside(model, folder / "m"),
    "keras": lambda model, folder: model.save(folder / "m.keras"),
    "h5": lambda model, folder: model.save(folder / "m.h5"),
    "weights": lambda model, folder: model.save_weights(folder / "m"),
    "h5-weights": lambda model, folder: model.save_weights(folder / "m.h5"),
    "weights.h5": lambda model, folder: model.save_weights(folder / "m.weights.h5"),
    "checkpoint": lambda model, folder: tf.train.Checkpoint(model).write(folder / "m"),
    "export": lambda model, folder: model.export(folder / "m"),
    "json": lambda model, folder: model.to_json(),
}


def save_inside(model, folder):
    module = tf.Module()
    module.model = model
    module.call = tf.function(lambda x: model(x), input_signature=[tf.TensorSpec([None, 4])])
    tf.saved_model.save(module, folder)


@pytest.mark.parametrize("state", ["called", "compiled", "trained"])
@pytest.mark.parametrize("make", [functional, chain, Own])
@pytest.mark.parametrize("save", SAVES)
@pytest.mark.filterwarnings("ignore")
def test_a_save_changes_nothing(save, make, state, tmp_path):
    def prepared():
        keras.backend.clear_session()
        keras.utils.set_random_seed(1)
        model = make()
        model(tf.ones([2, 4]))
        if state != "called":
            model.compile("adam", "mse", metrics=["mae"])
        if state == "trained":
            model.fit(tf.ones([2, 4]), tf.ones([2, 1]), verbose=0)
        model(tf.ones([2, 4]))
        tf.random.set_seed(2)
        return model

    untouched, saved = prepared(), prepared()
    known = [len(layer.losses) for layer in saved._flatten_layers()]
    try:
        SAVES[save](saved, tmp_path)
    except (NotImplementedError, AssertionError):
        pass  # Some formats do not take a class of a program; the refusal changes nothing either.
    assert [len(layer.losses) for layer in saved._flatten_layers()] == known
    expected, found = observed(untouched), observed(saved)
    # As Keras does, a save makes the metrics of a compiled model; here without training, too.
    names = [name for name, _ in expected["metrics"]]
    found["metrics"] = [pair for pair in found["metrics"] if pair[0] in names]
    assert found == expected
