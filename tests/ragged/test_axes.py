"""Gathers of columns and softmaxes along any axis of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eagerflow as tf

ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0]]
NESTED = [[[1.0], [2.0, 3.0]], [[4.0, 5.0], [], [6.0]]]
UNIFORM = tf.RaggedTensor.from_row_lengths([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], [2, 2])


def taken(row: Any, indices: Any) -> Any:
    return [taken(row, i) for i in indices] if isinstance(indices, list) else row[indices]


def as_list(value: Any) -> Any:
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    "indices", [0, 1, [1], [1, 0, 1], [[0], [1]], [[[0, 1]]], [[0, 1], [1]], []]
)
@pytest.mark.parametrize("rows", [ROWS, NESTED, UNIFORM.to_list()])
def test_columns(rows: Any, indices: Any, traced: bool) -> None:
    uneven = isinstance(indices, list) and len({str(np.shape(i)) for i in indices}) > 1
    chosen = tf.ragged.constant(indices) if uneven else tf.constant(indices, tf.int32)
    ragged = UNIFORM if rows == UNIFORM.to_list() else tf.ragged.constant(rows)

    def gather(values: Any, which: Any) -> Any:
        return tf.gather(values, which, axis=1)

    result = (tf.function(gather) if traced else gather)(ragged, chosen)
    assert as_list(result) == [taken(row, indices) for row in rows]


def test_columns_that_a_row_lacks() -> None:
    for indices in (2, [0, 2], [[-1]], tf.ragged.constant([[0], [0, 2]])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
            tf.gather(tf.ragged.constant(ROWS), indices, axis=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tindices"):
        tf.gather(tf.ragged.constant(ROWS), [0.0])


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, -2])
def test_softmax(axis: int | None, traced: bool) -> None:
    dense = UNIFORM.to_tensor()

    def softmax(values: Any) -> Any:
        return tf.nn.softmax(values, axis)

    result = (tf.function(softmax) if traced else softmax)(UNIFORM)
    np.testing.assert_allclose(result.to_tensor(), softmax(dense), rtol=1e-6)


@pytest.mark.parametrize("axis", [1, -1])
def test_softmax_of_uneven_rows(axis: int) -> None:
    result = tf.nn.softmax(tf.ragged.constant(ROWS), axis=axis)
    for row, values in zip(result, ROWS, strict=True):
        np.testing.assert_allclose(row, tf.nn.softmax(values), rtol=1e-6)


def test_segments_of_rows_stay_within_their_count() -> None:
    ragged = tf.ragged.constant([[1, 2], [3]])
    for ids in ([0, 2], [0, -1]):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"not all in \[0, 2\)"):
            tf.math.unsorted_segment_sum(ragged, ids, 2)


def test_multiples_and_masks() -> None:
    ragged = tf.ragged.constant(ROWS)
    for multiples in ([1], [1, 1, 1], [-1, 1]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="multiples"):
            tf.tile(ragged, multiples)
    with pytest.raises(TypeError, match="integers"):
        tf.tile(ragged, [1.0, 1.0])
    with pytest.raises(TypeError, match="booleans"):
        tf.ragged.boolean_mask(ragged, [0, 1])


@pytest.mark.parametrize("shape", [[1], [None, None, None], 3])
def test_dense_shapes_of_another_rank(shape: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank 2"):
        tf.ragged.constant(ROWS).to_tensor(shape=shape)
