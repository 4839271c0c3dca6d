"""tf.layers, tf.losses, tf.nn and variable scopes of version 1, eagerly and in graphs."""

import numpy as np
import pytest

import eagerflow
import eagerflow.compat.v1 as tf


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_layers_run_eagerly():
    layer = tf.layers.Dense(2)
    assert layer(tf.ones([3, 4])).shape == (3, 2)
    assert [v.name.split("/")[-1] for v in layer.variables] == ["kernel:0", "bias:0"]
    assert tf.layers.dense(tf.ones([3, 4]), 5, activation=tf.nn.relu).shape == (3, 5)
    assert tf.layers.flatten(tf.ones([2, 3, 4])).shape == (2, 12)
    dropped = tf.layers.dropout(tf.ones([100]), 0.5, training=True).numpy()
    assert set(dropped) == {0.0, 2.0}
    assert (tf.layers.dropout(tf.ones([100])).numpy() == 1.0).all()


def test_layers_in_graphs_have_scoped_variables(graph):
    x = tf.placeholder(tf.float32, [None, 4])
    first = tf.layers.dense(x, 3)
    second = tf.layers.dense(first, 3)
    named = tf.layers.dense(second, 2, name="out", use_bias=False)
    assert named.shape.as_list() == [None, 2]
    assert [v.name for v in tf.trainable_variables()] == [
        "dense/kernel:0",
        "dense/bias:0",
        "dense_1/kernel:0",
        "dense_1/bias:0",
        "out/kernel:0",
    ]
    tf.layers.dense(second, 2, name="out", use_bias=False, reuse=True)
    assert len(tf.trainable_variables()) == 5
    with pytest.raises(ValueError, match="already exists"):
        tf.layers.dense(second, 2, name="out", use_bias=False)


def test_a_network_with_every_kind_of_layer_learns(graph):
    tf.set_random_seed(1)
    rng = np.random.RandomState(0)
    images = rng.uniform(size=(48, 8, 8, 1))
    labels = (images[:, :4].mean((1, 2, 3)) > images[:, 4:].mean((1, 2, 3))).astype(np.int64)
    x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int64, [None])
    training = tf.placeholder(tf.bool, [])
    h = tf.layers.conv2d(x, 6, 3, activation=tf.nn.relu, name="conv")
    h = tf.layers.batch_normalization(h, training=training)
    h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.dropout(tf.layers.flatten(h), 0.1, training=training)
    logits = tf.layers.dense(h, 2)
    assert h.shape.as_list() == [None, 54] and logits.shape.as_list() == [None, 2]
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    assert tf.losses.get_losses() == [loss]
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer(0.02).minimize(loss)
    (moving,) = (v for v in tf.global_variables() if "moving_mean" in v.name)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(moving)
        feed = {x: images, y: labels, training: True}
        losses = [session.run([loss, train], feed)[0] for _ in range(60)]
        assert losses[-1] < 0.5 * losses[0]
        assert (session.run(moving) != before).any()
        feed[training] = False
        assert session.run(loss, feed) == session.run(loss, feed)


