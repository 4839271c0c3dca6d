"""Moving averages in graphs of version 1, and custom getters that use them."""

import numpy as np
import pytest

import eagerflow
from eagerflow.compat import v1 as tf


@pytest.fixture(autouse=True)
def _graph():
    with eagerflow.Graph().as_default():
        yield


def test_apply_is_an_operation_that_moves_shadows():
    v = tf.get_variable("v", initializer=[1.0, 3.0])
    ema = tf.train.ExponentialMovingAverage(0.9)
    move = ema.apply()
    assert ema.average(v).name == "v/ExponentialMovingAverage:0"
    assert tf.moving_average_variables() == [v]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(v.assign([2.0, 2.0]))
        np.testing.assert_allclose(session.run(ema.average(v)), [1.0, 3.0])
        session.run(move)
        np.testing.assert_allclose(session.run(ema.average(v)), [1.1, 2.9], rtol=1e-6)


def test_count_of_updates_lowers_the_decay():
    step = tf.train.get_or_create_global_step()
    v = tf.get_variable("v", initializer=0.0)
    move = tf.train.ExponentialMovingAverage(0.99, step)
    op = move.apply([v])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([v.assign(1.0), step.assign(2)])
        session.run(op)
        # The decay is (1 + 2) / (10 + 2).
        np.testing.assert_allclose(session.run(move.average(v)), 0.75)


@pytest.mark.parametrize(("debias", "expected"), [(True, [4.0, 10 / 3]), (False, [2.0, 2.5])])
def test_tensors_start_at_zero(debias, expected):
    x = tf.placeholder(tf.float32, [])
    loss = x * 1.0
    ema = tf.train.ExponentialMovingAverage(0.5, zero_debias=debias)
    op = ema.apply([loss])
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (4.0, 3.0):
            session.run(op, {x: value})
            found.append(session.run(ema.average(loss)))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_custom_getter_of_a_scope_swaps_variables_for_their_averages():
    def net(x, reuse=None, getter=None):
        with tf.variable_scope("net", reuse=reuse, custom_getter=getter):
            return tf.layers.dense(x, 1, use_bias=False, kernel_initializer=tf.ones_initializer())

    x = tf.constant([[1.0, 2.0]])
    with tf.variable_scope("all"):
        plain = net(x)
        weights = tf.trainable_variables("all/net")
        ema = tf.train.ExponentialMovingAverage(0.5)
        move = ema.apply(weights)
    asked = []

    def averaged(getter, name, *args, **kwargs):
        asked.append(name)
        return ema.average(getter(name, *args, **kwargs))

    with tf.variable_scope("all", reuse=True):
        slow = net(x, True, averaged)
    assert asked == ["all/net/dense/kernel"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(weights[0].assign([[3.0], [3.0]]))
        session.run(move)
        found = session.run([plain, slow])
    np.testing.assert_allclose(np.ravel(found), [9.0, 6.0])


def test_custom_getters_nest():
    def named(word):
        def getter(getter, name, *args, **kwargs):
            order.append(word)
            return getter(name, *args, **kwargs)

        return getter

    order = []
    with tf.variable_scope("a", custom_getter=named("outer")):
        with tf.variable_scope("b", custom_getter=named("inner")):
            v = tf.get_variable("v", [2], custom_getter=named("own"))
    assert v.name == "a/b/v:0"
    assert order == ["own", "inner", "outer"]


def test_restoring_averages_in_place_of_variables(tmp_path):
    v = tf.get_variable("v", initializer=1.0)
    w = tf.get_variable("w", initializer=5.0, trainable=False)
    ema = tf.train.ExponentialMovingAverage(0.5)
    move = ema.apply([v])
    names = ema.variables_to_restore()
    assert names["v/ExponentialMovingAverage"] is v
    assert names["w"] is w
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(v.assign(3.0))
        session.run(move)
        path = tf.train.Saver().save(session, str(tmp_path / "ck"))
        tf.train.Saver(names).restore(session, path)
        assert session.run(v) == 2.0


def test_only_floating_variables_have_averages():
    v = tf.get_variable("v", initializer=1)
    with pytest.raises(TypeError, match="half, float, or double: v:0"):
        tf.train.ExponentialMovingAverage(0.5).apply([v])


def test_a_closed_session_gives_the_graph_back():
    v = tf.get_variable("v", initializer=1.0)
    with tf.train.MonitoredSession() as session:
        with pytest.raises(RuntimeError, match="finalized"):
            tf.identity(v)
        assert session.run(v) == 1.0
    assert tf.identity(v).shape == []
