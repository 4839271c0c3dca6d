"""EarlyStopping and TerminateOnNaN; the values are those of tf_keras."""

import numpy as np
import pytest

import eagerflow as tf

callbacks = tf.keras.callbacks


def data():
    x = np.random.RandomState(0).rand(100, 4).astype("float32")
    return x, (x.sum(1) > 2).astype("int32")


def make_model(rate=0.1):
    layers = tf.keras.layers
    start = tf.keras.initializers.Constant(0.1)
    model = tf.keras.Sequential(
        [
            layers.Dense(8, activation="relu", kernel_initializer="ones"),
            layers.Dense(2, activation="softmax", kernel_initializer=start),
        ]
    )
    model.compile(
        tf.keras.optimizers.SGD(rate), "sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    return model


def fit(model, callback=None, **options):
    options = {"epochs": 3, "verbose": 0, "shuffle": False, **options}
    return model.fit(*data(), callbacks=callback, **options)


class FakeModel:
    """What callbacks ask of a model."""

    def __init__(self, rate=0.5):
        self.optimizer = tf.keras.optimizers.SGD(rate)
        self.stop_training = False
        self.saved = []
        self.metrics = []

    def save_weights(self, path, overwrite=True, **options):
        self.saved.append(("weights", path))

    def save(self, path, overwrite=True, **options):
        self.saved.append(("model", path))


def run_epochs(callback, values, name="val_loss", model=None):
    model = model or FakeModel()
    callback.set_model(model)
    callback.on_train_begin()
    for epoch, value in enumerate(values):
        callback.on_epoch_begin(epoch, {})
        callback.on_epoch_end(epoch, {name: value})
        if model.stop_training:
            break
    callback.on_train_end()
    return model


def test_stopping_early_and_lowering_the_rate(capsys):
    stop = callbacks.EarlyStopping(
        "loss", min_delta=0.1, patience=2, verbose=1, restore_best_weights=True
    )
    lower = callbacks.ReduceLROnPlateau("loss", min_delta=0.1, patience=1, verbose=1, factor=0.5)
    model = make_model(1.0)
    history = fit(model, [stop, lower], epochs=6).history
    np.testing.assert_allclose(
        history["loss"], [4.9952, 0.437, 0.5154, 0.2737, 0.208, 0.1999], atol=1e-4
    )
    assert history["lr"] == [1.0, 1.0, 1.0, 0.5, 0.5, 0.25]
    assert capsys.readouterr().out == (
        "\nEpoch 3: ReduceLROnPlateau reducing learning rate to 0.5.\n"
        "\nEpoch 5: ReduceLROnPlateau reducing learning rate to 0.25.\n"
        "\nEpoch 6: ReduceLROnPlateau reducing learning rate to 0.125.\n"
        "Epoch 6: early stopping\n"
        "Restoring model weights from the end of the best epoch: 4.\n"
    )
    assert model.evaluate(*data(), verbose=0)[0] == pytest.approx(0.2130, abs=1e-4)


def test_early_stopping_rules():
    assert run_epochs(callbacks.EarlyStopping(patience=1), [3, 2, 2.5, 1]).stop_training
    accuracy = callbacks.EarlyStopping("val_accuracy", patience=0)
    run_epochs(accuracy, [0.5, 0.6, 0.55], "val_accuracy")
    assert (accuracy.stopped_epoch, accuracy.best) == (2, 0.6)
    late = callbacks.EarlyStopping(start_from_epoch=3, patience=0)
    run_epochs(late, [1, 2, 3, 4, 5])
    assert late.stopped_epoch == 4
    baseline = callbacks.EarlyStopping(baseline=1.0, patience=2)
    run_epochs(baseline, [4, 3, 2, 1.5, 1.2])
    assert baseline.stopped_epoch == 0 or not baseline.model.stop_training
    with pytest.warns(UserWarning, match="val_loss.*not available.*loss"):
        run_epochs(callbacks.EarlyStopping(), [1.0], "loss")


def test_a_loss_that_is_no_number_ends_training(capsys):
    layers = [tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    model.compile("sgd", "mse")
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning, match="NaN"):
        history = model.fit(
            np.full((4, 1), np.nan, "float32"),
            np.zeros((4, 1), "float32"),
            epochs=3,
            verbose=0,
            callbacks=[callbacks.TerminateOnNaN()],
        )
    assert history.epoch == [0]
    assert "Batch 0: Invalid loss, terminating training" in capsys.readouterr().out
