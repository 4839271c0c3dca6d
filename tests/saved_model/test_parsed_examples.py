"""Functions in files that parse Example messages with defaults that are tensors."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        (lambda: tf.io.FixedLenFeature([2], tf.float32, tf.constant(1.5)), [[1.5, 1.5]]),
        (lambda: tf.io.FixedLenFeature([2], tf.int64, tf.constant([1, 2], tf.int64)), [[1, 2]]),
        (lambda: tf.io.FixedLenFeature([], tf.string, tf.constant("x")), [b"x"]),
        (lambda: tf.io.FixedLenFeature([], tf.string, tf.constant(["x"])[0]), [b"x"]),
        (
            lambda: tf.io.FixedLenSequenceFeature([], tf.float32, True, tf.constant(7.0)),
            np.zeros([1, 0]),
        ),
    ],
)
def test_defaults_that_are_tensors(feature, expected, tmp_path):
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def parse(serialized):
        return tf.io.parse_example(serialized, {"a": feature()})["a"]

    module.parse = parse
    empty = tf.constant([tf.train.Example().SerializeToString()])
    np.testing.assert_array_equal(parse(empty), expected)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_array_equal(loaded.parse(empty), expected)
