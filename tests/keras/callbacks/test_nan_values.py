"""Callbacks where what they monitor is NaN: never an improvement, never the best."""

import itertools
import os

import numpy as np
import pytest

import eagerflow as tf

callbacks = tf.keras.callbacks
NAN = float("nan")


def model(rate=0.1):
    made = tf.keras.Sequential(
        [tf.keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")]
    )
    made.compile(tf.keras.optimizers.SGD(rate), "mse")
    return made


def run(callback, values, sign=1):
    made = model()
    callback.set_model(made)
    made.stop_training = False
    callback.on_train_begin()
    for epoch, value in enumerate(values):
        made.set_weights([np.full((1, 1), epoch, "f4"), np.zeros(1, "f4")])
        callback.on_epoch_begin(epoch)
        callback.on_epoch_end(epoch, {"loss": sign * value})
        if made.stop_training:
            break
    callback.on_train_end()
    return made


SERIES = list(itertools.product([NAN, 1.0, 2.0, 0.5], repeat=3))


@pytest.mark.parametrize(("mode", "sign"), [("min", 1), ("max", -1)])
def test_nan_is_never_the_best(mode, sign, tmp_path):
    for values in SERIES:
        numbers = [value for value in values if value == value]
        best = min(numbers, default=np.inf)
        stop = callbacks.EarlyStopping("loss", patience=9, mode=mode, restore_best_weights=True)
        trained = run(stop, values, sign)
        assert stop.best == sign * best
        kept = values.index(best) if numbers else len(values) - 1
        assert trained.get_weights()[0].item() == kept
        path = str(tmp_path / "model.weights.h5")
        save = callbacks.ModelCheckpoint(
            path, "loss", save_best_only=True, save_weights_only=True, mode=mode
        )
        run(save, values, sign)
        assert save.best == sign * best and os.path.exists(path) == bool(numbers)
        if numbers:
            loaded = model()
            loaded.load_weights(path)
            assert loaded.get_weights()[0].item() == kept
            os.remove(path)
        reduce = callbacks.ReduceLROnPlateau("loss", patience=9, mode=mode, min_delta=0)
        run(reduce, values, sign)
        assert reduce.best == sign * best


def test_nan_counts_as_no_improvement():
    stop = callbacks.EarlyStopping("loss", patience=2)
    run(stop, [1.0, NAN, NAN, NAN])
    assert stop.stopped_epoch == 2
    reduce = callbacks.ReduceLROnPlateau("loss", patience=2, factor=0.5)
    rate = run(reduce, [1.0, NAN, NAN]).optimizer.learning_rate
    np.testing.assert_allclose(rate, 0.05)


def test_a_threshold_of_nan_is_none(tmp_path):
    path = str(tmp_path / "best.weights.h5")
    options = {"save_best_only": True, "save_weights_only": True}
    save = callbacks.ModelCheckpoint(path, "loss", initial_value_threshold=NAN, **options)
    run(save, [NAN, 3.0, 5.0])
    assert save.best == 3.0


def data(steps, bad):
    x = np.ones((steps, 1), "f4")
    x[bad] = np.nan
    return x, np.zeros((steps, 1), "f4")


@pytest.mark.parametrize("freq", ["epoch", 1])
@pytest.mark.parametrize("first", [True, False])
def test_backups_survive_a_training_that_nan_ends(freq, first, tmp_path):
    backup = callbacks.BackupAndRestore(str(tmp_path), save_freq=freq)
    both = [callbacks.TerminateOnNaN(), backup]
    trained = model()
    good, labels = data(4, [])

    class Break(tf.keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 1:
                self.model.set_weights([np.full((1, 1), np.nan, "f4"), np.zeros(1, "f4")])

    order = both if first else both[::-1]
    trained.fit(good, labels, 1, epochs=3, verbose=0, callbacks=[Break(), *order])
    assert os.listdir(tmp_path)
    resumed = model()
    history = resumed.fit(good, labels, 1, epochs=3, verbose=0, callbacks=[backup])
    assert history.epoch == [1, 2] and np.isfinite(resumed.get_weights()[0]).all()
    assert not os.listdir(tmp_path)  # it ended normally


def test_termination_may_raise():
    x, y = data(4, [2])
    stop = callbacks.TerminateOnNaN(raise_error=True)
    with pytest.raises(RuntimeError, match="NaN or Inf loss encountered at batch 2"):
        model().fit(x, y, 1, shuffle=False, verbose=0, callbacks=[stop])
