"""Activations of layers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


RANDOM = np.random.RandomState(0)


X = RANDOM.randn(20, 3).astype("float32")


def test_activations_by_name_can_be_copied() -> None:
    layer = layers.Activation("tanh")
    for made in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        np.testing.assert_array_equal(made(X).numpy(), layer(X).numpy())
    assert copy.deepcopy(tf.tanh) is tf.tanh
    assert pickle.loads(pickle.dumps(tf.add)) is tf.add


@pytest.mark.parametrize(
    "layer, shape",
    [
        (tf.keras.layers.Dense(3, "relu"), [2, 4]),
        (tf.keras.layers.Conv2D(3, 2, activation="relu"), [2, 4, 4, 1]),
        (tf.keras.layers.Conv2DTranspose(3, 2, activation="relu"), [2, 4, 4, 1]),
        (tf.keras.layers.DepthwiseConv2D(2, activation="relu"), [2, 4, 4, 3]),
        (tf.keras.layers.SeparableConv2D(3, 2, activation="relu"), [2, 4, 4, 3]),
        (tf.keras.layers.LocallyConnected1D(3, 2, activation="relu"), [2, 4, 3]),
        (tf.keras.layers.EinsumDense("ab,bc->ac", 3, activation="relu"), [2, 4]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, tf.keras.layers.Layer) else "",
)
def test_activations_can_be_taken_away(layer: Any, shape: list[int]) -> None:
    """As programs do that explain a model's decisions by the gradients of its logits."""
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    rectified = layer(x).numpy()
    layer.activation = None
    logits = layer(x).numpy()
    assert (logits < 0).any()
    np.testing.assert_array_equal(np.maximum(logits, 0), rectified)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, [0, 2, 9]),
        ({"max_value": 5}, [0, 2, 5]),
        ({"max_value": 6.0, "threshold": 2}, [0, 0, 6]),
        ({"negative_slope": 0.5}, [-1.5, 2.0, 9.0]),
        ({"max_value": 6.0, "negative_slope": 0.1, "threshold": 0.2}, [0, 2, 6]),
    ],
)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_relu_of_integers(arguments: dict[str, float], expected: list[float], dtype: str) -> None:
    """Only a slope by itself gives floats."""
    result = layers.ReLU(**arguments)(tf.constant([-3, 2, 9], dtype))
    assert result.numpy().tolist() == expected
    assert result.dtype == ("float32" if list(arguments) == ["negative_slope"] else dtype)


def test_relu_has_a_bound_of_the_dtype_of_integers() -> None:
    x = tf.constant([-3, 2, 9])
    bound = tf.keras.activations.relu(x, max_value=5)
    assert bound.numpy().tolist() == [0, 2, 5] and bound.dtype == tf.int32
    sloped = tf.keras.activations.relu(x, alpha=0.5)
    assert sloped.numpy().tolist() == [-1.5, 2.0, 9.0] and sloped.dtype == tf.float32
