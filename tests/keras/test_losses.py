"""Losses: their warnings, what they refuse, and what overlapping masks lose."""

import warnings

import numpy as np
import pytest

import eagerflow as tf

losses = tf.keras.losses


@pytest.mark.parametrize(
    "loss",
    [
        losses.CategoricalCrossentropy(),
        losses.CategoricalFocalCrossentropy(),
        losses.categorical_crossentropy,
    ],
)
def test_one_class_is_suspicious(loss):
    with pytest.warns(SyntaxWarning, match="binary_crossentropy"):
        loss(tf.ones([3, 1]), tf.fill([3, 1], 0.5))


@pytest.mark.parametrize("classes", [0, 2])
def test_other_numbers_of_classes_are_not(classes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        losses.categorical_crossentropy(tf.ones([3, classes]), tf.fill([3, classes], 0.5))


def test_functions_are_serialized_with_a_warning():
    with pytest.warns(UserWarning, match="should only be used for objects"):
        assert losses.serialize(losses.mse)["config"] == "mean_squared_error"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        losses.serialize(losses.Huber())


@pytest.mark.parametrize("q", [0.0, 1.0, -0.5, 2.0])
def test_generalized_cross_entropy_of_impossible_powers(q):
    with pytest.raises(ValueError, match="interval"):
        losses.CategoricalGeneralizedCrossEntropy(q)


@pytest.mark.parametrize(
    ("labels", "logits", "words"),
    [
        ((3,), (3, 4, 5), "y_true.shape=\\(3,\\)"),
        ((3, 2, 1), (3, 4, 5), "y_true.shape=\\(3, 2, 1\\)"),
        ((3, 2), (4, 5), "y_pred.shape=\\(4, 5\\)"),
        ((3, 2), (3, 4, 5, 6), "y_pred.shape=\\(3, 4, 5, 6\\)"),
    ],
)
def test_temporal_classification_of_wrong_ranks(labels, logits, words):
    with pytest.raises(ValueError, match=words):
        losses.CTC()(tf.ones(labels, tf.int32), tf.ones(logits))


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
