"""Derivatives within maps, and maps within maps: rows of rows run at once, also in functions."""

import numpy as np
import pytest

import eagerflow as tf

RANDOM = np.random.default_rng(0)
MATRIX = tf.constant(RANDOM.normal(size=(3, 4)), tf.float64)
POINTS = tf.constant(RANDOM.normal(size=(5, 4)), tf.float64)
OTHERS = tf.constant(RANDOM.normal(size=(2, 4)), tf.float64)


def number(x):
    return tf.reduce_sum(tf.tanh(MATRIX * x) * x)


def vector(x):
    return tf.tanh(tf.linalg.matvec(MATRIX, x)) * tf.reduce_sum(x)


def of_two(x, y):
    return tf.reduce_sum(tf.sin(x * y)) + tf.reduce_sum(x)


F = tf.func
DERIVATIVES = {
    "hessian": (F.hessian, number),
    "jacfwd of grad": (lambda f: F.jacfwd(F.grad(f)), number),
    "jacrev of grad": (lambda f: F.jacrev(F.grad(f)), number),
    "jacrev": (F.jacrev, vector),
    "jacfwd": (F.jacfwd, vector),
    "jacfwd of jacrev": (lambda f: F.jacfwd(F.jacrev(f)), vector),
    "jacrev of jacfwd": (lambda f: F.jacrev(F.jacfwd(f)), vector),
}
MODES = {
    "eager": lambda f: f,
    "traced": tf.function,
    "unknown": lambda f: tf.function(f, input_signature=[tf.TensorSpec([None, 4], tf.float64)]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_in_maps(name, mode):
    derive, function = DERIVATIVES[name]
    derived = derive(function)
    mapped = MODES[mode](tf.func.vmap(derived))
    expected = np.stack([derived(x).numpy() for x in POINTS])
    np.testing.assert_allclose(mapped(POINTS), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mapped(POINTS[:1]), expected[:1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mode", ["eager", "traced"])
def test_maps_in_maps(mode):
    """Each pair of two lists, and its gradients: what a row shares is repeated, or has rows too."""
    pairs = F.vmap(F.vmap(of_two, in_dims=(None, 0)), in_dims=(0, None))
    expected = np.array([[float(of_two(x, y)) for y in OTHERS] for x in POINTS])
    np.testing.assert_allclose(MODES[mode](pairs)(POINTS, OTHERS), expected, rtol=1e-9)
    slopes = F.vmap(F.vmap(F.grad(of_two), in_dims=(None, 0)), in_dims=(0, None))
    expected = [[F.grad(of_two)(x, y).numpy() for y in OTHERS] for x in POINTS]
    np.testing.assert_allclose(MODES[mode](slopes)(POINTS, OTHERS), expected, rtol=1e-9)
    thrice = F.vmap(F.vmap(F.hessian(of_two), in_dims=(None, 0)), in_dims=(0, None))
    expected = [[F.hessian(of_two)(x, y).numpy() for y in OTHERS] for x in POINTS]
    np.testing.assert_allclose(MODES[mode](thrice)(POINTS, OTHERS), expected, rtol=1e-9)


@pytest.mark.parametrize("mode", ["eager", "traced"])
def test_gradients_through_maps_of_derivatives(mode):
    def total(points):
        return tf.reduce_sum(tf.sin(F.vmap(F.jacrev(vector))(points)))

    def one_by_one(points):
        return tf.add_n([tf.reduce_sum(tf.sin(F.jacrev(vector)(x))) for x in tf.unstack(points)])

    found = MODES[mode](F.grad(total))(POINTS)
    np.testing.assert_allclose(found, F.grad(one_by_one)(POINTS), rtol=1e-9)


def test_many_rows_run_in_parts():
    points = tf.constant(RANDOM.normal(size=(300, 64)), tf.float32)
    weights = tf.constant(RANDOM.normal(size=(64, 64)), tf.float32)

    def energy(x):
        return tf.reduce_sum(tf.tanh(weights * x))

    found = tf.function(F.vmap(F.hessian(energy)))(points)
    for k in (0, 137, 299):
        np.testing.assert_allclose(found[k], F.hessian(energy)(points[k]), rtol=1e-4, atol=1e-4)


def test_no_loop_is_left():
    for name, (derive, function) in DERIVATIVES.items():
        if name in ("jacrev of jacfwd", "jacfwd of jacrev"):
            continue  # their rows read the tape of other rows
        traced = tf.function(F.vmap(derive(function))).get_concrete_function(POINTS)
        assert "While" not in str([op.type for op in traced.graph.get_operations()]), name
