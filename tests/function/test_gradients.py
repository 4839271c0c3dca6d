"""Derivatives of traced functions: the same ones as of the same programs run eagerly."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.functions.function import function

X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
WEIGHTS = tf.Variable([[1.0, -1.0, 0.5], [0.5, 2.0, 1.0]])
BIAS = tf.Variable([0.1, 0.2, 0.3])
UNKNOWN_SIZES = [tf.TensorSpec([None, None], tf.float32)]
UNKNOWN_RANK = [tf.TensorSpec(None, tf.float32)]


def loss(x):
    return tf.reduce_mean(tf.tanh(tf.matmul(x, WEIGHTS) + BIAS) ** 2)


def first(x, f):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = f(x)
    return tape.gradient(value, [x, WEIGHTS, BIAS])


def second(x, f):
    with tf.GradientTape() as tape:
        tape.watch(x)
        by_x, by_weights, _ = first(x, f)
        value = tf.reduce_sum(by_x * by_x) + tf.reduce_sum(by_weights**3)
    return tape.gradient(value, [x, WEIGHTS, BIAS])


def third(x, f):
    with tf.GradientTape() as tape:
        tape.watch(x)
        by_x, by_weights, _ = second(x, f)
        value = tf.reduce_sum(by_x) + tf.reduce_sum(by_weights * by_weights)
    return tape.gradient(value, [x, WEIGHTS, BIAS])


def jacobians(x, f):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.matmul(x, WEIGHTS) * f(x)
    return [*tape.jacobian(y, [x, WEIGHTS]), tape.batch_jacobian(tf.tanh(y), x)]


def after_jacobian(x, f):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) * tf.reduce_sum(x, axis=1)
        jacobian = tape.jacobian(y, x)
        value = tf.reduce_sum(jacobian * jacobian)
    return outer.gradient(value, [x, WEIGHTS])


def forward(x, f):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = f(x)
    return [accumulator.jvp(y)]


def forward_over_backward(x, f):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        gradients = first(x, f)
    return accumulator.jvp(gradients)


def check(results, expected):
    assert len(results) == len(expected)
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_allclose(result.numpy(), value.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("called", ["inside", "traced", "outside"])
@pytest.mark.parametrize("signature", [None, UNKNOWN_SIZES, UNKNOWN_RANK])
@pytest.mark.parametrize(
    "derive",
    [first, second, third, jacobians, after_jacobian, forward, forward_over_backward],
    ids=lambda derive: derive.__name__,
)
def test_derivatives_are_those_of_the_eager_program(derive, signature, called):
    if derive in (jacobians, after_jacobian) and signature is UNKNOWN_RANK and called != "outside":
        pytest.skip("Jacobians need a rank.")
    expected = derive(X, loss)
    f = loss if called == "inside" else function(loss, input_signature=signature)
    if called == "outside":
        return check(derive(X, f), expected)
    whole = function(lambda x: derive(x, f), input_signature=signature)
    check(whole(X), expected)


def test_a_call_runs_once_although_it_is_differentiated():
    count = tf.Variable(0)

    @function
    def noisy(x):
        count.assign_add(1)
        return loss(x)

    check(function(lambda x: first(x, noisy))(X), first(X, loss))
    assert int(count) == 1
    check(function(lambda x: third(x, noisy))(X), third(X, loss))
    assert int(count) == 2
