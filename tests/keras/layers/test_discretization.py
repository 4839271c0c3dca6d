"""Discretization: bins hold equal shares."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


def test_bins_hold_equal_shares() -> None:
    data = np.random.default_rng(0).permutation(np.arange(1000.0)).astype("float32")
    layer = layers.Discretization(num_bins=4)
    layer.adapt(data, batch_size=100)
    counts = np.bincount(layer(data).numpy())
    assert len(counts) == 4 and np.all(np.abs(counts - 250) < 30)
    again = layers.Discretization(layer.bin_boundaries)
    np.testing.assert_array_equal(again(data).numpy(), layer(data).numpy())
    with pytest.raises(ValueError, match="num_bins"):
        layers.Discretization([0.0], num_bins=2)


def test_arrays_update_the_bins() -> None:
    layer = layers.Discretization(num_bins=2)
    layer.adapt(np.array([1.0, 2.0]))
    layer.reset_state()
    layer.update_state(np.array([5.0, 6.0, 7.0, 8.0]))
    layer.finalize_state()
    assert 5.0 < layer.bin_boundaries[0] < 8.0
