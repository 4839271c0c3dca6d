"""Operations that files hold as simpler ones compute with the constants of their kernels."""

import numpy as np
import pytest

import eagerflow as tf

X = np.linspace(-3.0, 3.0, 25)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("approximate", [False, True])
def test_gelu(approximate, dtype, tmp_path):
    def slopes(function):
        x = tf.constant(X, dtype)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            first = inner.gradient(y, x)
        return y, first, outer.gradient(first, x)

    gelu = lambda x: tf.nn.gelu(x, approximate)  # noqa: E731
    module = tf.Module()
    module.run = tf.function(gelu, input_signature=[tf.TensorSpec([None], dtype)])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    bound = 20 * np.finfo(dtype).eps
    for got, expected in zip(slopes(loaded.run), slopes(gelu), strict=True):
        np.testing.assert_allclose(got, expected, rtol=0, atol=bound)
