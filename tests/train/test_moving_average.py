"""Moving averages of variables."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("debias", [False, True])
def test_averages(debias):
    v = tf.Variable([1.0, 2.0], name="v")
    ema = tf.train.ExponentialMovingAverage(0.9, zero_debias=debias)
    average, total, weight = np.array([1.0, 2.0]), np.zeros(2), 0.0
    for step in range(5):
        v.assign([float(step), 1.0])
        if not debias and step == 0:
            average = v.numpy().astype(float)
        ema.apply([v])
        average = 0.9 * average + 0.1 * v.numpy()
        total, weight = 0.9 * total + 0.1 * v.numpy(), 0.9 * weight + 0.1
    expected = total / weight if debias else average
    np.testing.assert_allclose(ema.average(v), expected, rtol=1e-6)
    assert ema.average(v).name == "v/ExponentialMovingAverage:0"
    assert list(ema.variables_to_restore()) == ["v/ExponentialMovingAverage"]


def test_counts_let_averages_follow_faster():
    v, count = tf.Variable(0.0), tf.Variable(0)
    ema = tf.train.ExponentialMovingAverage(0.99, num_updates=count)
    ema.apply([v])
    v.assign(1.0)
    ema.apply([v])
    np.testing.assert_allclose(ema.average(v), 0.9, rtol=1e-6)


def test_misuse():
    ema = tf.train.ExponentialMovingAverage(0.9)
    assert ema.average(tf.Variable(1.0)) is None
    with pytest.raises(ValueError, match="list"):
        ema.apply([])
    with pytest.raises(TypeError, match="float"):
        ema.apply([tf.Variable(1)])
