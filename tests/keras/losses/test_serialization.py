"""Losses as configurations."""

import warnings

import pytest

import eagerflow as tf

losses = tf.keras.losses


def test_functions_are_serialized_with_a_warning():
    with pytest.warns(UserWarning, match="should only be used for objects"):
        assert losses.serialize(losses.mse)["config"] == "mean_squared_error"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        losses.serialize(losses.Huber())
