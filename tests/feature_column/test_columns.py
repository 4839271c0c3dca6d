"""Feature columns with files, checkpoints, examples and layers' configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eagerflow as tf

make = tf.feature_column


def dense(column: Any, features: dict[str, Any]) -> np.ndarray:
    return tf.keras.layers.DenseFeatures([column])(features).numpy()


@pytest.fixture
def words(tmp_path: Path) -> str:
    path = tmp_path / "words.txt"
    path.write_text("a\nb\nc\n")
    return str(path)


def test_vocabulary_files(words: str) -> None:
    """Lines are categories; a size cuts them, and other words share buckets."""
    given = {"word": tf.constant(["c", "a", "?"])}
    whole = make.categorical_column_with_vocabulary_file("word", words)
    assert whole.vocabulary_size == whole.num_buckets == 3
    np.testing.assert_array_equal(
        dense(make.indicator_column(whole), given), [[0, 0, 1], [1, 0, 0], [0, 0, 0]]
    )
    cut = make.categorical_column_with_vocabulary_file("word", words, 2, num_oov_buckets=1)
    np.testing.assert_array_equal(
        dense(make.indicator_column(cut), given), [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    )
    again = type(cut).from_config(cut.get_config())
    assert again == cut
    long = make.categorical_column_with_vocabulary_file("word", words, 5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected 5 but got 3"):
        dense(make.indicator_column(long), given)


def test_vocabulary_of_records(tmp_path: Path) -> None:
    """A compressed file of records is a vocabulary, too."""
    path = str(tmp_path / "words.gz")
    with tf.io.TFRecordWriter(path, tf.io.TFRecordOptions(compression_type="GZIP")) as writer:
        for word in (b"x", b"y"):
            writer.write(word)
    column = make.categorical_column_with_vocabulary_file("word", path, file_format="tfrecord_gzip")
    assert column.num_buckets == 2
    np.testing.assert_array_equal(
        dense(make.indicator_column(column), {"word": tf.constant(["y"])}), [[0, 1]]
    )


def test_version_1_takes_arguments_in_its_order(words: str) -> None:
    """Buckets come before the default."""
    column = tf.compat.v1.feature_column.categorical_column_with_vocabulary_file("w", words, 2, 3)
    assert column.num_oov_buckets == 3


def test_vectors_from_a_checkpoint(tmp_path: Path) -> None:
    """An embedding starts with what a checkpoint has."""
    table = np.arange(6, dtype=np.float32).reshape(3, 2)
    prefix = tf.train.Checkpoint(table=tf.Variable(table)).save(str(tmp_path / "ckpt"))
    column = make.embedding_column(
        make.categorical_column_with_identity("id", 3),
        2,
        ckpt_to_load_from=prefix,
        tensor_name_in_ckpt="table/.ATTRIBUTES/VARIABLE_VALUE",
    )
    np.testing.assert_array_equal(dense(column, {"id": tf.constant([2, 0])}), table[[2, 0]])


def test_ragged_features() -> None:
    """Rows of different lengths are lists of categories."""
    column = make.indicator_column(make.categorical_column_with_identity("id", 3))
    given = {"id": tf.ragged.constant([[0, 0, 2], [], [1]])}
    np.testing.assert_array_equal(dense(column, given), [[2, 0, 1], [0, 0, 0], [0, 1, 0]])


def test_functions_in_configurations() -> None:
    """A normalizer is named, and found again among the custom objects."""

    def halved(x: Any) -> Any:
        return x / 2

    layer = tf.keras.layers.DenseFeatures([make.numeric_column("x", normalizer_fn=halved)])
    config = layer.get_config()
    assert config["feature_columns"][0]["config"]["normalizer_fn"] == "halved"
    with pytest.raises(ValueError, match="Unknown normalizer_fn: halved"):
        tf.keras.layers.DenseFeatures.from_config(config)
    again = tf.keras.layers.DenseFeatures.from_config(config, custom_objects={"halved": halved})
    np.testing.assert_array_equal(again({"x": tf.constant([4.0])}), [[2.0]])


def test_a_column_of_the_program() -> None:
    """A class of the program's own works like the others."""
    from eagerflow.feature_column.base import DenseColumn

    class Length(DenseColumn):
        name = "length"
        parents = ["text"]
        variable_shape = tf.TensorShape([1])
        parse_example_spec = {"text": tf.io.FixedLenFeature([], tf.string)}

        def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
            text = transformation_cache.get("text", state_manager)
            return tf.cast(tf.strings.length(text), tf.float32)

        def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
            return transformation_cache.get(self, state_manager)

    np.testing.assert_array_equal(
        dense(Length(), {"text": tf.constant(["abc", "a"])}), [[3.0], [1.0]]
    )


