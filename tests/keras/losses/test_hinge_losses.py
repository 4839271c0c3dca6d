"""Hinge losses on the margin."""

import pytest

import eagerflow as tf

# Labels, scores on the margin, and TensorFlow's gradients of the loss by the scores.
MARGINS = {
    "hinge": ([[-1.0, 1.0]], [[-1.0, 1.0]], [[0.5, -0.5]]),
    "squared_hinge": ([[-1.0, 1.0]], [[-1.0, 1.0]], [[0.0, 0.0]]),
    "categorical_hinge": ([[1.0, 0.0]], [[1.5, 0.5]], [[-1.0, 1.0]]),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", MARGINS)
def test_gradients_on_the_margin(name, traced, dtype):
    loss = getattr(tf.keras.losses, name)
    labels, scores, wanted = (tf.constant(x, dtype) for x in MARGINS[name])
    with tf.GradientTape() as tape:
        tape.watch(scores)
        found = (tf.function(loss) if traced else loss)(labels, scores)
    assert found.dtype == dtype
    assert found.numpy().tolist() == [0.0]
    assert tape.gradient(found, scores).numpy().tolist() == wanted.numpy().tolist()
