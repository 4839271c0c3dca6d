"""Bidirectional: its arguments."""

from __future__ import annotations

import pytest

import eagerflow as tf

layers = tf.keras.layers


def test_bidirectional_needs_a_recurrent_layer() -> None:
    with pytest.raises(ValueError, match="recurrent layers.* Dense.* 'go_backwards'"):
        layers.Bidirectional(layers.Dense(2))
    with pytest.raises(ValueError, match="recurrent layers.* Dense"):
        layers.Bidirectional(layers.LSTM(2), backward_layer=layers.Dense(2))
