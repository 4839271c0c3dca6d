"""The gradient functions of tf.contrib.eager."""

import numpy as np
import pytest

import eagerflow as tf
import eagerflow.contrib.eager as tfe


def numbers(tensors):
    return [tensor.numpy().tolist() for tensor in tensors]


def test_integers_are_differentiated():
    (gradient,) = tfe.gradients_function(lambda x: x * x)(3)
    assert gradient.dtype == tf.int32 and gradient.numpy() == 6
    assert numbers(tfe.gradients_function(lambda x, y, z: x * y * z)(3, 4, 5)) == [20, 15, 12]
    value, gradients = tfe.value_and_gradients_function(lambda x: x**2)(4)
    assert value.dtype == tf.int32 and value.numpy() == 16 and numbers(gradients) == [8]


def test_higher_orders():
    first = tfe.gradients_function(lambda x: x * x * x)
    second = tfe.gradients_function(lambda x: first(x)[0])
    third = tfe.gradients_function(lambda x: second(x)[0])
    assert [g(2.0)[0].numpy() for g in (first, second, third)] == [12.0, 12.0, 6.0]


def test_parameters_can_be_chosen():
    def f(x, y):
        return x * x * y

    assert numbers(tfe.gradients_function(f, params=["y"])(3.0, 2.0)) == [9.0]
    assert numbers(tfe.gradients_function(f, params=[1, 0])(3.0, 2.0)) == [9.0, 12.0]
    assert numbers(tfe.gradients_function(f)(3.0, y=2.0)) == [12.0, 9.0]
    with pytest.raises(ValueError, match="not a parameter"):
        tfe.gradients_function(f, params=["z"])(1.0, 1.0)
    with pytest.raises(ValueError, match="all strings or all integers"):
        tfe.gradients_function(f, params=[1.5])


def test_unconnected_arguments_give_zeros_and_dy_weighs():
    f = tfe.gradients_function(lambda x, y: x * 2.0)
    assert numbers(f([1.0, 2.0], [3.0, 4.0])) == [[2.0, 2.0], [0.0, 0.0]]
    weighed = f([1.0, 2.0], 3.0, dy=tf.constant([1.0, 10.0]))
    assert numbers(weighed) == [[2.0, 20.0], 0.0]


def test_several_outputs_add_up():
    f = tfe.gradients_function(lambda x: [x * x, 3.0 * x])
    assert numbers(f(2.0)) == [7.0]
    assert numbers(f(2.0, dy=[1.0, 2.0])) == [10.0]


def test_implicit_gradients():
    v, w = tfe.Variable(2.0, name="v"), tfe.Variable(5.0, name="w")
    frozen = tfe.Variable(1.0, trainable=False)

    def f(x):
        return v * v * x + w * frozen

    pairs = tfe.implicit_gradients(f)(3.0)
    assert [(g.numpy(), variable is u) for (g, variable), u in zip(pairs, (v, w), strict=True)] == [
        (12.0, True),
        (1.0, True),
    ]
    value, pairs = tfe.implicit_value_and_gradients(f)(3.0)
    assert value.numpy() == 17.0
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
    optimizer.apply_gradients(pairs)
    np.testing.assert_allclose([v.numpy(), w.numpy()], [0.8, 4.9], rtol=1e-6)


def test_functions_without_variables_or_values():
    with pytest.raises(ValueError, match="No trainable variables"):
        tfe.implicit_gradients(lambda: tf.constant(1.0))()
    with pytest.raises(ValueError, match="returns None"):
        tfe.gradients_function(lambda x: None)(1.0)
    with pytest.raises(ValueError, match="returns None"):
        tfe.implicit_gradients(lambda: None)()


def test_make_vjp():
    value, vjp = tfe.make_vjp(lambda x: x * x)(3.0)
    assert value.numpy() == 9.0
    assert numbers(vjp()) == [6.0] and numbers(vjp(2.0)) == [12.0]


def test_custom_gradient_inside():
    @tfe.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    gradient = tfe.gradients_function(log1pexp)
    assert gradient(0.0)[0].numpy() == 0.5
    assert gradient(100.0)[0].numpy() == 1.0
