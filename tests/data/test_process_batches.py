"""Batches of elements that worker processes make: rows are written into the batch as they come."""

import numpy as np
import pytest

import eagerflow as tf


def batches(function, size, count=7, spec=None, **options):
    spec = spec or tf.TensorSpec([None], tf.float32)
    numbers = tf.data.Dataset.range(count).map(function, workers=2, output_signature=spec)
    return numbers.batch(size, **options)


def test_full_and_partial_batches_keep_their_values():
    found = list(batches(lambda k: np.full(3, k, np.float32), 3))
    assert [batch.shape[0] for batch in found] == [3, 3, 1]
    np.testing.assert_array_equal(tf.concat(found, 0)[:, 1], np.arange(7))


def test_structures_and_other_layouts():
    spec = {"a": tf.TensorSpec([2, 3], tf.int64), "b": tf.TensorSpec([], tf.float64)}

    def made(k):
        return {"a": np.arange(6).reshape(3, 2).T + k, "b": np.array(k / 2)}

    first = next(iter(batches(made, 4, spec=spec)))
    wanted = np.stack([np.arange(6).reshape(3, 2).T + k for k in range(4)])
    np.testing.assert_array_equal(first["a"], wanted)
    np.testing.assert_array_equal(first["b"], np.arange(4) / 2)


def test_shapes_that_differ_are_an_error():
    with pytest.raises(tf.errors.InvalidArgumentError, match="different shapes"):
        list(batches(lambda k: np.zeros(k, np.float32), 3))


def test_batches_after_an_error():
    def made(k):
        if k == 1:
            raise ValueError("one")
        return np.full(2, k, np.float32)

    iterator = iter(batches(made, 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="one"):
        next(iterator)
    assert [batch.numpy()[:, 0].tolist() for batch in iterator] == [[2, 3], [4, 5], [6]]


def test_a_batch_of_all_elements_needs_no_room_for_more():
    (only,) = batches(lambda k: np.full(1000, k, np.float32), 10**9)
    assert only.shape == (7, 1000)
