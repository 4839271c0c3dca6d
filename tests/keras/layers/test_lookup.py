"""StringLookup and IntegerLookup: vocabularies, and bad arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


def test_vocabulary_order_and_files(tmp_path: Path) -> None:
    layer = layers.StringLookup()
    layer.adapt(np.array(["b", "a", "c", "a", "b", "d"]))
    assert layer.get_vocabulary() == ["[UNK]", "b", "a", "d", "c"]
    assert layer.get_vocabulary(include_special_tokens=False) == ["b", "a", "d", "c"]
    assert layer.vocabulary_size() == 5
    path = tmp_path / "terms.txt"
    path.write_text("wind\nfire\n")
    from_file = layers.StringLookup(vocabulary=str(path))
    assert from_file(np.array(["fire", "ice"])).numpy().tolist() == [2, 0]
    assert layers.StringLookup.from_config(from_file.get_config())("wind").numpy() == 1
    many = layers.StringLookup(max_tokens=3)
    many.adapt(["x", "x", "y", "z", "y"])
    assert many.get_vocabulary() == ["[UNK]", "y", "x"]
    inverse = layers.StringLookup(vocabulary=many.get_vocabulary(), invert=True)
    assert inverse(many(["x", "q"])).numpy().tolist() == [b"x", b"[UNK]"]


def test_several_unknown_numbers() -> None:
    layer = layers.StringLookup(vocabulary=["a", "b"], num_oov_indices=3)
    numbers = layer([f"word {k}" for k in range(40)] + ["a"]).numpy()
    assert set(numbers[:-1]) == {0, 1, 2} and numbers[-1] == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="OOV values"):
        layers.IntegerLookup(vocabulary=[1, 2], num_oov_indices=0)([1, 3])


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("max_tokens", {"max_tokens": 1}),
        ("pad_to_max_tokens", {"pad_to_max_tokens": True}),
        ("output_mode", {"output_mode": "ragged"}),
        ("invert", {"invert": True, "output_mode": "count"}),
        ("repeated", {"vocabulary": ["a", "a"]}),
        ("empty vocabulary", {"vocabulary": []}),
        ("mask token", {"vocabulary": ["a", "m"], "mask_token": "m"}),
        ("OOV token", {"vocabulary": ["a", "[UNK]"]}),
        ("larger than", {"vocabulary": ["a", "b", "c"], "max_tokens": 3}),
        ("idf_weights", {"vocabulary": ["a"], "output_mode": "tf_idf"}),
        ("same length", {"vocabulary": ["a"], "output_mode": "tf_idf", "idf_weights": [1, 2]}),
    ],
)
def test_lookup_errors(message: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=message):
        layers.StringLookup(**arguments)


@pytest.mark.parametrize(
    "make, inputs",
    [
        (lambda: layers.StringLookup(), ["a"]),
        (lambda: layers.IntegerLookup(), [1]),
        (lambda: layers.StringLookup(invert=True), [1]),
        (lambda: layers.TextVectorization(), ["a b"]),
    ],
)
def test_layers_without_a_vocabulary_say_so(make: Any, inputs: Any) -> None:
    """In calls, and in models that were built before."""
    layer = make()
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"not initialized.*`adapt`"):
        layer(tf.constant(inputs))
    batch = tf.constant([inputs])
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype=batch.dtype), layer])
    with pytest.raises(tf.errors.FailedPreconditionError, match="not initialized"):
        model.predict(batch, verbose=0)
    layer.adapt(tf.constant(["a", "b"]) if batch.dtype is tf.string else tf.constant([1, 2]))
    expected = model.predict(batch, verbose=0)
    assert expected.shape[0] == 1
    layer.reset_state()
    np.testing.assert_array_equal(model.predict(batch, verbose=0), expected)


def test_a_vocabulary_stays_until_another_is_counted() -> None:
    """Counting begins anew with `reset_state`, and takes arrays."""
    layer = layers.StringLookup()
    layer.adapt(["a", "b", "b"])
    layer.reset_state()
    assert layer.get_vocabulary() == ["[UNK]", "b", "a"]
    layer.update_state(np.array(["c", "d", "c"]))
    assert layer.get_vocabulary() == ["[UNK]", "b", "a"]
    layer.finalize_state()
    assert layer.get_vocabulary() == ["[UNK]", "c", "d"]
    assert layer(["b", "d"]).numpy().tolist() == [0, 2]


def test_a_vocabulary_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        layers.TextVectorization(vocabulary=str(tmp_path / "none.txt"))
