"""Losses of overlapping masks."""

import numpy as np
import pytest

import eagerflow as tf

losses = tf.keras.losses


MASKS = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]], "float32")


FOUND = np.array([[0.5, 0.125, 1.0], [0.0, 0.5, 0.75]], "float32")


def tversky(alpha, beta, axis=None):
    both = np.sum(MASKS * FOUND, axis)
    predicted = np.sum((1 - MASKS) * FOUND, axis)
    missed = np.sum(MASKS * (1 - FOUND), axis)
    return 1 - (both + 1e-7) / (both + alpha * predicted + beta * missed + 1e-7)


def test_overlap_of_masks():
    np.testing.assert_allclose(losses.Dice()(MASKS, FOUND), tversky(0.5, 0.5), rtol=1e-6)
    np.testing.assert_allclose(losses.Tversky(0.8, 0.3)(MASKS, FOUND), tversky(0.8, 0.3), rtol=1e-6)
    # What is missed and what is found beyond count differently.
    assert losses.Tversky(0.8, 0.3)(MASKS, FOUND) != losses.Tversky(0.3, 0.8)(MASKS, FOUND)


@pytest.mark.parametrize(
    "make", [losses.Dice, lambda **kwargs: losses.Tversky(0.5, 0.5, **kwargs)], ids=["dice", "any"]
)
def test_overlap_by_sample(make):
    each = tversky(0.5, 0.5, axis=1)
    np.testing.assert_allclose(make(axis=1, reduction="none")(MASKS, FOUND), each, rtol=1e-6)
    np.testing.assert_allclose(make(axis=1, reduction="sum")(MASKS, FOUND), each.sum(), rtol=1e-6)
    np.testing.assert_allclose(make(axis=1)(MASKS, FOUND), each.mean(), rtol=1e-6)
    assert make(name="mine", axis=1, reduction="sum").get_config()["reduction"] == "sum"
