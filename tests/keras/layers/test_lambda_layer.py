"""Lambda layers and variables."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
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


@pytest.mark.parametrize("name", ["m.h5", "m.keras", "m"])
def test_lambdas_keep_arrays_among_their_arguments(name: str, tmp_path: Path) -> None:
    inputs = tf.keras.Input([2])
    arguments = {"by": np.array([1.0, 2.0]), "more": {"plain": 0.5}}
    layer = tf.keras.layers.Lambda(lambda x, by, more: x * by + more["plain"], arguments=arguments)
    model = tf.keras.Model(inputs, layer(inputs))
    model.compile("sgd", "mse")
    model.save(tmp_path / name)
    loaded = tf.keras.models.load_model(tmp_path / name, safe_mode=False)
    np.testing.assert_array_equal(loaded(np.ones((1, 2), "f")), [[1.5, 2.5]])
    assert list(loaded.layers[1].arguments["by"]) == [1.0, 2.0]
    assert dict(loaded.layers[1].arguments["more"]) == {"plain": 0.5}
