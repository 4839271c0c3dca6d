"""BackupAndRestore: an interrupted training continues."""

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


def test_interrupted_training_goes_on(tmp_path):
    class Stop(callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 2:
                raise RuntimeError("stop")

    whole = fit(make_model(), epochs=5).history["loss"]
    model = make_model()
    model.build((None, 4))
    with pytest.raises(RuntimeError, match="stop"):
        fit(model, [callbacks.BackupAndRestore(tmp_path), Stop()], epochs=5)
    model = make_model()
    model.build((None, 4))
    history = fit(model, callbacks.BackupAndRestore(tmp_path), epochs=5)
    assert history.epoch == [3, 4]
    np.testing.assert_allclose(history.history["loss"], whole[3:], rtol=1e-5)
    assert not list(tmp_path.rglob("*.npz"))


def test_the_count_of_steps_goes_on(tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    model.compile("sgd", "mse")

    class Interrupting(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 2:
                raise RuntimeError("interrupted")

    backup = tf.keras.callbacks.BackupAndRestore(tmp_path)
    with pytest.raises(RuntimeError, match="interrupted"):
        model.fit([[1.0]], [[1.0]], epochs=5, verbose=0, callbacks=[backup, Interrupting()])
    model.fit([[1.0]], [[1.0]], epochs=5, verbose=0, callbacks=[backup])
    assert int(model._train_counter) == 5
