"""Gradients in saved functions, whose sizes or ranks are unknown."""

import numpy as np
import pytest

import eagerflow as tf
from saved_model import gradients


@pytest.mark.parametrize(
    ("name", "order"),
    [(name, order) for order in (1, 2) for name in gradients.names(tf, order)],
)
def test_gradients_of_unknown_sizes_come_back(tmp_path, name, order):
    module = gradients.make(tf, order)
    only = tf.Module()
    only.gradient = getattr(module, name)
    tf.saved_model.save(only, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    found = loaded.gradient(tf.constant(gradients.X), tf.constant(gradients.N))
    expected = gradients.expected(tf, name, order)
    rtol, atol = (1e-5, 1e-6) if order == 1 else (1e-4, 1e-5)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize(
    "name", [name for name in gradients.names(tf) if name not in gradients.RANKED]
)
def test_gradients_of_unknown_ranks_come_back(tmp_path, name):
    only = tf.Module()
    only.gradient = getattr(gradients.make(tf, ranked=False), name)
    tf.saved_model.save(only, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    found = loaded.gradient(tf.constant(gradients.X), tf.constant(gradients.N))
    np.testing.assert_allclose(found, gradients.expected(tf, name), rtol=1e-5, atol=1e-6)


def _jacobian_of_rows(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x**3, 1)
    return tape.batch_jacobian(tf.stack([y, 2.0 * y], 1), x)


def _hessian(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_mean(tf.tanh(x) * tf.reduce_sum(x**2, 0))
        slope = inner.gradient(y, x)
    return outer.jacobian(slope, x)


def _rows_by_a_map(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(lambda row: tf.tensordot(row, row, 1) * tf.tanh(row), x)
    return y, tape.gradient(y, x)


def _outer_operations_in_a_loop(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(x) * tf.reduce_sum(x, 1, keepdims=True)
    total = tf.zeros_like(x)
    for k in tf.range(2):
        total += tape.gradient(y, x) * tf.cast(k + 1, tf.float32)
    return total


@tf.function
def _penalty(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sin(x) * x)
    return tf.reduce_sum(tf.square(tape.gradient(y, x)))


def _gradient_of_a_call_with_a_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = _penalty(x)
    return tape.gradient(y, x)


def _third_derivative(x):
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.sin(x) * x, lambda: x)
            slope = first.gradient(y, x)
        slope = second.gradient(slope, x)
    return third.gradient(slope, x)


def _product_with_zeros(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = [tf.reduce_prod(x - x[0, 0], axis) for axis in (None, 0, [-1])]
    return tape.gradient(y, x)


@tf.custom_gradient
def _cubed(x):
    return x**3, lambda dy: dy * 3.0 * x**2


def _gradient_of_a_custom_one(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = _cubed(tf.sin(x))
    return tape.gradient(y, x)


def _elements_of_batches(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather_nd(x, [[[2], [0]], [[1], [1]]], batch_dims=1) ** 2
    return tape.gradient(y, x)


@pytest.mark.parametrize(
    "function",
    [
        _hessian, _jacobian_of_rows, _rows_by_a_map, _outer_operations_in_a_loop, _third_derivative,
        _gradient_of_a_call_with_a_gradient, _product_with_zeros, _elements_of_batches,
        _gradient_of_a_custom_one,
    ],
)  # fmt: skip
def test_gradients_in_functions_of_unknown_sizes_come_back(tmp_path, function):
    module = tf.Module()
    module.f = tf.function(function, input_signature=[tf.TensorSpec([None, 3])])
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    x = tf.constant(gradients.X)
    for found, expected in zip(
        tf.nest.flatten(loaded.f(x)), tf.nest.flatten(module.f(x)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
