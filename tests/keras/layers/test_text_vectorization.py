"""TextVectorization."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


def parts(texts: Any) -> Any:
    """Texts, cut at dashes."""
    return tf.strings.split(texts, "-")


def test_texts_with_own_functions() -> None:
    layer = layers.TextVectorization(standardize=lambda x: tf.strings.lower(x), split=parts)
    layer.adapt(["A-b", "a-C"])
    assert layer.get_vocabulary()[:3] == ["", "[UNK]", "a"]
    assert layer(["b-a", "c"]).numpy().tolist() == [[4, 2], [3, 0]]
    assert layer("A").numpy().tolist() == [2]
    with pytest.raises(ValueError, match="last shape dimension must be 1"):
        layers.TextVectorization(vocabulary=["a"])(tf.constant([["a", "b"]]))
    with pytest.raises(ValueError, match="standardize"):
        layers.TextVectorization(standardize="upper")
    with pytest.raises(ValueError, match="output_sequence_length"):
        layers.TextVectorization(output_mode="count", output_sequence_length=3)


def test_text_is_brought_into_form_before_a_function_splits_it() -> None:
    """The layer's own standard form comes first, whoever splits."""
    layer = tf.keras.layers.TextVectorization(split=lambda text: tf.strings.split(text, "|"))
    texts = np.array(["Foo qux, bar!", "qux BAZ; foo", ""], object)
    layer.adapt(texts)
    assert layer.get_vocabulary() == ["", "[UNK]", "qux baz foo", "foo qux bar"]
    np.testing.assert_array_equal(layer(texts), [[3], [2], [0]])


def test_text_that_is_not_split_keeps_its_shape() -> None:
    """A vector of words gives a vector of numbers."""
    layer = tf.keras.layers.TextVectorization(split=None, vocabulary=["foo", "bar"])
    np.testing.assert_array_equal(layer(np.array(["bar", "Foo!", "x"], object)), [3, 2, 1])
    np.testing.assert_array_equal(layer(np.array([["bar"], ["foo"]], object)), [[3], [2]])
