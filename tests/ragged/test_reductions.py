"""Reductions of ragged tensors of all dtypes, over each axis and over all, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eagerflow as tf

ROWS = [[3, 1, 2], [], [4]]
COLUMNS = [[3, 4], [1], [2]]
DTYPES = ["int8", "uint8", "int16", "int32", "uint32", "int64", "float16", "float32", "float64"]
REDUCTIONS = {
    "reduce_sum": np.sum,
    "reduce_mean": np.mean,
    "reduce_variance": np.var,
    "reduce_std": np.std,
    "reduce_any": np.any,
    "reduce_all": np.all,
}


def values_of(axis: int | None, name: str) -> Any:
    function = REDUCTIONS[name]
    groups = {None: [sum(ROWS, [])], 0: COLUMNS, 1: ROWS}[axis]
    empty = np.nan if name in ("reduce_mean", "reduce_variance", "reduce_std") else function([])
    found = [function(group) if group else empty for group in groups]
    return found[0] if axis is None else found


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_values(name: str, dtype: str, axis: int | None, traced: bool) -> None:
    ragged = tf.ragged.constant(ROWS, dtype)
    function = getattr(tf, name, None) or getattr(tf.math, name)
    call = tf.function(function) if traced else function
    result = call(ragged, axis=axis)
    np.testing.assert_allclose(
        tf.cast(result, tf.float64), np.float64(values_of(axis, name)), atol=2e-3
    )
    if name in ("reduce_any", "reduce_all"):
        assert result.dtype == tf.bool
    elif name != "reduce_sum" and result.dtype.is_integer:
        pytest.fail(f"a mean of integers is of {result.dtype}")


@pytest.mark.parametrize("keepdims", [False, True])
def test_means_of_large_integers(keepdims: bool) -> None:
    ragged = tf.ragged.constant([[2**62, 2**62], [2**62]], tf.int64)
    for axis in (None, 0, 1):
        mean = tf.reduce_mean(ragged, axis=axis, keepdims=keepdims)
        np.testing.assert_array_equal(mean.numpy().reshape(-1)[0], 2.0**62)


@pytest.mark.parametrize("dtype", ["float32", "bool", "complex64"])
def test_counts_of_what_is_cast(dtype: str) -> None:
    rows = tf.cast(tf.ragged.constant([[1, 0], [1]]), dtype)
    np.testing.assert_array_equal(tf.math.bincount(rows), [1, 2])
    np.testing.assert_array_equal(tf.math.bincount(rows, axis=-1), [[1, 1], [0, 1]])
