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
