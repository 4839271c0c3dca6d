"""Expressions of shapes of ragged tensors, and what TensorFlow 2.21 shows for them."""

import json
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf

CASES = json.loads((Path(__file__).parent / "recorded.json").read_text())


def names():
    """What the expressions are about."""
    rt = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
    return {
        "tf": tf,
        "np": np,
        "D": tf.experimental.DynamicRaggedShape,
        "P": tf.experimental.RowPartition,
        "rt": rt,
        "s": tf.shape(rt),
        "r2": tf.ragged.constant([[[1], [2, 3]], [], [[4]]]),
        "ru": tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2),
        "rd": tf.RaggedTensor.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 2, 3]),
        "ri": tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int32),
    }


@pytest.mark.parametrize("expression, expected", CASES, ids=[case[0] for case in CASES])
def test_shows_what_tensorflow_shows(expression, expected):
    try:
        shown = repr(eval(expression, names()))
    except Exception as error:
        shown = type(error).__name__
    assert shown == expected


def test_gradients_flow_through_broadcasting():
    x = tf.constant([[10.0], [20.0], [30.0]])
    shape = tf.shape(tf.ragged.constant([[1, 2], [], [3, 4, 5]]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.broadcast_to(x, shape) ** 2)
    np.testing.assert_array_equal(tape.gradient(y, x), [[40.0], [0.0], [180.0]])


def test_structures_take_shapes_apart():
    shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
    inner, splits = tf.nest.flatten(shape, expand_composites=True)
    assert inner.numpy().tolist() == [3]
    assert splits.numpy().tolist() == [0, 2, 3]
    again = tf.nest.pack_sequence_as(shape, [inner, splits], expand_composites=True)
    assert bool(again == shape)
