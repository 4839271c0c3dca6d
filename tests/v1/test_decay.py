"""Version 1's learning rates, their optimizers, and how variables are cut; values are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1

STEPS = (0, 3, 9, 10, 25, 80)
RATES = {
    "cosine_decay": ((10, 0.1), "CosineDecay", [1.0, 0.8145034, 0.12202458, 0.1, 0.1, 0.1]),
    "cosine_decay_restarts": (
        (10, 2.0, 0.9, 0.1),
        "SGDRDecay",
        [1.0, 0.8145034, 0.12202458, 0.90999997, 0.21862176, 0.731128633],
    ),
    "linear_cosine_decay": (
        (10, 0.5, 0.1, 0.01),
        "LinearCosineDecay",
        [1.11, 0.6451141, 0.014894351, 0.01, 0.01, 0.01],
    ),
    "noisy_linear_cosine_decay": (
        (10, 0.0, 0.55, 0.5, 0.1, 0.01),
        "NoisyLinearCosineDecay",
        [1.11, 0.6451141, 0.014894351, 0.01, 0.01, 0.01],
    ),
}


@pytest.mark.parametrize("name", RATES)
def test_rates(name: str) -> None:
    """Eagerly a function returns the rate, and in a graph it is a tensor with the kind's name."""
    numbers, kind, expected = RATES[name]
    schedule: Any = getattr(v1.train, name)
    rates = [schedule(1.0, tf.constant(step), *numbers)().numpy() for step in STEPS]
    np.testing.assert_allclose(rates, expected, rtol=1e-6)
    with tf.Graph().as_default(), v1.Session() as session:
        step = v1.placeholder(tf.int64, [])
        rate = schedule(1.0, step, *numbers)
        assert rate.name == f"{kind}:0" and rate.dtype == tf.float32
        rates = [session.run(rate, {step: number}) for number in STEPS]
        np.testing.assert_allclose(rates, expected, rtol=1e-6)


def test_restarts_of_one_length() -> None:
    """With factors of one, each period is the first."""
    rates = [v1.train.cosine_decay_restarts(2.0, step, 4, 1.0)().numpy() for step in (0, 2, 4, 10)]
    np.testing.assert_allclose(rates, [2.0, 1.0, 2.0, 1.0], rtol=1e-6)


def test_noise_differs() -> None:
    """The noise of a rate is drawn whenever it is computed."""
    rate = v1.train.noisy_linear_cosine_decay(1.0, tf.constant(1), 10)
    assert len({float(rate()) for _ in range(4)}) > 1


def test_rates_are_of_their_dtype() -> None:
    """A rate of 64 bits stays one, and a tensor may say how fast it falls."""
    start = tf.constant(1.0, tf.float64)
    rate = v1.train.exponential_decay(start, tf.constant(3), tf.constant(2), 0.5, staircase=True)()
    assert rate.dtype == tf.float64 and float(rate) == 0.5


def test_proximal_adagrad() -> None:
    """The steps of Adagrad, shrunk towards zero."""
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, -2.0, 0.05])
        optimizer = v1.train.ProximalAdagradOptimizer(
            0.5, l1_regularization_strength=0.1, l2_regularization_strength=0.2
        )
        step = optimizer.minimize(tf.reduce_sum(v * v * [1.0, 0.5, 2.0]))
        names = [variable.name for variable in v1.global_variables()]
        assert names == ["v:0", "v/ProximalAdagrad:0"]
        session.run(v1.global_variables_initializer())
        session.run(step)
        session.run(step)
        np.testing.assert_allclose(session.run(v), [0.22001892, -1.0624632, 0.0927881], rtol=1e-5)
        slot = session.run(optimizer.get_slot(v, "accumulator"))
        np.testing.assert_allclose(slot, [4.9419317, 6.092959, 0.20968163], rtol=1e-5)
    with pytest.raises(ValueError, match="initial_accumulator_value must be positive: 0.0"):
        v1.train.ProximalAdagradOptimizer(0.5, initial_accumulator_value=0.0)


def test_parts_of_variables() -> None:
    """There are no more parts than the axis is long."""
    make = v1.fixed_size_partitioner
    assert make(2)(shape=tf.TensorShape([5, 3]), dtype=tf.float32) == [2, 1]
    assert make(9)(shape=tf.TensorShape([5, 3]), dtype=tf.float32) == [5, 1]
    assert make(2, axis=1)(shape=tf.TensorShape([5, 1]), dtype=tf.float32) == [1, 1]


def test_rates_in_traced_functions_are_tensors():
    @tf.function
    def bounded(step):
        rate = tf.compat.v1.train.exponential_decay(8.0, step, 1, 0.5)
        return tf.maximum(
            rate, tf.compat.v1.train.piecewise_constant(step, [1, 2], [0.0, 1.0, 3.0])
        )

    assert [float(bounded(tf.constant(k))) for k in range(4)] == [8.0, 4.0, 2.0, 3.0]
    assert callable(tf.compat.v1.train.exponential_decay(8.0, tf.constant(1), 1, 0.5))
