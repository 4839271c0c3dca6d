"""What optimizers and layers keep in graphs: slots, weights, and what a Saver finds of them."""

import numpy as np
import pytest

import eagerflow as tf2
from eagerflow.framework import context
from eagerflow_compat.dropin.recognise import generation_of

tf = tf2.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_slots_are_variables_of_the_graph():
    v = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(v * v)
    adam = tf.train.AdamOptimizer(0.1)
    adam.minimize(loss)
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    tf.train.RMSPropOptimizer(0.1, centered=True).minimize(loss)
    names = "w beta1_power beta2_power w/Adam w/Adam_1 w/Momentum w/RMSProp w/RMSProp_1 w/RMSProp_2"
    assert [x.op.name for x in tf.global_variables()] == names.split()
    assert adam.get_slot(v, "v").op.name == "w/Adam_1"
    assert [x.op.name for x in adam.variables()] == names.split()[1:5]
    assert [x.op.name for x in tf.trainable_variables()] == ["w"]


def test_training_goes_on_from_a_checkpoint(tmp_path):
    v = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    rate = tf.placeholder(tf.float32, [])
    step = tf.train.get_or_create_global_step()
    adam = tf.train.AdamOptimizer(rate)
    train = adam.minimize(tf.reduce_sum(v * v), global_step=step)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train, {rate: 0.1})
        # Recorded from TensorFlow 2.21.
        found = session.run([v, adam.get_slot(v, "m"), adam.get_slot(v, "v")])
        np.testing.assert_allclose(
            found, [[0.7015873] * 2, [0.48408264] * 2, [0.00979128] * 2], rtol=1e-5
        )
        path = saver.save(session, str(tmp_path / "model"))
        session.run(train, {rate: 0.1})
        expected = session.run(v)
    with tf.Session() as session:
        saver.restore(session, path)
        session.run(train, {rate: 0.1})
        np.testing.assert_array_equal(session.run(v), expected)
        assert session.run(step) == 4


def test_keras_layers_make_variables_of_the_graph():
    x = tf.placeholder(tf.float32, [None, 4])
    hidden = tf2.keras.layers.Dense(8, activation="relu")(x)
    hidden = tf2.keras.layers.BatchNormalization()(hidden, training=True)
    layer = tf2.keras.layers.Dense(3)
    logits = layer(hidden)
    assert logits.shape.as_list() == [None, 3]
    names = [v.op.name.split("/")[1] for v in tf.trainable_variables()]
    assert names == ["kernel", "bias", "gamma", "beta", "kernel", "bias"]
    assert layer.trainable_weights == tf.trainable_variables()[-2:]
    labels = tf.placeholder(tf.int64, [None])
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feeds = {x: np.eye(4), labels: [0, 1, 2, 0]}
        before = session.run(loss, feeds)
        for _ in range(60):
            session.run(train, feeds)
        assert session.run(loss, feeds) < before / 2


def test_a_layer_of_layers_in_a_graph():
    class Block(tf2.keras.layers.Layer):
        def __init__(self):
            super().__init__(name="block")
            self.first = tf2.keras.layers.Dense(2, name="first")

        def build(self, shape):
            self.scale = self.add_weight("scale", [2], initializer="ones")

        def call(self, x):
            return self.first(x) * self.scale

    x = tf.placeholder(tf.float32, [None, 3])
    block = Block()
    y = block(x)
    assert [v.op.name for v in tf.global_variables()] == [
        "block/scale",
        "block/first/kernel",
        "block/first/bias",
    ]
    (by_scale,) = tf.gradients(y, [block.scale])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        value, gradient = session.run([y, by_scale], {x: np.ones((5, 3))})
        np.testing.assert_allclose(gradient, value.sum(0), rtol=1e-5)


def test_modules_own_names_do_not_decide_the_generation():
    assert generation_of("import tensorflow as tf\nprint(tf.__version__)\ntf.Session()") == "1.x"
    assert generation_of("import tensorflow as tf\nprint(tf.__version__)") == "2.x"


def test_keras_knows_the_programs_session():
    backend = tf.keras.backend
    with tf.Session() as session:
        assert backend.get_session() is session
    made = tf.Session()
    backend.set_session(made)
    assert backend.get_session() is made


def test_layers_follow_the_graphs_seed_in_version_1s_behaviour(monkeypatch):
    monkeypatch.setattr(context.process, "version_2", False)

    def weights():
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(5)
            x = tf.placeholder(tf.float32, [None, 3])
            tf2.keras.layers.Dense(2)(tf.layers.dense(x, 4))
            session.run(tf.global_variables_initializer())
            return [value.tolist() for value in session.run(tf.trainable_variables())]

    first = weights()
    assert first == weights()
    assert first[0][0] != first[2][0]


@pytest.mark.parametrize("rows", [False, True])
def test_raw_updates_change_all_variables_of_a_session(rows):
    with tf.Session() as session:
        variable, accumulator = tf2.Variable([[1.0], [2.0]]), tf2.Variable([[0.0], [0.0]])
        given = {"var": variable.handle, "accum": accumulator.handle, "lr": 1.0, "momentum": 0.5}
        if rows:
            update = tf2.raw_ops.ResourceSparseApplyMomentum(grad=[[1.0]], indices=[1], **given)
        else:
            update = tf2.raw_ops.ResourceApplyMomentum(grad=[[0.0], [1.0]], **given)
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run(update)
        assert session.run(accumulator).tolist() == [[0.0], [1.5]]
        assert session.run(variable).tolist() == [[1.0], [-0.5]]
