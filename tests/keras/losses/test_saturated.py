"""Cross-entropies of probabilities that are exactly 0 or 1, or nearly."""

import numpy as np
import pytest

import eagerflow as tf

losses = tf.keras.losses
modes = pytest.mark.parametrize("mode", ["eager", "function"])


def slopes(function, p, dtype, mode):
    def gradient(p):
        with tf.GradientTape() as tape:
            tape.watch(p)
            loss = function(p)
        return tape.gradient(loss, p)

    gradient = tf.function(gradient) if mode == "function" else gradient
    return tf.cast(gradient(tf.constant(p, dtype)), tf.float64).numpy()


BINARY = {
    "binary_crossentropy": lambda y, p: losses.binary_crossentropy(y[:, None], p[:, None]),
    "BinaryCrossentropy": lambda y, p: losses.BinaryCrossentropy(reduction="none")(
        y[:, None], p[:, None]
    ),
    "backend": tf.keras.backend.binary_crossentropy,
    "keras.ops": tf.keras.ops.binary_crossentropy,
}


@modes
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_binary(dtype, name, mode):
    labels, p = [1.0, 0.0, 1.0, 0.0, 0.5], [1.0, 0.0, 0.75, 0.25, 0.5]
    found = slopes(lambda p: BINARY[name](tf.constant(labels, dtype), p), p, dtype, mode)
    # -1 / p by the label 1, and 1 / (1 - p) by 0: at the ends, too.
    np.testing.assert_allclose(found, [-1, 1, -4 / 3, 4 / 3, 0], rtol=2e-2, atol=1e-2)
    wrong = slopes(
        lambda p: BINARY[name](tf.constant([1.0, 0.0], dtype), p), [0.0, 1.0], dtype, mode
    )
    assert wrong[0] < -1e3 and wrong[1] > 1e3


@modes
def test_what_is_no_probability_has_no_slope(mode):
    found = slopes(
        lambda p: BINARY["backend"](tf.constant([1.0, 0.0, 1.0]), p),
        [-0.5, 1.5, 2.0],
        "float32",
        mode,
    )
    assert found.tolist() == [0, 0, 0]


CATEGORICAL = {
    "categorical": lambda p: losses.categorical_crossentropy(
        tf.constant([[1.0, 0.0, 0.0]] * 2, p.dtype), p
    ),
    "CategoricalCrossentropy": lambda p: losses.CategoricalCrossentropy(reduction="none")(
        tf.constant([[1.0, 0.0, 0.0]] * 2, p.dtype), p
    ),
    "sparse": lambda p: losses.sparse_categorical_crossentropy([0, 0], p),
    "ignoring": lambda p: losses.sparse_categorical_crossentropy([0, 0], p, ignore_class=7),
    "backend": lambda p: tf.keras.backend.categorical_crossentropy(
        tf.constant([[1.0, 0.0, 0.0]] * 2, p.dtype), p
    ),
}


@modes
@pytest.mark.parametrize("name", CATEGORICAL)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_categorical(dtype, name, mode):
    p = [[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]]
    found = slopes(CATEGORICAL[name], p, dtype, mode)
    # -1 / p of the label's class, and 1 / sum(p) of all.
    np.testing.assert_allclose(found, [[0, 1, 1], [-1, 1, 1]], rtol=2e-2, atol=1e-2)
    wrong = slopes(CATEGORICAL[name], [[0.0, 1.0, 0.0], [0.0, 0.5, 0.5]], dtype, mode)
    assert (wrong[:, 0] < -1e3).all() and np.isfinite(wrong[:, 1:]).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_focal(dtype):
    for function in (losses.binary_focal_crossentropy, losses.categorical_focal_crossentropy):
        y = tf.constant([[1.0, 0.0]], dtype)
        found = slopes(lambda p, f=function, y=y: f(y, p), [[1.0, 0.0]], dtype, "eager")
        np.testing.assert_allclose(found, [[0, 0]], atol=1e-5)
