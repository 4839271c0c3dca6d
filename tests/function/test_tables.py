"""Tables in graphs: lookups, and changes in the order of the program."""

import numpy as np
import pytest

import eagerflow as tf
from function.traced import lists, traced

WORDS = tf.TensorSpec([None], tf.string)


def initializer():
    return tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))


def test_lookups_take_keys_of_any_length():
    table = tf.lookup.StaticHashTable(initializer(), default_value=-1)
    words = tf.lookup.StaticVocabularyTable(initializer(), num_oov_buckets=1)

    def program(keys):
        ids = table.lookup(keys)
        assert ids.shape.as_list() == [None] and ids.dtype is tf.int64
        return ids, table[keys], words.lookup(keys), table.size(), words.size()

    run = traced(program, WORDS)
    assert lists(run(["b", "c"])) == ([1, -1], [1, -1], [1, 2], 2, 3)
    assert lists(run(["a"]))[0] == [0]


def test_ragged_and_sparse_keys_are_looked_up():
    table = tf.lookup.StaticHashTable(initializer(), default_value=-1)

    def program(keys):
        ragged = tf.RaggedTensor.from_row_lengths(keys, [1, 2])
        sparse = tf.sparse.from_dense(tf.reshape(keys, [1, 3]))
        return table.lookup(ragged), tf.sparse.to_dense(table.lookup(sparse))

    ragged, dense = traced(program, tf.TensorSpec([3], tf.string))(["a", "x", "b"])
    assert ragged.to_list() == [[0], [-1, 1]]
    assert dense.numpy().tolist() == [[0, -1, 1]]


def test_a_table_is_changed_by_every_run():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)

    def program(key, value):
        before = table.lookup(key)
        table.insert(key, value)
        after = table.lookup(key)
        table.remove(["gone"])
        return before, after, table.size(), table.lookup(["?"], tf.constant([7], tf.int64))

    run = traced(program, WORDS, tf.TensorSpec([None], tf.int64))
    assert table.size() == 0
    assert lists(run(["a"], [5])) == ([-1], [5], 1, [7])
    table.insert(["gone"], [1])
    assert lists(run(["a"], [6])) == ([5], [6], 1, [7])
    keys, values = traced(lambda: table.export())()
    assert (keys.numpy().tolist(), values.numpy().tolist()) == ([b"a"], [6])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape"):
        run(["a"], [1, 2])


def test_values_may_be_vectors():
    table = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.float32, default_value=[0.0, 0.0], empty_key=-1, deleted_key=-2
    )

    def program(key):
        table.insert(key, tf.ones([1, 2]))
        found = table.lookup(key + [[0], [1]])
        assert found.shape.as_list() == [2, 1, 2]
        return found

    run = traced(program, tf.TensorSpec([1], tf.int64))
    assert run(np.array([3])).numpy().tolist() == [[[1, 1]], [[0, 0]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not allowed"):
        run(np.array([-1]))


def test_a_table_may_be_made_while_tracing():
    def program(keys):
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([3])), default_value=0
        )
        return table.lookup(keys)

    assert traced(program, WORDS)(["a", "b"]).numpy().tolist() == [3, 0]


def test_keys_of_another_dtype_are_refused_while_tracing():
    table = tf.lookup.StaticHashTable(initializer(), default_value=-1)
    with pytest.raises(TypeError, match="keys"):
        traced(table.lookup, tf.TensorSpec([None], tf.int32))
