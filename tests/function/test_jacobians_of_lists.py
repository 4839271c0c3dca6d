"""Jacobians of functions whose loops collect values in lists, which no batch of rows can share."""

import numpy as np
import pytest

import eagerflow as tf


def folded(x):
    last = tf.foldl(lambda a, row: a * row + tf.sin(a), tf.transpose(x))
    return last[:, None] * x


def mapped(x):
    return tf.map_fn(lambda row: tf.sin(row) * tf.reduce_sum(row) ** 2, x)


def scanned(x):
    return tf.transpose(tf.scan(lambda a, row: a * row + tf.sin(a), tf.transpose(x)))


def looped(x):
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.sin(a) * a), (0, x))[1]


def collected(x):
    array = tf.TensorArray(x.dtype, size=3, clear_after_read=False)

    def step(i, array):
        return i + 1, array.write(i, x[:, i] ** 3 * tf.reduce_sum(x, 1))

    return tf.transpose(tf.while_loop(lambda i, _: i < 3, step, (0, array))[1].stack())


def map_in_loop(x):
    def step(i, a):
        return i + 1, tf.map_fn(lambda row: row * tf.sin(row), a)

    return tf.while_loop(lambda i, a: i < 2, step, (0, x))[1]


X = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])


def jacobian(f, batch):
    def found(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.batch_jacobian(y, x) if batch else tape.jacobian(y, x)

    return found


@pytest.mark.parametrize("shape", [[2, 3], [None, 3]])
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("f", [folded, mapped, scanned, looped, collected, map_in_loop])
def test_traced_and_eager_jacobians_agree(f, batch, twice, shape):
    g = jacobian(f, batch)
    if twice:
        g = jacobian(g, batch)
    expected = g(tf.constant(X))
    found = tf.function(g, input_signature=[tf.TensorSpec(shape, tf.float64)])(X)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
