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


@pytest.mark.parametrize("name", ["adaptive_average_pool", "adaptive_max_pool"])
@pytest.mark.parametrize("shape", [(2, 7, 3), (1, 5, 4, 2), (1, 5, 4, 6, 2)])
@pytest.mark.parametrize("count", [1, 3, 5, 9])
def test_adaptive_pooling_in_all_modes(name, shape, count):
    pool = getattr(tf.keras.ops, name)
    x = np.random.default_rng(5).normal(size=shape).astype(np.float32)
    expected = x
    for axis in range(1, x.ndim - 1):
        size = expected.shape[axis]
        bounds = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
        parts = [np.take(expected, range(*bound), axis) for bound in bounds]
        reduce = np.mean if "average" in name else np.max
        expected = np.stack([reduce(part, axis) for part in parts], axis)
    unknown = tf.TensorSpec([None] * x.ndim)
    gradients = []
    for function in (
        lambda x: pool(x, count),
        tf.function(lambda x: pool(x, count)),
        tf.function(lambda x: pool(x, count), input_signature=[unknown]),
    ):
        with tf.GradientTape() as tape:
            value = tf.constant(x)
            tape.watch(value)
            result = function(value)
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
        gradients.append(tape.gradient(result, value))
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-6)
    np.testing.assert_allclose(gradients[0], gradients[2], rtol=1e-6)
    assert float(tf.reduce_sum(gradients[0])) == pytest.approx(expected.size, rel=1e-5)


@pytest.mark.parametrize("count", [2**45, 2**62 + 1, 2**70])
@pytest.mark.parametrize("name", ["adaptive_average_pool", "adaptive_max_pool"])
def test_more_windows_than_memory(name, count):
    with pytest.raises(
        (tf.errors.ResourceExhaustedError, ValueError, tf.errors.InvalidArgumentError)
    ):
        getattr(tf.keras.ops, name)(tf.ones([1, 4, 2]), count)
