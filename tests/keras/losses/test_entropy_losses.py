"""Cross entropies: their warnings, and what they refuse."""

import warnings

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
