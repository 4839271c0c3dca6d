"""Tables that operations make in graphs for sessions."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf


def _dense() -> tf.Tensor:
    return tf.raw_ops.MutableDenseHashTableV2(
        empty_key=tf.constant(-1, tf.int64),
        deleted_key=tf.constant(-2, tf.int64),
        value_dtype=tf.float32,
    )


def _plain() -> tf.Tensor:
    return tf.raw_ops.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.float32)


@pytest.mark.parametrize("make", [_dense, _plain])
def test_tables_hold_what_is_inserted_before(make) -> None:
    """An insertion is an operation, which others wait for, and has the name it is given."""
    with tf.compat.v1.Graph().as_default() as graph:
        table = make()
        inserted = tf.raw_ops.LookupTableInsertV2(
            table_handle=table, keys=tf.constant([1, 2], tf.int64), values=[1.0, 2.0], name="put"
        )
        with tf.control_dependencies([inserted]):
            tf.raw_ops.LookupTableFindV2(
                table_handle=table,
                keys=tf.constant([2, 3], tf.int64),
                default_value=9.0,
                name="get",
            )
    with tf.compat.v1.Session(graph=graph) as session:
        np.testing.assert_array_equal(session.run("get:0"), [2.0, 9.0])


def test_reserved_keys_cannot_be_inserted() -> None:
    """The key of free slots belongs to the table."""
    table = _dense()
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key"):
        tf.raw_ops.LookupTableInsertV2(
            table_handle=table, keys=tf.constant([-1], tf.int64), values=[1.0]
        )


def test_vocabularies_without_words() -> None:
    """All words share the ids: strings, where no dtype is given."""
    table = tf.lookup.StaticVocabularyTable(None, 3)
    assert table.key_dtype is tf.string
    np.testing.assert_array_equal(table.lookup(tf.constant(["a", "b", "c"])), [0, 1, 1])
