"""What holds for all layers that learn from data: models, files, sparse and ragged results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from layer_cases import values

layers = tf.keras.layers


def parts(texts: Any) -> Any:
    """Texts, cut at dashes."""
    return [text.split(b"-") for text in np.atleast_1d(texts.numpy())]


def test_in_a_functional_model() -> None:
    """Layers that look at values describe their results without any."""
    texts = tf.keras.Input([1], dtype="string")
    vectorize = layers.TextVectorization(vocabulary=["a", "b"], output_sequence_length=4)
    embedded = layers.Embedding(4, 3, mask_zero=True)(vectorize(texts))
    model = tf.keras.Model(texts, layers.LSTM(2)(embedded))
    assert model.output_shape == (None, 2)
    assert model(tf.constant([["a b"], ["b"]])).shape == (2, 2)
    number = tf.keras.Input([2])
    encoded = layers.CategoryEncoding(3)(layers.Discretization([0.0, 1.0])(number))
    assert encoded.shape.as_list() == [None, 3]


def test_first_names() -> None:
    """Programs of TensorFlow 2.3 find these layers under `experimental`."""
    module = tf.keras.layers.experimental.preprocessing
    assert module.Rescaling is layers.Rescaling
    for name in module.__all__:
        if name != "PreprocessingLayer":
            assert getattr(module, name) is getattr(layers, name)
    layer = tf.keras.layers.experimental.SyncBatchNormalization()
    again = type(layer).from_config(layer.get_config())
    assert again.synchronized and again(values(4, 3), training=True).shape == (4, 3)


def test_sparse_and_ragged_results() -> None:
    words = tf.constant([["a", "c"], ["b", "b"]])
    for make in (
        lambda **k: layers.StringLookup(vocabulary=["a", "b"], output_mode="count", **k),
        lambda **k: layers.Hashing(4, output_mode="multi_hot", **k),
    ):
        result = make(sparse=True)(words)
        assert isinstance(result, tf.sparse.SparseTensor)
        np.testing.assert_array_equal(tf.sparse.to_dense(result).numpy(), make()(words).numpy())
    encoded = layers.CategoryEncoding(3, output_mode="count", sparse=True)(tf.constant([[0, 2, 2]]))
    assert tf.sparse.to_dense(encoded).numpy().tolist() == [[1.0, 0.0, 2.0]]
    with pytest.raises(ValueError, match="sparse"):
        layers.Discretization([0.0], sparse=True)
    texts = ["a b a", "", "b"]
    ragged = layers.TextVectorization(vocabulary=["a", "b"], ragged=True)(texts)
    assert ragged.to_list() == [[2, 3, 2], [], [3]]
    with pytest.raises(ValueError, match="output_sequence_length"):
        layers.TextVectorization(ragged=True, output_sequence_length=2)
    with pytest.raises(ValueError, match="ragged"):
        layers.TextVectorization(ragged=True, output_mode="count")


ADAPTED = {
    "words": (layers.TextVectorization, {}, [["a b c"], ["b c c"], ["d a a"]]),
    "weighted words": (
        layers.TextVectorization,
        {"output_mode": "tf_idf"},
        [["a b c"], ["b c c"], ["d a a"]],
    ),
    "terms": (layers.StringLookup, {"num_oov_indices": 2}, [["x"], ["y"], ["y"]]),
    "numbers": (layers.IntegerLookup, {"output_mode": "one_hot"}, [[5], [7], [7]]),
    "bins": (layers.Discretization, {"num_bins": 3}, [[1.0], [2.0], [3.0], [5.0]]),
    "means": (layers.Normalization, {}, [[1.0], [2.0], [5.0]]),
}


@pytest.mark.parametrize("name", list(ADAPTED))
def test_what_was_adapted_is_saved(name: str, tmp_path: Path) -> None:
    kind, options, rows = ADAPTED[name]
    data = tf.constant(rows)
    layer = kind(**options)
    layer.adapt(data)
    inputs = tf.keras.Input((1,), dtype=data.dtype)
    outputs = layer(inputs)
    if outputs.dtype.is_floating and outputs.shape[-1] > 1:  # layers after it have its size
        outputs = tf.keras.layers.Dense(2)(outputs)
    model = tf.keras.Model(inputs, outputs)
    path = tmp_path / "model.keras"
    model.save(path)
    again = tf.keras.models.load_model(path)
    np.testing.assert_array_equal(again(data).numpy(), model(data).numpy())
    if hasattr(layer, "get_vocabulary"):
        assert again.layers[1].get_vocabulary() == layer.get_vocabulary()


def test_numbers_in_ragged_rows_become_terms() -> None:
    """An inverted lookup gives rows of terms; sparse ones as well."""
    layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"], invert=True)
    rows = layer(tf.ragged.constant([[1, 2], [0]], dtype=tf.int64))
    assert rows.to_list() == [[b"a", b"b"], [b"[UNK]"]]
    sparse = layer(tf.sparse.from_dense(tf.constant([[1, 0], [0, 2]], tf.int64)))
    assert sparse.values.numpy().tolist() == [b"a", b"b"]


def test_adapt_begins_a_shuffled_dataset_twice() -> None:
    """Later epochs of the dataset are in the order in which TensorFlow has them."""

    def shuffled() -> Any:
        return tf.data.Dataset.range(12).shuffle(12, seed=3).batch(4)

    def first(dataset: Any) -> list[int]:
        return next(iter(dataset)).numpy().tolist()

    dataset = shuffled()
    epochs = [first(dataset) for _ in range(4)]
    dataset = shuffled()
    tf.keras.layers.IntegerLookup().adapt(dataset)
    assert first(dataset) == epochs[2]
    dataset = shuffled()
    tf.keras.layers.IntegerLookup().adapt(dataset, steps=2)
    assert first(dataset) == epochs[1]
    dataset = shuffled()
    space = tf.keras.utils.FeatureSpace({"a": "float_normalized"})
    space.adapt(dataset.unbatch().map(lambda x: {"a": tf.cast(x, tf.float32)}))
    assert first(dataset) == epochs[3]


@pytest.mark.parametrize("dtype", ["float32", "string", "int64", None])
def test_hashing_returns_integers_whatever_its_dtype(dtype):
    layer = tf.keras.layers.Hashing(3, dtype=dtype)
    assert layer.dtype == "int64"
    assert layer(tf.constant(["a", "b"])).dtype == tf.int64
    assert tf.keras.layers.Hashing(3, dtype="int32")(tf.constant(["a"])).dtype == tf.int32


def test_ragged_images_are_cropped_one_by_one():
    small, large = tf.ones([3, 3, 1]), tf.reshape(tf.range(24.0), [4, 6, 1])
    layer = tf.keras.layers.Resizing(2, 2, crop_to_aspect_ratio=True)
    result = layer(tf.ragged.stack([large, small]))
    assert result.shape == [2, 2, 2, 1]
    for image, resized in zip((large, small), result, strict=True):
        assert resized.numpy().tolist() == layer(image).numpy().tolist()
