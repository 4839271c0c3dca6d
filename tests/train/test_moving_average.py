"""Moving averages of variables."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("debias", [False, True])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("traced", [False, True])
def test_averages(debias, dtype, traced):
    v = tf.Variable([0.0, 1.0], name="v", dtype=dtype)
    ema = tf.train.ExponentialMovingAverage(0.9999, zero_debias=debias)
    apply = tf.function(lambda: ema.apply([v])) if traced else lambda: ema.apply([v])
    for step in range(3):
        v.assign([float(step), 1.0])
        apply()
    # The decay is a float32 whatever the dtype of the variable.
    np.testing.assert_allclose(ema.average(v), [3.00039785e-4, 1.0], rtol=1e-6)
    assert ema.average(v).name == "v/ExponentialMovingAverage:0"
    assert list(ema.variables_to_restore()) == ["v/ExponentialMovingAverage"]


@pytest.mark.parametrize("traced", [False, True])
def test_counts_let_averages_follow_faster(traced):
    v, count = tf.Variable(0.0), tf.Variable(0)
    ema = tf.train.ExponentialMovingAverage(tf.Variable(0.99), num_updates=count)
    apply = tf.function(lambda: ema.apply([v])) if traced else lambda: ema.apply([v])
    apply()
    v.assign(1.0)
    apply()
    np.testing.assert_allclose(ema.average(v), 0.9, rtol=1e-6)
    count.assign(8)
    apply()
    np.testing.assert_allclose(ema.average(v), 0.95, rtol=1e-6)


def test_misuse():
    ema = tf.train.ExponentialMovingAverage(0.9)
    assert ema.average(tf.Variable(1.0)) is None
    with pytest.raises(ValueError, match="list"):
        ema.apply([])
    with pytest.raises(TypeError, match="float"):
        ema.apply([tf.Variable(1)])
    with pytest.raises(TypeError, match="variables when run eagerly"):
        ema.apply([tf.constant([1.0])])
