"""Layers of version 1 that share variables by name although operations run eagerly."""

import pytest

import eagerflow as tf
from eagerflow.contrib import eager as tfe

v1 = tf.compat.v1


def test_a_store_has_the_variables_of_functional_layers():
    store = tfe.EagerVariableStore()
    results = []
    for _ in range(2):
        with store.as_default():
            hidden = v1.layers.dense(tf.ones([1, 2]), 3, name="first")
            hidden = v1.layers.dense(hidden, 3)
            results.append(v1.layers.batch_normalization(v1.layers.dense(hidden, 2)))
    assert [variable.name for variable in store.trainable_variables()] == [
        "batch_normalization/beta:0",
        "batch_normalization/gamma:0",
        "dense/bias:0",
        "dense/kernel:0",
        "dense_1/bias:0",
        "dense_1/kernel:0",
        "first/bias:0",
        "first/kernel:0",
    ]
    assert results[0].numpy().tolist() == results[1].numpy().tolist()


def test_a_template_trains_its_layers():
    def net(x):
        with v1.variable_scope("net"):
            return v1.layers.dense(v1.layers.dense(x, 4), 1)

    template = v1.make_template("t", net)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(template(tf.ones([3, 2])) + template(tf.zeros([1, 2])))
    weights = template.trainable_variables
    assert [variable.name for variable in weights] == [
        "t/net/dense/bias:0",
        "t/net/dense/kernel:0",
        "t/net/dense_1/bias:0",
        "t/net/dense_1/kernel:0",
    ]
    assert [gradient.shape for gradient in tape.gradient(loss, weights)] == [
        [4],
        [2, 4],
        [1],
        [4, 1],
    ]


def test_layers_keep_variables_that_a_store_has_made():
    with tfe.EagerVariableStore().as_default():
        layer = v1.layers.Dense(2, name="d")
        layer(tf.ones([1, 3]))
    assert [variable.name for variable in layer.trainable_variables] == ["d/kernel:0", "d/bias:0"]


def test_reused_names_must_exist():
    with tfe.EagerVariableStore().as_default(), pytest.raises(ValueError, match="does not exist"):
        v1.layers.dense(tf.ones([1, 2]), 3, name="none", reuse=True)
