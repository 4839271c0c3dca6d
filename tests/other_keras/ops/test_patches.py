"""keras.ops.unfold and fold: graphs of unknown sizes, gradients and errors."""

import numpy as np
import pytest

import eagerflow as tf

ops = tf.keras.ops
X = np.random.default_rng(1).normal(size=(2, 3, 5, 7)).astype("float32")
WINDOW = ((2, 3), (2, 1), (1, 2), (1, 2))  # its size, dilation, padding and stride


def test_folding_is_the_gradient_of_unfolding():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        patches = ops.unfold(x, *WINDOW)
    weights = np.random.default_rng(2).normal(size=patches.shape).astype("float32")
    expected = tape.gradient(patches, x, output_gradients=tf.constant(weights))
    np.testing.assert_allclose(ops.fold(weights, (5, 7), *WINDOW), expected, rtol=1e-5, atol=1e-5)


def test_the_gradient_of_folding_is_unfolding():
    patches = ops.unfold(X, *WINDOW)
    with tf.GradientTape() as tape:
        tape.watch(patches)
        x = ops.fold(patches, (5, 7), *WINDOW)
    np.testing.assert_array_equal(
        tape.gradient(x, patches, output_gradients=tf.constant(X)), ops.unfold(X, *WINDOW)
    )


def test_graphs_of_unknown_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, 3, None, None], tf.float32)])
    def unfolded(x):
        return ops.unfold(x, *WINDOW)

    @tf.function(input_signature=[tf.TensorSpec([None, 18, None], tf.float32)])
    def folded(x):
        return ops.fold(x, (5, 7), *WINDOW)

    patches = ops.unfold(X, *WINDOW)
    np.testing.assert_array_equal(unfolded(X), patches)
    np.testing.assert_array_equal(unfolded(X[:1, :, :4]), ops.unfold(X[:1, :, :4], *WINDOW))
    np.testing.assert_array_equal(folded(patches), ops.fold(patches, (5, 7), *WINDOW))


def test_both_namespaces_have_them():
    for name in ("unfold", "fold", "adaptive_average_pool", "adaptive_max_pool"):
        assert getattr(ops.nn, name) is getattr(ops, name)


def test_dtypes_stay():
    for dtype in ("int32", "float64", "float16"):
        patches = ops.unfold(tf.cast(X, dtype), 2)
        assert patches.dtype == dtype and ops.fold(patches, (5, 7), 2).dtype == dtype


def test_wrong_ranks_are_refused():
    with pytest.raises(ValueError, match="4D"):
        ops.unfold(X[0], 2)
    with pytest.raises(ValueError, match="3D"):
        ops.fold(X, 4, 2)
