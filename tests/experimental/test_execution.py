"""Contexts that say how operations are run, and functions that are not converted."""

import pytest

import eagerflow as tf


def test_contexts():
    with tf.experimental.async_scope():
        assert int(tf.constant(1) + 1) == 2
    tf.experimental.async_clear_error()
    for kind in (None, "SINGLE_THREADED_EXECUTOR"):
        with tf.experimental.function_executor_type(kind):
            assert int(tf.function(lambda: tf.constant(1) + 1)()) == 2
    with pytest.raises(tf.errors.NotFoundError):
        with tf.experimental.function_executor_type("foo"):
            pass


def test_errors_come_up_inside():
    with tf.experimental.async_scope():
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.constant([1.0]) + tf.constant([1.0, 2.0, 3.0]) + tf.zeros([2])
