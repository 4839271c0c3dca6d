"""The inputs of cloned models."""

import pytest

import eagerflow as tf


@pytest.mark.parametrize(
    "arguments",
    [
        {"shape": [3], "batch_size": 2},
        {"shape": [3], "sparse": True},
        {"shape": [None, 3], "ragged": True},
        {"shape": [3], "dtype": "int32"},
    ],
    ids=str,
)
def test_a_clone_has_the_same_kind_of_inputs(arguments):
    inputs = tf.keras.Input(name="given", **arguments)
    model = tf.keras.Model(inputs, tf.keras.layers.Lambda(lambda x: x)(inputs))
    clone = tf.keras.models.clone_model(model)
    assert clone.input is not model.input
    assert clone.input.type_spec == model.input.type_spec
    assert clone.input_names == ["given"]
