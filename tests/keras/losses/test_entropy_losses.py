"""Cross entropies: their warnings, and what they refuse."""

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


@pytest.mark.parametrize("from_logits", [False, True])
def test_class_ids_and_outputs_of_unknown_rank(from_logits):
    def loss(ids, output):
        return tf.keras.losses.sparse_categorical_crossentropy(ids, output, from_logits)

    traced = tf.function(loss, input_signature=[tf.TensorSpec(None, tf.int32), tf.TensorSpec(None)])
    ids, output = tf.constant([1, 0]), tf.constant([[0.3, 0.7], [0.6, 0.4]])
    np.testing.assert_allclose(traced(ids, output), loss(ids, output), rtol=1e-6)


def test_another_axis_of_an_output_of_unknown_rank():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32), tf.TensorSpec(None)])
    def loss(ids, output):
        return tf.keras.losses.sparse_categorical_crossentropy(ids, output, axis=1)

    with pytest.raises(ValueError, match="unknown rank"):
        loss.get_concrete_function()
