"""FeatureSpace in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import eagerflow as tf
from oracle.cases.keras_feature_space import batch, rows, space


def test_a_space_from_a_file(tmp_path: Path) -> None:
    """A space that is read gives what the one that was written gives, without being adapted."""
    made = space(tf)
    path = str(tmp_path / "space.keras")
    made.save(path)
    again = tf.keras.models.load_model(path)
    np.testing.assert_array_equal(again(batch()), made(batch()))
    assert again.get_config()["crosses"] == made.get_config()["crosses"]
    assert [x.shape.as_list() for x in again.get_inputs().values()] == [[None, 1]] * 7


def test_a_model_with_a_space_from_a_file(tmp_path: Path) -> None:
    """A model that begins with features as they come keeps what was learned of them."""
    made = space(tf)
    output = tf.keras.layers.Dense(2)(made.get_encoded_features())
    model = tf.keras.Model(made.get_inputs(), output)
    for name in ("model.keras", "model"):
        path = str(tmp_path / name)
        model.save(path)
        again = tf.keras.models.load_model(path)
        np.testing.assert_array_equal(
            again.predict(batch(), verbose=0), model.predict(batch(), verbose=0)
        )


def test_layers_with_a_vocabulary_are_not_adapted() -> None:
    """What was given when a layer was made stays."""
    make = tf.keras.utils.FeatureSpace
    lookup = tf.keras.layers.StringLookup(vocabulary=["p", "q"])
    made = make({"word": make.feature("string", lookup, "one_hot"), "x": "float_normalized"})
    made.adapt(tf.data.Dataset.from_tensor_slices({"word": ["z", "p"], "x": [1.0, 3.0]}))
    result = made({"word": tf.constant(["p", "z"]), "x": tf.constant([1.0, 3.0])})
    np.testing.assert_allclose(result, [[0, 1, 0, -1], [1, 0, 0, 1]])


def test_a_space_that_learns_nothing_needs_no_data() -> None:
    """Hashes and scales are known from the start."""
    make = tf.keras.utils.FeatureSpace
    made = make({"word": make.string_hashed(3), "x": make.float_rescaled(2.0)})
    assert made({"word": "a", "x": 1.5}).shape == [4]


def test_vectors_go_through_a_preprocessor_of_ones_own() -> None:
    """A text layer's vectors are a feature like others."""
    make = tf.keras.utils.FeatureSpace
    text = tf.keras.layers.TextVectorization(output_mode="multi_hot", max_tokens=5)
    made = make({"text": make.feature("string", text, "float"), "x": "float"})
    data: dict[str, Any] = {"text": ["a b", "b c"], "x": [1.0, 2.0]}
    made.adapt(tf.data.Dataset.from_tensor_slices(data).batch(2))
    result = made({key: tf.constant(value) for key, value in data.items()})
    np.testing.assert_array_equal(result[:, -1], [1.0, 2.0])
    np.testing.assert_array_equal(tf.reduce_sum(result[:, :-1], -1), [2.0, 2.0])


def test_datasets_are_prepared_while_they_are_read() -> None:
    """Labels pass by."""
    made = space(tf)
    dataset = rows(tf).map(lambda row: (row, row["i2"])).batch(5)
    x, y = next(iter(dataset.map(lambda row, label: (made(row), label))))
    assert x.shape == [5, 35]
    assert y.numpy().tolist() == [0, 1, 2, 3, 4]
