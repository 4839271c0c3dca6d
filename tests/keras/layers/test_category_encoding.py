"""CategoryEncoding: categories out of range."""

from __future__ import annotations

import pytest

import eagerflow as tf

layers = tf.keras.layers


def test_categories_out_of_range() -> None:
    layer = layers.CategoryEncoding(3)
    for wrong in ([0, 3], [-1, 0]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_tokens=3"):
            layer(tf.constant([wrong]))
    with pytest.raises(ValueError, match="count_weights"):
        layer(tf.constant([[0, 1]]), count_weights=[[1.0, 1.0]])
