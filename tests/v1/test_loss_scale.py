"""Version 1's optimizers with scaled losses, and checks of whole graphs."""

import pytest

import eagerflow as tf

v1 = tf.compat.v1


def test_in_graphs():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", [], initializer=v1.constant_initializer(3.0))
        x = v1.placeholder(tf.float32, [])
        scale = v1.mixed_precision.DynamicLossScale(8, 2, 2.0)
        optimizer = v1.mixed_precision.MixedPrecisionLossScaleOptimizer(
            v1.train.MomentumOptimizer(0.25, 0.5), scale
        )
        step = optimizer.minimize(v * v * x)
        session.run(v1.global_variables_initializer())
        seen = []
        for factor in (1.0, float("inf"), 1.0, 1.0, 1.0):
            session.run(step, {x: factor})
            seen.append(tuple(float(value) for value in session.run([v, scale()])))
    assert seen == [(1.5, 8), (1.5, 4), (0, 4), (-0.75, 8), (-0.75, 8)]


def test_eagerly():
    v = tf.Variable(3.0)
    optimizer = v1.train.experimental.enable_mixed_precision_graph_rewrite(
        v1.train.MomentumOptimizer(0.25, 0.5)
    )
    seen = []
    for factor in (1.0, float("inf"), 1.0):
        optimizer.minimize(lambda factor=factor: v * v * factor, var_list=[v])
        seen.append((float(v), float(optimizer._loss_scale())))
    assert seen == [(1.5, 32768), (1.5, 16384), (0, 16384)]
    with pytest.raises(ValueError, match="already be an instance"):
        v1.mixed_precision.enable_mixed_precision_graph_rewrite(optimizer)


def test_scales_are_checked_and_described():
    with pytest.raises(ValueError, match="at least 1"):
        v1.mixed_precision.FixedLossScale(0.5)
    fixed = v1.mixed_precision.FixedLossScale(3.0)
    assert repr(fixed) == "FixedLossScale(3.0)"
    assert type(fixed).from_config(fixed.get_config())().numpy() == 3
    assert repr(v1.mixed_precision.DynamicLossScale()) == (
        "DynamicLossScale(current_loss_scale=32768.0, num_good_steps=0, "
        "initial_loss_scale=32768.0, increment_period=2000, multiplier=2.0)"
    )


def test_whole_graphs_are_checked():
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = v1.Variable([1.0, 2.0]), v1.Variable(3)
        both, one = v1.assert_variables_initialized(), v1.assert_variables_initialized([a])
        session.run(v1.global_variables_initializer())
        assert session.run(both).tolist() == [1, 0] and session.run(one) == 1
        del b
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32)
        logarithm = tf.math.log(x)
        check = v1.add_check_numerics_ops()
        session.run(check, {x: 1.0})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Log:0 : Tensor had Inf"):
            session.run(check, {x: 0.0})
        del logarithm
    with pytest.raises(RuntimeError, match="not compatible with eager"):
        v1.add_check_numerics_ops()
