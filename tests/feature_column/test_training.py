"""Models of feature columns: trained on tables in any form, saved and restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eagerflow as tf

make = tf.feature_column


def table() -> tuple[pd.DataFrame, pd.Series]:
    frame = pd.DataFrame(
        {
            "age": [30.0, 40.0, 50.0, 20.0] * 8,
            "thal": ["a", "b", "c", "a"] * 8,
            "target": [0, 1, 1, 0] * 8,
        }
    )
    target = frame.pop("target")
    return frame, target


def columns() -> list[Any]:
    age = make.numeric_column("age")
    buckets = make.bucketized_column(age, [25, 45])
    thal = make.categorical_column_with_vocabulary_list("thal", ["a", "b"])
    return [
        age,
        buckets,
        make.embedding_column(thal, 3, initializer=tf.keras.initializers.Constant(0.1)),
        make.indicator_column(thal),
        make.indicator_column(make.crossed_column([buckets, thal], 7)),
    ]


def model() -> Any:
    made = tf.keras.Sequential(
        [
            tf.keras.layers.DenseFeatures(columns()),
            tf.keras.layers.Dense(
                4, "relu", kernel_initializer=tf.keras.initializers.Constant(0.01)
            ),
            tf.keras.layers.Dense(1, kernel_initializer="ones"),
        ]
    )
    made.compile("sgd", tf.keras.losses.BinaryCrossentropy(from_logits=True), ["accuracy"])
    return made


def batches() -> Any:
    frame, target = table()
    return tf.data.Dataset.from_tensor_slices((dict(frame), target)).batch(8)


def test_training_on_a_dataset() -> None:
    """Losses are those that TensorFlow gives."""
    made = model()
    history = made.fit(batches(), epochs=2, verbose=0).history
    np.testing.assert_allclose(history["loss"], [0.7142912745475769, 0.6931483745574951], rtol=1e-5)
    assert history["accuracy"] == [0.5, 0.5]
    names = [variable.name for variable in made.weights]
    assert names[0] == "sequential/dense_features/thal_embedding/embedding_weights:0" or (
        names[0].endswith("thal_embedding/embedding_weights:0")
    )
    assert [v.shape.as_list() for v in made.weights] == [[2, 3], [16, 4], [4], [4, 1], [1]]


def test_training_on_dictionaries() -> None:
    """Columns of a table, or arrays, are as good as a dataset."""
    frame, target = table()
    expected = model().fit(batches(), epochs=1, verbose=0).history["loss"]
    for given in (dict(frame), {key: np.array(value) for key, value in frame.items()}):
        made = model()
        loss = made.fit(given, target, batch_size=8, shuffle=False, verbose=0).history["loss"]
        np.testing.assert_allclose(loss, expected, rtol=1e-6)


def test_embeddings_learn() -> None:
    """Gradients reach the vectors of those categories that are there."""
    thal = make.categorical_column_with_vocabulary_list("thal", ["a", "b", "never"])
    made = tf.keras.Sequential(
        [
            tf.keras.layers.DenseFeatures(
                [make.embedding_column(thal, 1, initializer=tf.ones_initializer())]
            ),
        ]
    )
    made.compile(tf.keras.optimizers.SGD(0.5), "mse")
    x = {"thal": np.array(["a", "b"], object)}
    made.fit(x, np.array([[2.0], [-2.0]]), epochs=40, verbose=0)
    np.testing.assert_allclose(made.weights[0].numpy(), [[2.0], [-2.0], [1.0]], atol=1e-3)


@pytest.mark.parametrize("form", [".keras", ".h5", ""])
@pytest.mark.parametrize("functional", [False, True])
def test_files(form: str, functional: bool, tmp_path: Path) -> None:
    """A model of columns gives the same after it has been saved and loaded."""
    if functional:
        inputs = {
            "age": tf.keras.Input((1,), name="age"),
            "thal": tf.keras.Input((1,), name="thal", dtype="string"),
        }
        x = tf.keras.layers.DenseFeatures(columns())(inputs)
        assert x.shape.as_list() == [None, 16]
        made = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(x))
        made.compile("adam", "mse")
    else:
        made = model()
    made.fit(batches(), verbose=0)
    path = str(tmp_path / f"model{form}")
    made.save(path)
    again = tf.keras.models.load_model(path)
    np.testing.assert_allclose(
        again.predict(batches(), verbose=0), made.predict(batches(), verbose=0), rtol=1e-6
    )


@pytest.mark.parametrize("form", [".h5", ""])
def test_weights_in_files(form: str, tmp_path: Path) -> None:
    """Weights are restored, the vectors of categories among them, even before layers are built."""
    made = model()
    made.fit(batches(), verbose=0)
    path = str(tmp_path / f"weights{form}")
    made.save_weights(path)
    again = model()
    if form:
        again.predict(batches(), verbose=0)
    again.load_weights(path)
    np.testing.assert_array_equal(
        again.predict(batches(), verbose=0), made.predict(batches(), verbose=0)
    )
    if not form:
        names = [name for name, _ in tf.train.list_variables(path)]
        expected = "layer_with_weights-0/thal_embedding.Sembedding_weights"
        assert f"{expected}/.ATTRIBUTES/VARIABLE_VALUE" in names


def test_weights_that_are_no_attributes_are_saved(tmp_path: Path) -> None:
    """A layer need not keep a weight as an attribute for checkpoints to have it."""

    class Shift(tf.keras.layers.Layer):
        def build(self, input_shape: Any) -> None:
            self.add_weight("by", [2], initializer="zeros")

        def call(self, inputs: Any) -> Any:
            return inputs + self.weights[0]

    first, second = (tf.keras.Sequential([Shift()]) for _ in range(2))
    x = tf.zeros([1, 2])
    first(x)
    first.set_weights([[1.0, 2.0]])
    first.save_weights(str(tmp_path / "w"))
    second.load_weights(str(tmp_path / "w"))
    np.testing.assert_array_equal(second(x), [[1.0, 2.0]])


def test_frozen_columns() -> None:
    """Neither a frozen column nor a frozen layer has weights to train."""
    thal = make.categorical_column_with_vocabulary_list("thal", ["a", "b"])
    age = make.categorical_column_with_identity("age", 3)
    given = {"thal": tf.constant(["a"]), "age": tf.constant([2])}
    pair = [make.embedding_column(thal, 2, trainable=False), make.embedding_column(age, 2)]
    layer = tf.keras.layers.DenseFeatures(pair)
    layer(given)
    assert [v.trainable for v in layer.weights] == [True, False]
    frozen = tf.keras.layers.DenseFeatures(pair, trainable=False)
    frozen(given)
    assert len(frozen.weights) == 2
    assert frozen.trainable_weights == []


def test_sequences_into_a_recurrent_layer() -> None:
    """Sequences of columns and their lengths are what a masked LSTM takes."""
    page = make.sequence_categorical_column_with_identity("page", 4)
    price = make.sequence_numeric_column("price")
    layer = tf.keras.experimental.SequenceFeatures([make.embedding_column(page, 2), price])
    given = {
        "page": tf.sparse.from_dense([[1, 2, 3], [2, 0, 0]]),
        "price": tf.sparse.from_dense([[1.0, 2.0, 3.0], [4.0, 0.0, 0.0]]),
    }
    with tf.GradientTape() as tape:
        values, lengths = layer(given)
        mask = tf.sequence_mask(lengths)
        outputs = tf.keras.layers.LSTM(3)(values, mask=mask)
        loss = tf.reduce_sum(outputs)
    assert values.shape == [2, 3, 3]
    assert mask.numpy().tolist() == [[True] * 3, [True, False, False]]
    gradient = tf.convert_to_tensor(tape.gradient(loss, layer.weights[0])).numpy()
    assert np.abs(gradient[1:]).min() > 0
    assert np.abs(gradient[0]).max() == 0
