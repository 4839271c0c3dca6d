"""Pipelines that compute elements without calls of Python functions."""

import numpy as np
import pytest

import eagerflow as tf
from python_calls import calls_each

X = np.ones([200, 4], np.float32)
NESTED = {"x": X, "y": (X, {"z": X})}
SLICES = tf.data.Dataset.from_tensor_slices

MAPPED = {
    "a tensor": lambda count: SLICES(X[:count]).map(lambda x: 2 * x),
    "a pair": lambda count: SLICES((X[:count], X[:count])).map(lambda x, y: (y, x)),
    "a structure": lambda count: SLICES(tf.nest.map_structure(lambda x: x[:count], NESTED)).map(
        lambda row: {**row, "x": 2 * row["x"]}
    ),
    "shuffled": lambda count: SLICES(X[:count]).shuffle(10_000).map(lambda x: 2 * x),
    "two maps": lambda count: SLICES(X[:count]).map(lambda x: 2 * x).map(lambda x: x + 1),
    "quick calls": lambda count: SLICES(X[:count]).map(lambda x: 2 * x, tf.data.AUTOTUNE),
    "a range": lambda count: tf.data.Dataset.range(count).map(lambda x: 2 * x),
}


@pytest.mark.parametrize("kind", MAPPED)
def test_elements_of_traced_maps(kind):
    datasets = {count: MAPPED[kind](count).batch(count) for count in (20, 60)}
    assert calls_each(lambda count: list(datasets[count]), 20, 60) == 0


@pytest.mark.parametrize("kind", MAPPED)
def test_positions_in_the_middle(kind):
    dataset = MAPPED[kind](40)
    iterator, other = iter(dataset), iter(dataset)
    for _ in range(13):
        next(iterator)
    other._cursor.restore(iterator._cursor.state())
    rest, again = list(iterator), list(other)
    assert len(rest) == len(again) == 27
    for own, theirs in zip(rest, again, strict=True):
        tf.nest.map_structure(np.testing.assert_array_equal, own, theirs)
