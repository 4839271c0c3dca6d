"""tf.contrib.layers and framework without a package: feature columns, and what errors advise."""

import importlib

import numpy as np
import pytest

import eagerflow
from eagerflow import contrib, dropin
from eagerflow_compat.dropin import generations, packages

tf = eagerflow.compat.v1
layers = contrib.layers


@pytest.fixture
def columns(tmp_path):
    path = tmp_path / "words"
    path.write_text("red\nblue\n")
    colour = layers.sparse_column_with_keys("colour", ["red", "blue"])
    age = layers.real_valued_column("age", normalizer=lambda x: x / 10.0)
    return {
        "real": age,
        "buckets": layers.bucketized_column(layers.real_valued_column("age"), [20.0, 40.0]),
        "keys": layers.one_hot_column(colour),
        "file": layers.one_hot_column(
            layers.sparse_column_with_vocabulary_file("colour", str(path), vocab_size=2)
        ),
        "hash": layers.one_hot_column(layers.sparse_column_with_hash_bucket("colour", 5)),
        "integers": layers.one_hot_column(layers.sparse_column_with_integerized_feature("id", 3)),
        "vectors": layers.embedding_column(colour, 2, initializer=tf.ones_initializer()),
        "crossed": layers.one_hot_column(
            layers.crossed_column([colour, layers.sparse_column_with_hash_bucket("place", 4)], 6)
        ),
        "weighted": layers.one_hot_column(layers.weighted_sparse_column(colour, "amount")),
    }


FEATURES = {
    "age": [[10.0], [50.0]],
    "colour": [["red"], ["blue"]],
    "id": [[2], [0]],
    "place": [["a"], ["b"]],
    "amount": [[0.5], [2.0]],
}
VALUES = {
    "real": [[1], [5]],
    "buckets": [[1, 0, 0], [0, 0, 1]],
    "keys": [[1, 0], [0, 1]],
    "file": [[1, 0], [0, 1]],
    "hash": 5,
    "integers": [[0, 0, 1], [1, 0, 0]],
    "vectors": [[1, 1], [1, 1]],
    "crossed": 6,
    "weighted": [[0.5, 0], [0, 2]],
}


@pytest.mark.parametrize("name", VALUES)
def test_columns_give_values_and_weights(columns, name):
    column, expected = columns[name], VALUES[name]
    with tf.Graph().as_default(), tf.Session() as session:
        features = {key: tf.constant(value) for key, value in FEATURES.items()}
        rows = layers.input_from_feature_columns(features, [column], scope="inputs")
        sums, variables, bias = layers.weighted_sum_from_feature_columns(features, [column], 3)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        found = session.run(rows)
        if isinstance(expected, int):  # Where a hash is does not matter here.
            assert found.shape == (2, expected) and found.sum(1).tolist() == [1, 1]
        else:
            np.testing.assert_allclose(found, expected)
        assert session.run(sums).tolist() == [[0, 0, 0]] * 2 and bias.shape == [3]
        assert set(variables) == {column}
    assert set(layers.create_feature_spec_for_parsing([column])) <= set(FEATURES)


def test_files_of_checkpoints(tmp_path):
    framework = contrib.framework
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v", initializer=[1.0, 2.0])
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "c"))
    assert framework.list_variables(path) == [("v", [2])]
    assert framework.load_variable(path, "v").tolist() == [1, 2]
    assert framework.is_tensor(eagerflow.constant(1)) and framework.nest.flatten([1, (2,)]) == [
        1,
        2,
    ]


def test_errors_say_which_package_has_the_rest(monkeypatch):
    monkeypatch.setattr(packages, "_is_installed", lambda namespace: False)
    first = eagerflow.install_as_tensorflow("1.x")
    try:
        for ask in (
            lambda: first.contrib.slim,
            lambda: first.contrib.layers.conv2d_transpose,
            lambda: importlib.import_module("tensorflow.contrib.slim.nets"),
        ):
            with pytest.raises((AttributeError, ImportError), match=r"eagerflow\[slim\]"):
                ask()
        assert first.contrib.layers.fully_connected is layers.fully_connected
        assert not hasattr(first.contrib, "slim") and "slim" not in dir(first.contrib)
    finally:
        dropin.uninstall()
    # The text of a program is of the generation that has the names, installed or not.
    assert generations.exists("contrib.slim.nets.vgg", "1.x")
    assert not generations.exists("contrib.slim", "2.x")
