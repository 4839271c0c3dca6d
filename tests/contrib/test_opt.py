"""tf.contrib.opt: update rules against their formulas, at once and in sessions."""

import math

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.contrib import opt

v1 = tf.compat.v1
START = np.array([1.0, 2.0, 3.0])
GRADIENTS = np.array([[0.5, -1.0, 2.0], [-0.5, -2.0, 1.0], [0.25, 3.0, -1.0]])


def at_once(make):
    variable, optimizer = v1.Variable(START.astype(np.float32)), make()
    for gradient in GRADIENTS:
        optimizer.apply_gradients([(tf.constant(gradient, tf.float32), variable)])
    return variable.numpy()


def in_a_session(make):
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.get_variable("v", initializer=START.astype(np.float32))
        gradient = v1.placeholder(tf.float32, [3])
        step = make().apply_gradients([(gradient, variable)])
        session.run(v1.global_variables_initializer())
        for value in GRADIENTS:
            session.run(step, {gradient: value})
        return session.run(variable)


def moments(gradients):
    """Adam's first and second moment after each step."""
    first = second = 0.0
    for gradient in gradients:
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        yield first, second


def adam(value, decay=0.0, ahead=False):
    for k, (first, second) in enumerate(moments(GRADIENTS), 1):
        if ahead:
            first = 0.9 * first + 0.1 * GRADIENTS[k - 1]
        rate = 0.1 * math.sqrt(1 - 0.999**k) / (1 - 0.9**k)
        value = value - decay * value
        value = value - rate * first / (np.sqrt(second) + 1e-8)
    return value


def momentum(value, decay=0.0):
    sums = 0.0
    for gradient in GRADIENTS:
        sums = 0.9 * sums + gradient
        value = value - decay * value - 0.1 * sums
    return value


def ada_max(value):
    largest = 0.0
    for k, (first, _) in enumerate(moments(GRADIENTS), 1):
        largest = np.maximum(0.999 * largest, np.abs(GRADIENTS[k - 1]))
        value = value - 0.1 / (1 - 0.9**k) * first / (largest + 1e-8)
    return value


def lars(value):
    sums = 0.0
    for gradient in GRADIENTS:
        of_value, of_gradient = np.linalg.norm(value), np.linalg.norm(gradient)
        scale = 0.001 * of_value / (of_gradient + 1e-4 * of_value)
        sums = 0.9 * sums + scale * (gradient + 1e-4 * value)
        value = value - 0.1 * sums
    return value


def by_signs(factor):
    def update(value):
        for gradient, (first, _) in zip(GRADIENTS, moments(GRADIENTS), strict=True):
            value = value - 0.1 * factor(np.sign(gradient) * np.sign(first)) * gradient
        return value

    return update


@pytest.mark.parametrize("way", [at_once, in_a_session])
@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: opt.AdamWOptimizer(0.2, 0.1), lambda x: adam(x, decay=0.2)),
        (lambda: opt.MomentumWOptimizer(0.2, 0.1, 0.9), lambda x: momentum(x, decay=0.2)),
        (lambda: opt.NadamOptimizer(0.1), lambda x: adam(x, ahead=True)),
        (lambda: opt.LazyAdamOptimizer(0.1), adam),
        (lambda: opt.AdaMaxOptimizer(0.1), ada_max),
        (lambda: opt.LARSOptimizer(0.1), lars),
        (lambda: opt.LARSOptimizer(0.1, skip_list=["v", "Var"]), momentum),
        (lambda: opt.PowerSignOptimizer(0.1), by_signs(np.exp)),
        (lambda: opt.AddSignOptimizer(0.1, alpha=2.0), by_signs(lambda agree: 2.0 + agree)),
    ],
)
def test_updates(way, make, expected):
    np.testing.assert_allclose(way(make), expected(START), rtol=2e-5)


def test_only_chosen_variables_decay():
    kept, decayed = v1.Variable(1.0, name="kept"), v1.Variable(1.0, name="decayed")
    optimizer = opt.MomentumWOptimizer(0.5, learning_rate=0.0, momentum=0.9)
    optimizer.minimize(lambda: kept * decayed, decay_var_list=[decayed])
    assert (float(kept), float(decayed)) == (1.0, 0.5)


