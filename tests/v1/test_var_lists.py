"""The variables that optimizers of version 1 are told to update."""

from __future__ import annotations

import numpy as np

import eagerflow as tf

v1 = tf.compat.v1


def test_variables_to_update_may_be_one_or_nested():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [], initializer=v1.ones_initializer())
        w = v1.get_variable("w", [2], initializer=v1.ones_initializer())
        optimizer = v1.train.GradientDescentOptimizer(0.1)
        one = optimizer.minimize(tf.square(v), var_list=v)
        nested = optimizer.minimize(v * tf.reduce_sum(w), var_list={"v": v, "rest": [(w,)]})
        pairs = optimizer.compute_gradients(tf.reduce_sum(w), var_list=w)
        assert [variable is w for _, variable in pairs] == [True]
        session.run(v1.global_variables_initializer())
        session.run(one)
        assert session.run(v) == np.float32(0.8)
        session.run(nested)
        np.testing.assert_allclose(session.run(v), 0.6, 1e-6)
        np.testing.assert_allclose(session.run(w), [0.92, 0.92], 1e-6)
