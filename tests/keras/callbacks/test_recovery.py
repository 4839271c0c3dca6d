"""RestoreOnNaN: the last good state, the learning rate, and what it says."""

import numpy as np
import pytest

import eagerflow as tf

RestoreOnNaN = tf.keras.callbacks.RestoreOnNaN
X = np.random.default_rng(0).normal(size=[12, 2]).astype("float32")
Y = X @ np.array([[1.0], [-2.0]], "float32")
BAD = X.copy()
BAD[5] = np.nan


def model_of(optimizer="adam", **options):
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1, name="only")])
    model.compile(optimizer, "mse", **options)
    return model


def fit(model, callback, x=BAD, y=Y, **options):
    arguments = {"batch_size": 1, "shuffle": False, "verbose": 0} | options
    return model.fit(x, y, callbacks=[callback], **arguments)


@pytest.mark.parametrize("run_eagerly", [False, True])
def test_as_without_the_bad_batch(run_eagerly, capsys):
    found = model_of(run_eagerly=run_eagerly)
    callback = RestoreOnNaN(every=1)
    history = fit(found, callback)
    expected = model_of()
    expected.fit(X[:5], Y[:5], batch_size=1, shuffle=False, verbose=0)
    expected.optimizer.learning_rate.assign(expected.optimizer.learning_rate * 0.5)
    losses = expected.fit(X[6:], Y[6:], batch_size=1, shuffle=False, verbose=0).history["loss"]
    for one, other in zip(found.get_weights(), expected.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert found.optimizer.iterations.numpy() == 11
    np.testing.assert_allclose(history.history["loss"], losses, rtol=1e-6)
    (restored,) = callback.restorations
    assert (restored.epoch, restored.batch) == (0, 5) and np.isnan(restored.loss)
    assert restored.variable == "only/kernel:0" and restored.learning_rate == pytest.approx(0.0005)
    said = capsys.readouterr().out
    assert "Epoch 1, batch 5: the loss is nan; only/kernel:0 is the first" in said
    assert "Restored batch 4 of epoch 1; the learning rate is now 0.0005." in said


def test_states_between_batches():
    model = model_of("sgd")
    first = model.get_weights()
    fit(model, RestoreOnNaN(every=100, verbose=0), x=BAD[:6], y=Y[:6])
    for one, other in zip(model.get_weights(), first, strict=True):
        np.testing.assert_array_equal(one, other)


def test_states_whose_weights_are_bad_are_not_noted():
    # The loss of a batch is good, and the update after it is not.
    model = model_of("sgd")

    class Spoils(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if batch == 2:
                self.model.layers[0].bias.assign([np.inf])

    callback = RestoreOnNaN(every=1, verbose=0)
    model.fit(X, Y, batch_size=1, verbose=0, shuffle=False, callbacks=[Spoils(), callback])
    (restored,) = callback.restorations
    assert restored.batch == 3 and restored.variable == "only/kernel:0"
    assert np.isfinite(model.get_weights()[1]).all()


def test_a_limit():
    y = Y.copy()
    y[7] = 1e6
    model = model_of("sgd")
    callback = RestoreOnNaN(every=1, limit=1e3, factor=1.0, verbose=0)
    fit(model, callback, x=X, y=y)
    assert [r.batch for r in callback.restorations] == [7]
    assert callback.restorations[0].variable is None
    assert float(model.optimizer.learning_rate) == pytest.approx(0.01)


def test_training_stops_after_too_many():
    model = model_of("sgd")
    callback = RestoreOnNaN(every=1, max_restorations=2, verbose=0)
    fit(model, callback, epochs=5)
    assert [r.epoch for r in callback.restorations] == [0, 1, 2]
    assert callback.restorations[-1].learning_rate is None
    assert np.isfinite(model.get_weights()[0]).all()


def test_schedules_and_other_optimizers():
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.01, 10, 0.9)
    for optimizer in (
        tf.keras.optimizers.SGD(schedule),
        tf.keras.optimizers.legacy.Adam(),
        tf.keras.optimizers.Adam(gradient_accumulation_steps=2),
    ):
        model = model_of(optimizer)
        callback = RestoreOnNaN(every=1, verbose=0)
        fit(model, callback)
        assert len(callback.restorations) == 1
        assert np.isfinite(model.get_weights()[0]).all()


def test_models_without_a_first_state(capsys):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    callback = RestoreOnNaN(every=1)
    fit(model, callback, epochs=2)
    assert [r.epoch for r in callback.restorations] == [0, 1]
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = fit(model, callback, x=BAD[5:], y=Y[5:], epochs=3)
    assert len(history.epoch) == 1 and "never good" in capsys.readouterr().out


def test_arguments():
    with pytest.raises(ValueError, match="factor"):
        RestoreOnNaN(factor=0.0)
    with pytest.raises(ValueError, match="every"):
        RestoreOnNaN(every=0)
