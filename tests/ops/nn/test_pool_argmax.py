"""Max pooling with the indices of the largest values."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
def test_places_of_the_largest(padding, dtype):
    x = np.random.RandomState(0).permutation(2 * 5 * 7 * 3).reshape(2, 5, 7, 3).astype(dtype)
    output, places = tf.nn.max_pool_with_argmax(
        x, (2, 3), (2, 1), padding, include_batch_in_index=True
    )
    assert output.dtype == dtype and places.dtype == tf.int64
    np.testing.assert_array_equal(output, x.reshape(-1)[places.numpy()])
    if dtype != "int32":
        np.testing.assert_array_equal(output, tf.nn.max_pool2d(x, (2, 3), (2, 1), padding))
    single = tf.nn.max_pool_with_argmax(x, (2, 3), (2, 1), padding, output_dtype=tf.int32).argmax
    assert single.dtype == tf.int32
    np.testing.assert_array_equal(single, places.numpy() % (5 * 7 * 3))


def test_places_among_equals_and_nan():
    x = np.array([1.0, 1.0, np.nan, 0.0], "float32").reshape(1, 1, 4, 1)
    output, places = tf.nn.max_pool_with_argmax(x, (1, 2), (1, 2), "VALID")
    np.testing.assert_array_equal(output.numpy().reshape(-1), [1, np.nan])
    assert places.numpy().reshape(-1).tolist() == [0, 2]
    nothing = tf.nn.max_pool_with_argmax(tf.zeros([0, 4, 4, 1]), 2, 2, "VALID")
    assert nothing.output.shape == (0, 2, 2, 1)


def test_gradients_of_pooling_with_places():
    x = np.random.RandomState(0).permutation(4 * 5 * 2).reshape(1, 4, 5, 2).astype("float64")
    weights = np.random.RandomState(1).randn(1, 3, 4, 2)

    def loss(x):
        return tf.reduce_sum(tf.nn.max_pool_with_argmax(x, 2, 1, "VALID").output ** 2 * weights)

    for theoretical, numerical in zip(*tf.test.compute_gradient(loss, [x]), strict=True):
        np.testing.assert_allclose(theoretical, numerical, rtol=1e-6, atol=1e-5)
    x = tf.constant(x)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = loss(x)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    np.testing.assert_allclose(tf.reduce_sum(second), 2 * weights.sum(), rtol=1e-9)
