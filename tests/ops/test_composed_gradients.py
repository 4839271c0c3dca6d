"""Gradients of public functions that are composed of several operations of the table."""

import numpy as np
import pytest

import eagerflow as tf
from gradient_cases.composed import CASES as COMPOSED
from gradient_cases.special_points import CASES as SPECIAL
from gradient_check import check_first, check_second, spread

CASES = [*COMPOSED, *SPECIAL]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_first_order(case):
    check_first(case)


@pytest.mark.parametrize("case", [case for case in CASES if case.second], ids=str)
def test_second_order(case):
    check_second(case)


@pytest.mark.parametrize("rate", [0.3, 0.9])
def test_dropout_scales_what_it_keeps(rate):
    x = tf.constant(spread((40, 5)))
    tf.random.set_seed(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, rate)
    kept = y.numpy() != 0
    assert kept.any() and not kept.all()
    expected = np.where(kept, 1 / (1 - rate), 0)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected, rtol=1e-12)