def test_lazy_adam_leaves_other_rows_alone():
    variable, optimizer = v1.Variable(np.ones([3, 2], np.float32)), opt.LazyAdamOptimizer(0.1)
    for row in 1, 2:
        rows = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([row, row]))
        optimizer.apply_gradients([(rows, variable)])
    first = optimizer.get_slot(variable, "m").numpy()
    np.testing.assert_allclose(first, [[0, 0], [0.2, 0.2], [0.2, 0.2]], rtol=1e-5)


def test_signs_decay_with_the_step():
    step = v1.train.get_or_create_global_step()
    step.assign(0)
    variable = v1.Variable(1.0)
    optimizer = opt.AddSignOptimizer(0.1, sign_decay_fn=lambda step: 0.0)
    optimizer.minimize(lambda: variable * 1.0, global_step=step)
    np.testing.assert_allclose(variable, 0.9, rtol=1e-6)
    with pytest.raises(ValueError, match="global_step"):
        optimizer.minimize(lambda: variable * 1.0)


def test_averages_and_their_saver(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 2.0])
        descent = v1.train.GradientDescentOptimizer(0.5)
        optimizer = opt.MovingAverageOptimizer(descent, average_decay=0.5)
        with pytest.raises(RuntimeError, match="apply_gradients"):
            optimizer.swapping_saver()
        step = optimizer.minimize(tf.reduce_sum(v))
        saver = optimizer.swapping_saver()
        session.run(v1.global_variables_initializer())
        session.run(step)
        session.run(step)
        assert session.run(v).tolist() == [0.0, 1.0]
        assert session.run(optimizer.average(v)).tolist() == [0.375, 1.375]
        path = saver.save(session, str(tmp_path / "averages"))
        assert tf.train.load_variable(path, "v").tolist() == [0.375, 1.375]
        saver.restore(session, path)
        assert session.run(v).tolist() == [0.0, 1.0]


def test_scipy_minimises_losses_of_graphs():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.get_variable("x", initializer=[0.0, 0.0])
        target = v1.placeholder(tf.float32, [2])
        loss = tf.reduce_sum((x - target) ** 2)
        bounded = opt.ScipyOptimizerInterface(loss, var_to_bounds={x: ([0.0, 0.0], [1.0, 9.0])})
        constrained = opt.ScipyOptimizerInterface(
            loss, equalities=[x[0] - x[1]], inequalities=[3.0 - x[0]], method="SLSQP"
        )
        session.run(v1.global_variables_initializer())
        losses = []
        bounded.minimize(session, {target: [3.0, 4.0]}, [loss], loss_callback=losses.append)
        np.testing.assert_allclose(session.run(x), [1.0, 4.0], atol=1e-4)
        assert losses[0] == 25.0 and losses[-1] < 4.1
        constrained.minimize(session, {target: [4.0, 8.0]})
        np.testing.assert_allclose(session.run(x), [3.0, 3.0], atol=1e-4)


def test_variables_within_a_norm():
    start = np.array([[3.0, 4.0], [0.1, 0.2]], np.float32)

    def make(v):
        descent = v1.train.MomentumOptimizer(0.1, 0.9)
        return opt.VariableClippingOptimizer(descent, {v.ref(): [1]}, 1.0)

    def limited(x):
        return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0)

    expected = limited(start - 0.1)
    expected = limited(expected - 0.1 * 1.9)
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=start)
        optimizer = make(v)
        step = optimizer.minimize(tf.reduce_sum(v))
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(step)
        np.testing.assert_allclose(session.run(v), expected, rtol=1e-5)
        assert optimizer.get_slot_names() == ["momentum"]
        assert optimizer.get_slot(v, "momentum") is not None
    v = v1.Variable(start)
    optimizer = make(v)
    for _ in range(2):
        optimizer.minimize(lambda: tf.reduce_sum(v))
    np.testing.assert_allclose(v, expected, rtol=1e-5)
