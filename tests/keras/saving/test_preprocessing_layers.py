"""What preprocessing layers have learned, in files of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


WORDS = np.array([["a"], ["b"], ["b"]], object)


NUMBERS = np.array([[1.0], [2.0], [4.0]], "float32")


COUNTS = np.array([[1], [2], [2]], "int64")


LOOKUPS: dict[str, tuple[Any, Any, str]] = {
    "strings": (lambda: layers.StringLookup(), WORDS, "string"),
    "factors": (
        lambda: layers.StringLookup(8, output_mode="tf_idf", pad_to_max_tokens=True),
        WORDS,
        "string",
    ),
    "integers": (lambda: layers.IntegerLookup(), COUNTS, "int64"),
    "texts": (lambda: layers.TextVectorization(), WORDS, "string"),
}


ALL = {
    **LOOKUPS,
    "bins": (lambda: layers.Discretization(num_bins=2), NUMBERS, "float32"),
    "statistics": (lambda: layers.Normalization(), NUMBERS, "float32"),
}


def model(kind: str, learned: bool = True) -> Any:
    make, data, dtype = ALL[kind]
    layer = make()
    if learned:
        layer.adapt(data)
    return tf.keras.Sequential([tf.keras.Input((1,), dtype=dtype), layer])


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("form", ["model.keras", "model"])
def test_models(kind: str, form: str, tmp_path: Path) -> None:
    """A model that is loaded knows what its layers have learned."""
    made = model(kind)
    path = str(tmp_path / form)
    made.save(path)
    data = ALL[kind][1]
    np.testing.assert_array_equal(tf.keras.models.load_model(path)(data), made(data))


@pytest.mark.parametrize("kind", ["bins", "statistics"])
def test_models_in_hdf5(kind: str, tmp_path: Path) -> None:
    """Numbers are weights, which HDF5 holds."""
    made = model(kind)
    path = str(tmp_path / "model.h5")
    made.save(path)
    data = ALL[kind][1]
    np.testing.assert_array_equal(tf.keras.models.load_model(path)(data), made(data))


@pytest.mark.parametrize("kind", LOOKUPS)
def test_hdf5_holds_no_vocabularies(kind: str, tmp_path: Path) -> None:
    """Rather than lose a vocabulary, nothing is saved."""
    made = model(kind)
    with pytest.raises(NotImplementedError, match="save_format='tf'"):
        made.save(str(tmp_path / "model.h5"))
    with pytest.raises(NotImplementedError, match="save_format='tf'"):
        made.save_weights(str(tmp_path / "weights.h5x"), save_format="h5")
    given = tf.keras.Sequential(
        [tf.keras.Input((1,), dtype="string"), layers.StringLookup(vocabulary=["a", "b"])]
    )
    path = str(tmp_path / "given.h5")
    given.save(path)
    np.testing.assert_array_equal(tf.keras.models.load_model(path)(WORDS), [[1], [2], [2]])


@pytest.mark.parametrize("kind", ALL)
def test_weights_in_checkpoints(kind: str, tmp_path: Path) -> None:
    """Checkpoints hold what was learned, under the names that weights were made with."""
    made, fresh = model(kind), model(kind, learned=False)
    path = str(tmp_path / "weights")
    made.save_weights(path)
    fresh.load_weights(path)
    data = ALL[kind][1]
    np.testing.assert_array_equal(fresh(data), made(data))
    names = [
        name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE")
        for name, _ in tf.train.list_variables(path)
    ]
    if kind == "statistics":
        first = "layer_with_weights-0"
        assert names[1:] == [f"{first}/count", f"{first}/mean", f"{first}/variance"]
    if kind == "bins":
        assert names[1:] == ["layer_with_weights-0/summary"]


def test_checkpoints_of_layers(tmp_path: Path) -> None:
    """A layer by itself is saved by `tf.train.Checkpoint`, too."""
    layer, fresh = layers.StringLookup(), layers.StringLookup()
    layer.adapt(WORDS)
    prefix = tf.train.Checkpoint(layer=layer).save(str(tmp_path / "ckpt"))
    tf.train.Checkpoint(layer=fresh).restore(prefix).assert_consumed()
    assert fresh.get_vocabulary() == ["[UNK]", "b", "a"]
