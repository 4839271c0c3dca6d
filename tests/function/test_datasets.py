"""Datasets that a graph creates from values and sizes that it computes."""

import numpy as np
import pytest

import eagerflow as tf
from function.traced import traced

Dataset = tf.data.Dataset
VECTOR = tf.TensorSpec([None], tf.int32)
SIZE = tf.TensorSpec([], tf.int64)


def digits(dataset):
    """The elements of a dataset as the digits of one number."""
    return dataset.reduce(np.int64(0), lambda number, digit: number * 10 + tf.cast(digit, tf.int64))


CASES = {
    "range": (lambda x, n: Dataset.range(n), 12),
    "range with a step": (lambda x, n: Dataset.range(1, n + 3, n), 14),
    "constants": (lambda x, n: Dataset.from_tensor_slices([4, 5]), 45),
    "slices": (lambda x, n: Dataset.from_tensor_slices(x), 312),
    "pairs": (
        lambda x, n: Dataset.from_tensor_slices({"a": x, "b": x}).map(lambda e: e["a"] + e["b"]),
        624,
    ),
    "batches": (lambda x, n: Dataset.from_tensor_slices(x).batch(n - 1).map(tf.reduce_sum), 42),
    "take": (lambda x, n: Dataset.from_tensor_slices(x).take(n - 1), 31),
    "skip": (lambda x, n: Dataset.from_tensor_slices(x).skip(n - 1), 2),
    "repeat": (lambda x, n: Dataset.from_tensor_slices(x).repeat(n - 1), 312312),
    "one element": (lambda x, n: Dataset.from_tensors(tf.reduce_sum(x)), 6),
}


@pytest.mark.parametrize("name", CASES)
def test_datasets_of_symbolic_values(name):
    make, expected = CASES[name]
    run = traced(lambda x, n: digits(make(x, n)), VECTOR, SIZE)
    assert int(run([3, 1, 2], 3)) == expected
    run([5, 5], 2)
    assert int(run([3, 1, 2], 3)) == expected


def test_specs_are_those_of_the_trace():
    found = []

    def look(x, n):
        found.append(Dataset.from_tensor_slices((x, tf.ones([2, 3]))).element_spec)
        found.append(Dataset.range(n).batch(n).element_spec)
        return x

    traced(look, VECTOR, SIZE)
    assert found == [
        (tf.TensorSpec([], tf.int32), tf.TensorSpec([3], tf.float32)),
        tf.TensorSpec([None], tf.int64),
    ]
    with pytest.raises(ValueError, match="rank"):
        traced(lambda n: digits(Dataset.from_tensor_slices(n)), SIZE)
