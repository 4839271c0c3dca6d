"""Gradients that several parts of a program add up to: slices, lookups, and what they share."""

import numpy as np
import pytest

import eagerflow as tf

X = np.array([0.5, -1.0, 2.0, 1.5], "float32")


def slices(x):
    return x[1:3]


def gathered(x):
    return tf.gather(x, [1, 2])


def gathered_nd(x):
    return tf.gather_nd(x, [[1], [2]])


PARTS = pytest.mark.parametrize("part", [slices, gathered, gathered_nd])


@PARTS
def test_given_gradients_are_left_alone(part):
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 1.0
        z = tf.identity(y)
        some = part(y)
    given = tf.constant([1.0, 2.0, 3.0, 4.0])
    gradient = tape.gradient([z, some, y], x, [None, tf.constant([10.0, 20.0]), given])
    np.testing.assert_array_equal(gradient, [2.0, 13.0, 24.0, 5.0])
    np.testing.assert_array_equal(given, [1.0, 2.0, 3.0, 4.0])


@PARTS
def test_a_gradient_that_two_tensors_share(part):
    a, b = tf.constant(X), tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        p, q = a * 1.0, b * 1.0
        some = part(p)
        both = p + q
    # The sum hands the same gradient to both.
    gradients = tape.gradient([both, some], [a, b], [tf.constant([1.0, 2.0, 3.0, 4.0]), None])
    np.testing.assert_array_equal(gradients[0], [1.0, 3.0, 4.0, 4.0])
    np.testing.assert_array_equal(gradients[1], [1.0, 2.0, 3.0, 4.0])


@PARTS
def test_second_order_through_joined_parts(part):
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * 1.0
            cubes = tf.reduce_sum(part(y) ** 3)
            fourth = tf.reduce_sum(y**4)
            total = cubes + fourth + tf.reduce_sum(part(y) ** 2)
        first = inner.gradient(total, x)
    inside = np.array([0.0, 1.0, 1.0, 0.0], "float32")
    np.testing.assert_allclose(first, 4 * X**3 + inside * (3 * X**2 + 2 * X), rtol=1e-5)
    np.testing.assert_allclose(
        outer.gradient(first, x), 12 * X**2 + inside * (6 * X + 2), rtol=1e-5
    )


@PARTS
def test_jacobians_through_joined_parts(part):
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * 1.0
            result = tf.concat([y**2, part(y) ** 3, part(y)], 0)
        jacobian = inner.jacobian(result, x)
        total = tf.reduce_sum(jacobian**2)
    expected = np.zeros((8, 4), "float32")
    expected[range(4), range(4)] = 2 * X
    expected[[4, 5], [1, 2]] = 3 * X[1:3] ** 2
    expected[[6, 7], [1, 2]] = 1
    np.testing.assert_allclose(jacobian, expected, rtol=1e-5)
    # The sum of the squares is 4 x^2 everywhere, and 9 x^4 inside.
    inside = np.array([0.0, 1.0, 1.0, 0.0], "float32")
    np.testing.assert_allclose(outer.gradient(total, x), 8 * X + inside * 36 * X**3, rtol=1e-5)


@pytest.mark.parametrize("kinds", [("int32", "int32"), ("int32", "int64"), ("int64", "int32")])
def test_sparse_gradients_are_joined(kinds):
    table = tf.Variable(tf.ones([5, 2]))
    with tf.GradientTape() as tape:
        rows = tf.gather(table, tf.constant([0, 3], kinds[0]))
        others = tf.gather(table, tf.constant([3, 4, 0], kinds[1]))
        total = tf.reduce_sum(rows) + 10.0 * tf.reduce_sum(others)
    gradient = tape.gradient(total, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert sorted(gradient.indices.numpy().tolist()) == [0, 0, 3, 3, 4]
    expected = [[11.0] * 2, [0.0] * 2, [0.0] * 2, [11.0] * 2, [10.0] * 2]
    np.testing.assert_array_equal(tf.convert_to_tensor(gradient), expected)
    optimizer = tf.keras.optimizers.SGD(1.0)
    optimizer.apply_gradients([(gradient, table)])
    np.testing.assert_array_equal(table, 1.0 - np.array(expected, "float32"))


@pytest.mark.parametrize("rank", [10, 11, 12])
def test_jacobians_through_as_many_axes_as_there_may_be(rank):
    x = tf.range(6.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reshape(tf.reshape(x, [1] * (rank - 2) + [2, 3]) ** 2, [6])
    np.testing.assert_array_equal(tape.jacobian(y, x), np.diag(2 * np.arange(6.0)))
