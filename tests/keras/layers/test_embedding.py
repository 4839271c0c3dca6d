"""Embedding: indices outside of the table."""

from __future__ import annotations

import pytest

import eagerflow as tf

layers = tf.keras.layers


def test_rows_outside_of_a_table() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="5"):
        layers.Embedding(3, 2)(tf.constant([[0, 5]]))
