"""Vocabularies, bins and numbers that layers learn, and bad arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def parts(texts: Any) -> Any:
    """Texts, cut at dashes."""
    return [text.split(b"-") for text in np.atleast_1d(texts.numpy())]


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


def test_categories_out_of_range() -> None:
    layer = layers.CategoryEncoding(3)
    for wrong in ([0, 3], [-1, 0]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_tokens=3"):
            layer(tf.constant([wrong]))
    with pytest.raises(ValueError, match="count_weights"):
        layer(tf.constant([[0, 1]]), count_weights=[[1.0, 1.0]])


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