def test_shared_vectors_in_a_graph() -> None:
    """Two columns have one variable, which a step of training changes."""
    v1 = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default():
        first, second = make.shared_embeddings(
            [make.categorical_column_with_identity(name, 3) for name in "ab"],
            2,
            initializer=tf.ones_initializer(),
        )
        given = {"a": v1.placeholder(tf.int64, [None]), "b": v1.placeholder(tf.int64, [None])}
        vectors = tf.keras.layers.DenseFeatures([first, second])(given)
        assert vectors.shape.as_list() == [None, 4]
        (table,) = v1.trainable_variables()
        assert table.name == "a_b_shared_embedding:0"
        loss = tf.reduce_sum(vectors)
        step = v1.train.GradientDescentOptimizer(0.5).minimize(loss)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(step, {given["a"]: [0, 1], given["b"]: [1, 1]})
            np.testing.assert_array_equal(session.run(table), [[0.5, 0.5], [-0.5, -0.5], [1, 1]])


def test_linear_model_learns() -> None:
    """Version 1's linear model is trained by its optimizers in a session."""
    v1 = tf.compat.v1
    columns = v1.feature_column
    with tf.Graph().as_default():
        age = v1.placeholder(tf.float32, [None, 1])
        color = v1.placeholder(tf.string, [None, 1])
        label = v1.placeholder(tf.float32, [None, 1])
        listed = columns.categorical_column_with_vocabulary_list("color", ["R", "G"])
        weights: dict[Any, Any] = {}
        guess = columns.linear_model(
            {"age": age, "color": color},
            [columns.numeric_column("age"), listed],
            cols_to_vars=weights,
        )
        loss = tf.reduce_mean(tf.square(guess - label))
        step = v1.train.GradientDescentOptimizer(0.3).minimize(loss)
        feeds = {
            age: [[0.0], [1.0], [0.0], [1.0]],
            color: [["R"], ["R"], ["G"], ["G"]],
            label: [[1.0], [2.0], [3.0], [4.0]],
        }
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.tables_initializer()])
            for _ in range(300):
                session.run(step, feeds)
            np.testing.assert_allclose(session.run(guess, feeds), feeds[label], atol=1e-3)
        assert [v.name for v in weights[listed]] == ["linear_model/color/weights:0"]


def test_features_of_unknown_rank() -> None:
    """Vectors become columns, and scalars are refused when the graph runs."""
    v1 = tf.compat.v1
    columns = [tf.feature_column.numeric_column("a"), tf.feature_column.numeric_column("b")]
    with tf.Graph().as_default():
        given = {"a": v1.placeholder(tf.int64), "b": v1.placeholder(tf.float32)}
        net = tf.keras.layers.DenseFeatures(columns)(given)
        assert net.shape.as_list() == [None, 2]
        with v1.Session() as session:
            result = session.run(net, {given["a"]: [1, 2], given["b"]: [[3.0], [4.0]]})
            assert result.tolist() == [[1.0, 3.0], [2.0, 4.0]]
            with pytest.raises(tf.errors.InvalidArgumentError, match="a\\) cannot have rank 0"):
                session.run(net, {given["a"]: 1, given["b"]: [[3.0]]})


def test_sparse_vectors_are_columns() -> None:
    """A sparse vector has one category for each example."""
    kind = tf.feature_column.categorical_column_with_vocabulary_list("kind", ["x", "y"])
    layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(kind)])
    given = tf.SparseTensor([[0], [2]], ["y", "x"], [3])
    assert layer({"kind": given}).numpy().tolist() == [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]


def test_columns_have_one_batch_size() -> None:
    """Columns of different numbers of examples are refused by their names."""
    columns = [tf.feature_column.numeric_column("a"), tf.feature_column.numeric_column("b")]
    with pytest.raises(ValueError, match=r"must be same\. .* columns \(a, b\): \(3, 2\)"):
        tf.keras.layers.DenseFeatures(columns)({"a": [[1.0], [2.0], [3.0]], "b": [[1.0], [2.0]]})
