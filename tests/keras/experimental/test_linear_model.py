"""Linear models, alone and beside deep ones."""

import numpy as np
import pytest

import eagerflow as tf

experimental = tf.keras.experimental


def data():
    rng = np.random.RandomState(0)
    x = rng.rand(64, 3).astype("float32")
    return x, (x @ [[1.0], [2.0], [-1.0]] + 0.5).astype("float32")


def test_linear_regression():
    x, y = data()
    model = experimental.LinearModel()
    model.compile(tf.keras.optimizers.SGD(0.5), "mse")
    losses = model.fit(x, y, epochs=60, batch_size=64, verbose=0).history["loss"]
    assert losses[0] == pytest.approx(float(np.mean(y**2)), rel=1e-5)
    assert losses[-1] < 1e-3
    copy = experimental.LinearModel.from_config(model.get_config())
    copy.build((None, 3))
    copy.set_weights(model.get_weights())
    np.testing.assert_allclose(copy(x), model(x))


def test_named_inputs():
    model = experimental.LinearModel(units=2, kernel_initializer="ones", activation="relu")
    inputs = {"b": tf.ones([4, 1]), "a": -3.0 * tf.ones([4, 1])}
    assert model(inputs).numpy().tolist() == [[0.0, 0.0]] * 4
    assert [layer.name for layer in model.dense_layers] == ["a", "b"]
    with pytest.raises(ValueError, match="Missing keys"):
        model({"a": tf.ones([4, 1])})


@pytest.mark.parametrize("two", [False, True])
def test_wide_and_deep(two):
    x, y = data()
    deep = tf.keras.Sequential(
        [tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)]
    )
    model = experimental.WideDeepModel(experimental.LinearModel(), deep)
    model.compile(["sgd", "adam"] if two else "adam", "mse", metrics=["mae"])
    history = model.fit([x, x], y, epochs=3, verbose=0).history
    assert history["loss"][-1] < history["loss"][0] and "mae" in history
    assert len(model.trainable_variables) == 6
