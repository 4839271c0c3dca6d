"""Batch normalization in graphs: the operations that move averages, and what runs them."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1
X = [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]
ONCE, TWICE = [0.02, 0.03, 0.04], [0.0398, 0.0597, 0.0796]


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def normalized(training):
    x = v1.placeholder(tf.float32, [None, 3])
    y = v1.layers.batch_normalization(x, training=training)
    mean = next(v for v in v1.global_variables() if "moving_mean" in v.name)
    return x, y, mean, v1.get_collection(v1.GraphKeys.UPDATE_OPS)


@pytest.mark.parametrize("fed", [False, True])
def test_averages_move_with_the_update_ops(session, fed):
    training = v1.placeholder_with_default(True, []) if fed else True
    x, y, mean, updates = normalized(training)
    assert len(updates) == 2 and all(isinstance(op, v1.Operation) for op in updates)
    session.run(v1.global_variables_initializer())
    session.run(y, {x: X})
    assert session.run(mean).tolist() == [0.0, 0.0, 0.0]
    session.run([y, updates], {x: X})
    np.testing.assert_allclose(session.run(mean), ONCE, rtol=1e-5)
    if fed:
        session.run(updates, {x: X, training: False})
        np.testing.assert_allclose(session.run(mean), ONCE, rtol=1e-5)
    with tf.control_dependencies(updates):
        waits = tf.identity(y)
    session.run(waits, {x: X})
    np.testing.assert_allclose(session.run(mean), TWICE, rtol=1e-5)


def test_layers_that_do_not_train_have_none(session):
    assert normalized(False)[3] == []


def test_a_program_with_a_switch_trains_and_is_saved(session, tmp_path):
    training = v1.placeholder_with_default(False, [])
    x, y, mean, updates = normalized(training)
    loss = tf.reduce_mean(
        tf.square(v1.layers.dense(v1.layers.dropout(y, 0.1, training=training), 1))
    )
    with tf.control_dependencies(updates):
        train = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    session.run(v1.global_variables_initializer())
    saver = v1.train.Saver()
    path = saver.save(session, str(tmp_path / "model"))
    before = session.run(loss, {x: X})
    for _ in range(3):
        session.run(train, {x: X, training: True})
    assert session.run(mean)[0] > 0.05
    saver.restore(session, path)
    assert session.run(mean).tolist() == [0.0, 0.0, 0.0]
    assert session.run(loss, {x: X}) == before
    with tf.Graph().as_default(), v1.Session() as other:
        v1.train.import_meta_graph(f"{path}.meta").restore(other, path)
        found = other.run(loss.name, {x.name: X})
    np.testing.assert_allclose(found, before, rtol=1e-6)


def test_functions_move_averages_at_once():
    layer = v1.layers.BatchNormalization()
    function = tf.function(lambda x: layer(x, training=True))
    function(tf.constant(X))
    np.testing.assert_allclose(layer.moving_mean, ONCE, rtol=1e-5)


def test_loops_return_lists_or_tuples(session):
    def run(values, body):
        return type(v1.while_loop(lambda i, a: i < 3, body, values))

    zero, one = tf.constant(0), tf.constant(1.0)
    as_tuple, as_list = (lambda i, a: (i + 1, a)), (lambda i, a: [i + 1, a])
    assert [run([zero, one], as_tuple), run((zero, one), as_list)] == [list, tuple]
    v1.disable_control_flow_v2()
    try:
        assert [run([zero, one], as_tuple), run((zero, one), as_list)] == [tuple, list]
    finally:
        v1.enable_control_flow_v2()
