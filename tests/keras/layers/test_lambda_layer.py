"""Lambda layers and variables."""

from __future__ import annotations

import warnings

import pytest

import eagerflow as tf


def test_lambdas_warn_of_variables_that_they_do_not_hold() -> None:
    variable = tf.Variable(2.0, name="elsewhere")
    layer = tf.keras.layers.Lambda(lambda x: x * variable)
    with pytest.warns(UserWarning, match="not present in its tracked objects:(.|\n)*elsewhere"):
        layer(tf.ones([1, 2]))
    holding = tf.keras.layers.Lambda(lambda x: x * variable)
    holding.variable = variable
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        layer(tf.ones([1, 2]))
        holding(tf.ones([1, 2]))


def test_lambdas_that_make_variables_are_refused_at_every_call() -> None:
    layer = tf.keras.layers.Lambda(lambda x: x * tf.Variable(1.0))
    for _ in range(2):
        with pytest.raises(ValueError, match="created within a Lambda layer"):
            layer(tf.ones([1, 2]))
