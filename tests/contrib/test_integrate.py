"""Ordinary differential equations: accuracy, gradients, in functions, and what is refused."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.contrib.integrate import odeint, odeint_fixed

TIMES = np.linspace(0.0, 6.0, 7)


def swing(y, t):
    return tf.stack([y[1], -y[0]])


def start(dtype="float64"):
    return tf.constant([1.0, 0.0], dtype)


@pytest.mark.parametrize(("rtol", "error"), [(1e-3, 5e-3), (1e-6, 5e-6), (1e-9, 5e-9)])
def test_errors_follow_the_tolerance(rtol, error):
    y, counts = odeint(swing, start(), TIMES, rtol=rtol, full_output=True)
    assert y.shape == (7, 2) and int(counts["num_func_evals"]) > 20
    np.testing.assert_allclose(y[:, 0], np.cos(TIMES), atol=error)


def test_backwards_in_time_and_complex():
    np.testing.assert_allclose(odeint(lambda y, t: y, 1.0, [1.0, 0.0])[-1], np.exp(-1), rtol=1e-5)
    turning = odeint(lambda y, t: 1j * y, tf.constant(1.0 + 0j, tf.complex128), [0.0, np.pi])
    np.testing.assert_allclose(turning[-1], -1, atol=1e-5)


def test_slopes_that_depend_on_time():
    y = odeint(lambda y, t: tf.cast(2 * t, y.dtype), tf.constant(0.0, tf.float64), TIMES)
    np.testing.assert_allclose(y, TIMES**2, atol=1e-9)


@pytest.mark.parametrize("inside", [False, True])
def test_gradients(inside):
    def decayed(rate):
        return odeint(lambda y, t: -rate * y, 1.0, [0.0, 0.5, 1.0])[-1]

    rate = tf.constant(2.0)
    function = tf.function(decayed) if inside else decayed
    with tf.GradientTape() as tape:
        tape.watch(rate)
        y = function(rate)
    np.testing.assert_allclose(y, np.exp(-2), rtol=1e-5)
    np.testing.assert_allclose(tape.gradient(y, rate), -np.exp(-2), rtol=1e-3)


@pytest.mark.parametrize(("method", "order"), [("midpoint", 2), ("rk4", 4)])
def test_fixed_steps_have_their_order(method, order):
    coarse, fine = (
        abs(float(odeint_fixed(swing, start(), [0.0, 2.0], dt, method)[-1, 0]) - np.cos(2))
        for dt in (0.25, 0.125)
    )
    assert 2 ** (order - 0.5) < coarse / fine < 2 ** (order + 0.7)


def test_steps_of_each_interval():
    t = tf.constant([0.0, 1.0, 3.0], tf.float64)
    one = odeint_fixed(lambda y, t: y, tf.constant(1.0, tf.float64), t)
    np.testing.assert_allclose(one, [1, 65 / 24, 65 / 24 * 7])
    cut = odeint_fixed(lambda y, t: y, tf.constant(1.0, tf.float64), t, [0.1, 0.15])
    np.testing.assert_allclose(cut, np.exp(t), rtol=1e-4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: odeint(swing, start(), TIMES, method="euler"), ValueError, "invalid method"),
        (lambda: odeint(swing, start(), TIMES, options={}), ValueError, "without specifying"),
        (
            lambda: odeint(swing, start(), TIMES, method="dopri5", options={"step": 1}),
            ValueError,
            "unknown options: .'step'",
        ),
        (lambda: odeint(swing, 1, TIMES), TypeError, "`y0` must have a floating point"),
        (lambda: odeint(swing, start(), tf.constant([0, 1])), TypeError, "`t` must have"),
        (
            lambda: odeint(swing, start(), TIMES, method="dopri5", options={"max_num_steps": 2}),
            tf.errors.InvalidArgumentError,
            "max_num_steps",
        ),
        (
            lambda: odeint(lambda y, t: y * y, 1.0, [0.0, 2.0]),
            tf.errors.InvalidArgumentError,
            "underflow|max_num_steps",
        ),
        (lambda: odeint_fixed(swing, start(), TIMES, method="euler"), ValueError, "not supported"),
        (lambda: odeint_fixed(swing, start(), 1.0), ValueError, "must be a vector"),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
