"""Derivatives of derivatives in functions whose sizes are known, unknown, or not even their rank."""

import itertools

import numpy as np
import pytest

import eagerflow as tf


def forward(f):
    return lambda x: tf.func.jvp(f, (x,), (tf.ones_like(x),))[1]


def backward(f):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return slope


def by_columns(f):
    return lambda x: tf.reduce_sum(tf.func.jacfwd(f)(x), -1)


def by_rows(f):
    return lambda x: tf.reduce_sum(tf.func.jacrev(f)(x), -1)


WAYS = (forward, backward, by_columns, by_rows)
# Functions with several paths from the argument to the result, and their third derivatives.
FUNCTIONS = {
    "cube": (lambda x: x * x * x, lambda x: 6 + 0 * x),
    "square": (lambda x: tf.square(x) * x, lambda x: 6 + 0 * x),
    "sine": (lambda x: tf.sin(x) * x, lambda x: -3 * np.sin(x) - x * np.cos(x)),
    "both": (
        lambda x: tf.sin(x) * tf.exp(x),
        lambda x: 2 * np.exp(x) * (np.cos(x) - np.sin(x)),
    ),
}


@pytest.mark.parametrize("shape", [[3], [None]])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("ways", list(itertools.product(WAYS, repeat=3)))
def test_each_path_is_counted_once(ways, name, shape):
    f, expected = FUNCTIONS[name]
    for way in ways:
        f = way(f)
    x = np.array([1.0, 2.0, 3.0])
    traced = tf.function(f, input_signature=[tf.TensorSpec(shape, tf.float64)], autograph=False)
    np.testing.assert_allclose(traced(x), expected(x), rtol=1e-9, atol=1e-9)
