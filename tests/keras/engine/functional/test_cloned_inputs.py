"""The inputs of cloned models."""

import numpy as np
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


@pytest.mark.parametrize("functional", [True, False])
def test_copies_start_from_tensors(functional):
    inputs = tf.keras.Input([4])
    layer = tf.keras.layers.Dense(2)
    model = (
        tf.keras.Model(inputs, layer(inputs))
        if functional
        else tf.keras.Sequential([inputs, layer])
    )
    copied = tf.keras.models.clone_model
    given = tf.keras.Input([4], batch_size=3)
    assert copied(model, input_tensors=given).output_shape == (3, 2)
    with pytest.raises(ValueError, match="2 tensors"):
        copied(model, input_tensors=[given, given])
    with pytest.raises(ValueError, match="<class 'numpy.ndarray'>"):
        copied(model, input_tensors=np.ones([3, 4]))
    with pytest.raises(ValueError, match="clone_function"):
        copied(model, clone_function=3)
    value = tf.ones([5, 4])
    if functional:
        clone = copied(model, input_tensors=value)
        assert clone.output_shape == (5, 2)
        assert clone.layers[0].name == f"input_wrapper_for_{inputs.name}"
    else:
        with pytest.raises(AttributeError, match="eager"):
            copied(model, input_tensors=value)
        with pytest.raises(ValueError, match="InputLayer"):
            copied(model, input_tensors=given * 2)


def test_copies_start_from_tensors_of_graphs():
    with tf.Graph().as_default():
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(4,))])
        given = tf.compat.v1.placeholder(tf.float32, (None, 4))
        assert tf.keras.models.clone_model(model, input_tensors=given).output_shape == (None, 2)
