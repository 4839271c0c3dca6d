"""Normalization of features."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf
from layer_cases import values

layers = tf.keras.layers


def test_normalization_in_batches() -> None:
    """Small batches give what all data give at once, and a second `adapt` starts anew."""
    data = values(100, 3, low=-5.0)
    layer = layers.Normalization()
    layer.adapt(np.ones((10, 3), "float32"))
    layer.adapt(data, batch_size=7)
    result = layer(data).numpy()
    np.testing.assert_allclose(result.mean(0), 0.0, atol=1e-4)
    np.testing.assert_allclose(result.std(0), 1.0, atol=1e-4)
    assert int(layer.count) == 100 and layer.is_adapted
    batches = layers.Normalization()
    batches.adapt(iter([tf.constant(data[:30]), tf.constant(data[30:])]))
    np.testing.assert_allclose(batches(data).numpy(), result, atol=1e-4)
    again = layers.Normalization.from_config(layer.get_config())
    again.build((None, 3))
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(again(data).numpy(), result)
    back = layers.Normalization(mean=layer.mean, variance=layer.variance, invert=True)
    np.testing.assert_allclose(back(result).numpy(), data, atol=1e-4)
    whole = layers.Normalization(mean=3.0, variance=4.0)
    assert whole(np.array([[5]])).numpy().tolist() == [[1.0]]


def test_normalization_errors() -> None:
    with pytest.raises(ValueError, match="both `mean` and `variance`"):
        layers.Normalization(mean=1.0)
    with pytest.raises(ValueError, match=r"\[-ndim, ndim\)"):
        layers.Normalization(axis=3)(values(2, 2))
    with pytest.raises(ValueError, match="Cannot `adapt`"):
        layers.Normalization(mean=1.0, variance=1.0).adapt(values(2, 2))
    with pytest.raises(ValueError, match="empty data"):
        layers.Normalization().adapt([])
