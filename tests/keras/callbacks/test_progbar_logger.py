"""What training prints; the texts are those of tf_keras."""

import re

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


def test_training_prints_what_keras_prints(capsys):
    schedule = callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5, verbose=1)
    history = fit(make_model(), schedule, verbose=2, validation_split=0.2).history
    text = re.sub(r" - \S+/epoch - \S+/step", "", capsys.readouterr().out)
    text = re.sub(r" - \d+s", "", text)
    assert text.splitlines()[:8] == [
        "",
        "Epoch 1: LearningRateScheduler setting learning rate to 0.05000000074505806.",
        "Epoch 1/3",
        "3/3 - loss: 0.6838 - accuracy: 0.5125 - val_loss: 0.6398 - val_accuracy: 0.5500"
        " - lr: 0.0500",
        "",
        "Epoch 2: LearningRateScheduler setting learning rate to 0.02500000037252903.",
        "Epoch 2/3",
        "3/3 - loss: 0.6791 - accuracy: 0.4625 - val_loss: 0.6415 - val_accuracy: 0.5500"
        " - lr: 0.0250",
    ]
    np.testing.assert_allclose(history["loss"], [0.68376, 0.67908, 0.67625], atol=2e-5)
    np.testing.assert_allclose(history["lr"], [0.05, 0.025, 0.0125], rtol=1e-6)
    assert list(history) == ["loss", "accuracy", "val_loss", "val_accuracy", "lr"]


def test_the_bar_shows_running_means(capsys):
    fit(make_model(1.0), verbose=1, epochs=1)
    text = capsys.readouterr().out
    first, last = text.strip("\r\n").split("\r")
    assert re.fullmatch(
        r"1/4 \[======>\.{23}\] - ETA: \d+s - loss: 0\.6931 - accuracy: 0\.5625", first
    )
    assert re.fullmatch(
        r"4/4 \[={30}\] - \d+s \d+[mu]?s/step - loss: 4\.9952 - accuracy: 0\.5200 *", last
    )
