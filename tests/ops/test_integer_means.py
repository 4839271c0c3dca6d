"""Means of integers are exact, truncated towards zero, even if their sums overflow."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import eagerflow as tf

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def cut(fraction):
    return int(fraction)  # Truncates towards zero


def exact(x, axis=None):
    """The means, computed with Python integers."""
    moved = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1)
    means = [
        cut(Fraction(sum(map(int, row)), len(row))) for row in moved.reshape(-1, moved.shape[-1])
    ]
    return np.array(means, x.dtype).reshape(moved.shape[:-1] if axis is not None else ())


def extremes(dtype, shape, seed=0):
    """Values near both ends of a dtype's range, most of them at one end."""
    info, rng = np.iinfo(dtype), np.random.default_rng(seed)
    near = rng.integers(0, 3, shape).astype(dtype)
    ends = np.where(rng.random(shape) < 0.9, info.max - near, info.min + near)
    return ends.astype(dtype)


SHAPES = [(1,), (5,), (3000,), (140_000,), (40, 7), (7, 40), (3, 5, 4), (2000, 3), (300, 600)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_means_fit_where_sums_do_not(dtype, shape):
    x = extremes(dtype, shape)
    for axis in (None, *range(len(shape))):
        expected = exact(x, axis)
        for mean in (
            tf.reduce_mean,
            tf.function(tf.reduce_mean),
            tf.keras.backend.mean,
            tf.function(
                lambda x, axis: tf.reduce_mean(tf.bitwise.invert(tf.bitwise.invert(x)), axis)
            ),
        ):
            found = mean(tf.constant(x), axis)
            assert found.dtype == dtype
            assert np.array_equal(found, expected), axis


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(40_000,), (200, 200), (1_100_000, 3), (3, 400_000)])
def test_means_of_deferred_elements(dtype, shape):
    x = extremes(dtype, shape)
    for axis in (None, 0, len(shape) - 1):
        deferred = tf.bitwise.bitwise_or(tf.bitwise.invert(tf.constant(~x)), tf.constant(0, dtype))
        assert np.array_equal(tf.reduce_mean(deferred, axis), tf.reduce_mean(x, axis))
        assert np.array_equal(tf.reduce_mean(x, axis, keepdims=True), tf.reduce_mean(x, axis, True))
    if len(shape) == 1:
        assert tf.reduce_mean(x) == exact(x)


def test_alternating_axes():
    x = extremes("int32", (3, 4, 5, 6))
    moved = x.transpose(1, 3, 0, 2).reshape(4, 6, 15)
    assert np.array_equal(tf.reduce_mean(x, [0, 2]), exact(moved, 2))


def test_no_elements():
    assert tf.reduce_mean(tf.zeros([0], tf.int32)).numpy() == 0
    assert tf.reduce_mean(tf.zeros([2, 0], tf.int64), 1).numpy().tolist() == [0, 0]


def exact_float(values):
    return float(Fraction(sum(map(int, values)), len(values)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_means_of_segments(dtype):
    x = extremes(dtype, (1000, 3))
    ids = np.sort(np.random.default_rng(1).integers(0, 4, 1000)).astype(np.int32)
    expected = np.stack([exact(x[ids == k], 0) for k in range(4)])
    assert np.array_equal(tf.math.segment_mean(x, ids), expected)
    assert np.array_equal(tf.function(tf.math.segment_mean)(x, ids), expected)
    order = np.random.default_rng(2).permutation(1000)
    floats = [[exact_float(column) for column in x[ids == k].T] for k in range(4)]
    for mean in (tf.math.unsorted_segment_mean, tf.function(tf.math.unsorted_segment_mean)):
        found = mean(x[order], ids[order], 4)
        assert found.dtype == ("float32" if np.dtype(dtype).itemsize < 4 else "float64")
        assert np.allclose(found, floats, rtol=1e-6 if found.dtype == tf.float32 else 1e-15)


@pytest.mark.parametrize("dtype", DTYPES)
def test_means_of_ragged_rows(dtype):
    rows = [extremes(dtype, (n,), n) for n in (3000, 1, 200)]
    x = tf.RaggedTensor.from_row_lengths(np.concatenate(rows), [len(row) for row in rows])
    floats = [exact_float(row) for row in rows]
    for mean in (tf.reduce_mean, tf.function(tf.reduce_mean)):
        assert np.allclose(mean(x, axis=1), floats, rtol=1e-6)
        assert np.allclose(mean(x), exact_float(np.concatenate(rows)), rtol=1e-6)
    nested = tf.RaggedTensor.from_row_lengths(x, [2, 1])
    assert np.allclose(tf.reduce_mean(nested, axis=2).flat_values, floats, rtol=1e-6)


def test_halves_of_wide_integers_cancel():
    x = np.int64([2**62 + 1, -(2**62)])
    assert tf.math.unsorted_segment_mean(x, [0, 0], 1).numpy().tolist() == [0.5]
    assert tf.reduce_mean(tf.RaggedTensor.from_row_lengths(x, [2]), axis=1).numpy().tolist() == [
        0.5
    ]
    for values, mean in (([-3, -4], -3), ([3, 4], 3), ([-1, 0], 0), ([-(2**63)] * 3, -(2**63))):
        assert tf.reduce_mean(tf.constant(values, tf.int64)).numpy() == mean
        assert tf.math.segment_mean(tf.constant(values, tf.int64), [0] * len(values)) == mean


def test_means_of_replicas():
    values = [tf.constant(2**31 - 1), tf.constant(2**31 - 1)]
    assert float(tf.distribute.get_strategy().reduce("MEAN", values[0], axis=None)) == 2**31 - 1
    from eagerflow.distribute.collectives import ReduceOp, reduce_values

    assert float(reduce_values(ReduceOp.MEAN, values)) == 2**31 - 1


@pytest.mark.parametrize("method", ["average", "mean"])
def test_means_of_numpy_functions(method):
    for dtype, values in itertools.product(DTYPES, (100, 3000)):
        x = np.full(values, np.iinfo(dtype).max, dtype)
        assert np.allclose(getattr(tf.experimental.numpy, method)(x), np.iinfo(dtype).max)
