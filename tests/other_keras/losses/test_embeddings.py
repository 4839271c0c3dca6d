"""What Keras 3's losses refuse."""

import pytest

import eagerflow as tf

losses = tf.keras.losses


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
