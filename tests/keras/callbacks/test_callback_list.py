"""The order in which callbacks are called."""

import time

import numpy as np

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


class Recorder(callbacks.Callback):
    """Notes which methods are called."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def on_train_begin(self, logs=None):
        self.calls.append("train begin")

    def on_epoch_begin(self, epoch, logs=None):
        self.calls.append(f"epoch {epoch}")

    def on_train_batch_end(self, batch, logs=None):
        assert type(logs["loss"]) is float
        self.calls.append(f"batch {batch}")

    def on_test_begin(self, logs=None):
        self.calls.append("test begin")

    def on_test_batch_end(self, batch, logs=None):
        self.calls.append(f"test {batch}")

    def on_epoch_end(self, epoch, logs=None):
        self.calls.append(sorted(logs))

    def on_predict_batch_end(self, batch, logs=None):
        self.calls.append(logs["outputs"].shape)

    def on_train_end(self, logs=None):
        self.calls.append("train end")


def test_order():
    recorder = Recorder()
    model = make_model()
    fit(model, recorder, epochs=1, validation_split=0.5)
    assert recorder.calls == [
        "train begin",
        "epoch 0",
        "batch 0",
        "batch 1",
        "test begin",
        "test 0",
        "test 1",
        ["accuracy", "loss", "val_accuracy", "val_loss"],
        "train end",
    ]
    recorder.calls.clear()
    model.predict(data()[0][:40], verbose=0, callbacks=[recorder])
    assert recorder.calls == [(32, 2), (8, 2)]
    assert recorder.params["steps"] is not None and recorder.model is model


def test_slow_callbacks_are_told_of(caplog):
    class Slow(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            time.sleep(0.02)

    class Quick(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            time.sleep(0.02)

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    data = np.ones((16, 1))
    model.fit(data, data, 2, verbose=0, callbacks=[Quick()])
    assert "is slow" not in caplog.text
    model.fit(data, data, 2, verbose=0, callbacks=[Slow()])
    assert caplog.text.count("`on_train_batch_end` is slow compared to the batch time") == 1
