"""What callbacks refuse and say, in Keras's words; programs may replace the function that says it."""

from unittest import mock

import pytest

import eagerflow as tf
from eagerflow.framework import logging

keras = tf.keras


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        ({"filepath": "a.h5", "options": tf.train.CheckpointOptions()}, TypeError, "SaveOptions"),
        (
            {"filepath": "a", "save_weights_only": True, "options": tf.saved_model.SaveOptions()},
            TypeError,
            "CheckpointOptions",
        ),
        (
            {"filepath": "a.keras", "options": tf.saved_model.SaveOptions()},
            ValueError,
            "native TF-Keras format",
        ),
    ],
)
def test_checkpoints_refuse_options_of_another_kind(arguments, kind, message):
    with pytest.raises(kind, match=message):
        keras.callbacks.ModelCheckpoint(**arguments)


@pytest.mark.parametrize("batches", ["-1,3", "6,5", -1, "1,2,3", (1, -2), "1,None"])
def test_batches_to_profile_are_checked(batches, tmp_path):
    with pytest.raises(ValueError):
        keras.callbacks.TensorBoard(tmp_path, profile_batch=batches)


def test_epsilon_is_the_old_name_of_min_delta():
    with mock.patch.object(logging, "warning") as warning:
        plateau = keras.callbacks.ReduceLROnPlateau(epsilon=0.5)
    assert plateau.min_delta == 0.5
    assert "`epsilon` argument is deprecated" in warning.call_args[0][0]


def test_a_dataset_that_ends_early_is_reported():
    data = tf.data.Dataset.from_tensors((tf.ones([2, 1]), tf.ones([2, 1])))
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with mock.patch.object(logging, "warning") as warning:
        model.fit(data, steps_per_epoch=3, epochs=2, verbose=0)
    assert "ran out of data" in warning.call_args[0][0]


def test_batch_sizes_that_differ_are_reported():
    a, b = keras.Input([1], 2), keras.Input([1], 3)
    with mock.patch.object(logging, "warning") as warning:
        keras.Model([a, b], keras.layers.Concatenate(axis=0)([a, b]))
    assert warning.call_args[0][0].endswith("Batch sizes: [2, 3]")


def test_keys_that_no_input_has_are_reported():
    x = keras.Input([1])
    model = keras.Model({"a": x}, x * 2)
    with pytest.warns(UserWarning, match=r"keys \['b'\] which did not match"):
        model({"a": tf.ones([1, 1]), "b": tf.ones([1, 1])})


@pytest.mark.parametrize("options", [3, "options"])
@pytest.mark.parametrize(("weights", "name"), [(True, "CheckpointOptions"), (False, "SaveOptions")])
def test_checkpoints_refuse_what_is_no_options(options, weights, name):
    with pytest.raises(TypeError, match=name):
        tf.keras.callbacks.ModelCheckpoint("m", save_weights_only=weights, options=options)