def test_variables_are_shared_by_name(graph):
    with tf.variable_scope("a", initializer=tf.constant_initializer(3.0)) as scope:
        w = tf.get_variable("w", [2])
        with tf.variable_scope("b"):
            assert tf.get_variable("w", [], tf.int32, tf.zeros_initializer()).name == "a/b/w:0"
        scope.reuse_variables()
        assert tf.get_variable("w", [2]) is w
        with pytest.raises(ValueError, match="does not exist"):
            tf.get_variable("missing", [1])
    with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
        assert tf.get_variable("w") is w
        with pytest.raises(ValueError, match="specified shape"):
            tf.get_variable("w", [3])
    with pytest.raises(ValueError, match="fully defined"):
        tf.get_variable("x", [None, 2])
    regular = tf.get_variable("r", initializer=tf.constant([2.0, 1.0]), regularizer=tf.nn.l2_loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(w).tolist() == [3.0, 3.0]
        assert session.run(tf.losses.get_regularization_loss()) == 2.5
        assert session.run(regular).tolist() == [2.0, 1.0]


def test_templates_share_variables():
    def scale(x):
        return x * tf.get_variable("w", [], initializer=tf.ones_initializer())

    template = tf.make_template("scale", scale)
    assert template(2.0).numpy() == 2.0
    template.variables[0].assign(3.0)
    assert template(2.0).numpy() == 6.0 and len(template.variables) == 1
    with tf.Graph().as_default():
        template = tf.make_template("scale", scale)
        total = template(tf.constant(2.0)) + template(tf.constant(3.0))
        assert [v.name for v in tf.global_variables()] == ["scale/w:0"]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(total) == 5.0


LABELS, PREDICTIONS = [[0.0, 1.0], [1.0, 0.0]], [[0.2, 0.6], [0.9, 0.3]]
LOSSES = [
    ("mean_squared_error", 0.075000, 0.200000),
    ("absolute_difference", 0.250000, 0.600000),
    ("huber_loss", 0.037500, 0.100000),
    ("log_loss", 0.299001, 0.733969),
    ("hinge_loss", 0.750000, 1.600000),
    ("sigmoid_cross_entropy", 0.607784, 1.235627),
    ("softmax_cross_entropy", 0.475252, 1.026031),
]


@pytest.mark.parametrize(("name", "plain", "weighted"), LOSSES)
def test_losses(name, plain, weighted):
    function = getattr(tf.losses, name)
    weights = [2.0, 0.0] if name.startswith("softmax") else [[2.0], [0.0]]
    np.testing.assert_allclose(function(LABELS, PREDICTIONS), plain, rtol=1e-4)
    np.testing.assert_allclose(function(LABELS, PREDICTIONS, weights), weighted, rtol=1e-4)


def test_reductions():
    reduction = tf.losses.Reduction
    for kind, expected in (
        (reduction.MEAN, 0.083333),
        (reduction.SUM, 0.5),
        (reduction.SUM_OVER_BATCH_SIZE, 0.125),
    ):
        found = tf.losses.mean_squared_error(LABELS, PREDICTIONS, [[2.0], [1.0]], reduction=kind)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert tf.losses.mean_squared_error(LABELS, PREDICTIONS, reduction="none").shape == (2, 2)
    with pytest.raises(ValueError, match="Invalid Reduction"):
        tf.losses.mean_squared_error(LABELS, PREDICTIONS, reduction="most")
    with pytest.raises(ValueError, match="incompatible"):
        tf.losses.mean_squared_error([1.0, 2.0], PREDICTIONS)
    with pytest.raises(ValueError, match="broadcast"):
        tf.losses.mean_squared_error(LABELS, PREDICTIONS, weights=[1.0, 2.0, 3.0])


def test_older_arguments():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.reduce_sum(x, reduction_indices=1, keep_dims=True).shape == (2, 1)
    assert tf.nn.softmax(x, dim=0).shape == (2, 2)
    assert tf.argmax(x, dimension=1).numpy().tolist() == [1, 1]
    assert tf.nn.moments(x, [0], keep_dims=True)[0].shape == (1, 2)
    with pytest.raises(ValueError, match="both"):
        tf.reduce_sum(x, axis=0, reduction_indices=1)
    # TensorFlow 1 refused these by place; TensorFlow 2.21 takes them.
    losses = tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[0.0, 0.0]])
    assert losses.numpy() == pytest.approx([np.log(2.0)])
    kept = tf.nn.dropout(tf.ones([1000]), 0.8).numpy()
    assert 0.7 < (kept > 0).mean() < 0.9 and np.allclose(kept.max(), 1.25)
    assert eagerflow.compat.v1.div(7, 2).numpy() == 3


def test_every_name_resolves():
    for namespace in (tf, tf.nn, tf.math, tf.layers, tf.losses, tf.train, tf.initializers):
        for name in dir(namespace):
            assert getattr(namespace, name) is not None or name == "newaxis"
