"""Legacy optimizers: functions of gradients."""

import numpy as np
import pytest

import eagerflow as tf

keras, layers = tf.keras, tf.keras.layers


def test_functions_of_gradients():
    legacy = keras.optimizers.legacy
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    calls = []

    def double(pairs):
        calls.append(len(pairs))
        return [(gradient * 2.0, variable) for gradient, variable in pairs]

    optimizer = legacy.SGD(0.1, gradient_aggregator=double, gradient_transformers=[double, double])
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v), (None, w)])
    np.testing.assert_allclose(v.numpy(), [0.2, 1.2], rtol=1e-6)
    assert calls == [1, 1, 1]
    with pytest.raises(ValueError, match="gradient_transformers"):
        legacy.Adam(clipnorm=1.0, gradient_transformers=[double])


def test_graphs_are_given_the_update() -> None:
    """In a graph that a program builds, the operation that a step returns updates the variables."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable([[1.0], [2.0]])
        rows = tf.IndexedSlices(tf.constant([[0.5]]), tf.constant([0]), tf.constant([2, 1]))
        optimizer = tf.keras.optimizers.legacy.SGD(1.0)
        step = optimizer.apply_gradients([(rows, v)])
        session.run(tf.compat.v1.global_variables_initializer())
        assert session.run(step) is None
        session.run(step)
        assert session.run(v).tolist() == [[0.0], [2.0]]
        assert session.run(optimizer.iterations) == 2
