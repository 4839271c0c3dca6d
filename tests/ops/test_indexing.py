"""Distinct elements, partitions, permutations and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eagerflow as tf


def test_the_last_of_several_rows_is_stitched():
    rows = tf.dynamic_stitch([[0, 3], [0]], [[[1.0], [2.0]], [[9.0]]])
    np.testing.assert_array_equal(rows.numpy(), [[9.0], [0.0], [0.0], [2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range"):
        tf.dynamic_stitch([[-1]], [[1]])


def random_keys(kind, count, seed=0):
    numbers = np.random.RandomState(seed).randint(-50, 3 * count, count)
    if kind == "string":
        return np.array([b"k%d" % n * (1 + n % 9) for n in numbers], object)
    return numbers.astype(kind)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float32", "float64", "string"])
@pytest.mark.parametrize("count", [0, 1, 1000])
def test_unique(dtype, count):
    values = (
        random_keys(dtype, count)
        if count
        else np.zeros(0, object).astype(object if dtype == "string" else dtype)
    )
    values = tf.constant(values, dtype)
    found, index, counts = tf.unique_with_counts(values, tf.int64)
    listed = values.numpy().tolist()
    assert found.numpy().tolist() == list(dict.fromkeys(listed))
    assert tf.gather(found, index).numpy().tolist() == listed if count else index.shape == (0,)
    assert counts.numpy().tolist() == [listed.count(item) for item in found.numpy().tolist()]


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint64"])
def test_unique_integers_close_together_and_far_apart(dtype):
    limits = np.iinfo(dtype)
    for numbers in (
        [limits.max, limits.max - 3, limits.max],
        [limits.min, limits.min + 2, limits.min],
        [limits.min, limits.max, limits.min],
        [5] * 9,
    ):
        found, index, counts = tf.unique_with_counts(tf.constant(numbers, dtype))
        distinct = list(dict.fromkeys(numbers))
        assert found.numpy().tolist() == distinct
        assert index.numpy().tolist() == [distinct.index(number) for number in numbers]
        assert counts.numpy().tolist() == [numbers.count(number) for number in distinct]


def test_unique_floats_that_are_special():
    for dtype in (tf.float16, tf.float32, tf.float64):
        values = tf.constant([0.0, -0.0, np.nan, np.inf, np.nan, -np.inf, np.inf], dtype)
        assert tf.unique(values)[1].numpy().tolist() == [0, 0, 1, 2, 3, 4, 2]


@pytest.mark.parametrize("shape", [(7,), (6, 4), (3, 5, 2), (0, 2)])
def test_partitions_and_stitches(shape):
    random = np.random.RandomState(1)
    data = random.rand(*shape)
    for rank in range(1, len(shape) + 1):
        which = random.randint(0, 4, shape[:rank]).astype(np.int32)
        parts = tf.dynamic_partition(data, which, 4)
        assert len(parts) == 4
        for k, part in enumerate(parts):
            np.testing.assert_array_equal(part.numpy(), data[which == k])
        places = np.arange(which.size, dtype=np.int32).reshape(which.shape)
        stitched = tf.dynamic_stitch(tf.dynamic_partition(places, which, 4), parts)
        np.testing.assert_array_equal(stitched.numpy(), data.reshape(-1, *shape[rank:]))


def test_partitions_of_strings():
    parts = tf.dynamic_partition([["a", "b"], ["c", "d"], ["e", "f"]], [1, 0, 1], 2)
    assert [part.numpy().tolist() for part in parts] == [
        [[b"c", b"d"]],
        [[b"a", b"b"], [b"e", b"f"]],
    ]
    stitched = tf.dynamic_stitch([[3], [0]], [["x"], ["y"]])
    assert stitched.numpy().tolist() == [b"y", b"", b"", b"x"]


@pytest.mark.parametrize("which", [[0, 2], [-1, 0], [0, 2**31 - 1]])
def test_partitions_that_do_not_exist(which):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.dynamic_partition([1.0, 2.0], which, 2)


@pytest.mark.parametrize("shape, axis, batch", [((4, 5), 1, 0), ((5, 4), 0, 1), ((3, 2, 6, 2), 2, 0),
                                                ((6, 2, 3), 0, 2), ((2, 0), 1, 0)])  # fmt: skip
def test_reversed_sequences(shape, axis, batch):
    random = np.random.RandomState(2)
    data = random.randint(0, 99, shape)
    lengths = random.randint(0, shape[axis] + 1, shape[batch])
    wanted = np.moveaxis(data.copy(), (batch, axis), (0, 1))
    for row, length in zip(wanted, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    wanted = np.moveaxis(wanted, (0, 1), (batch, axis))
    result = tf.reverse_sequence(data, lengths, seq_axis=axis, batch_axis=batch).numpy()
    np.testing.assert_array_equal(result, wanted)
    for bad in (lengths * 0 - 1, lengths * 0 + shape[axis] + 1, lengths[1:]) if data.size else ():
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.reverse_sequence(data, bad, seq_axis=axis, batch_axis=batch)


def test_permutations():
    order = np.random.RandomState(3).permutation(1000)
    np.testing.assert_array_equal(tf.math.invert_permutation(order).numpy(), np.argsort(order))
    for bad in ([0, 0], [0, 2], [-1, 0]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.math.invert_permutation(bad)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("width", [0, 1, 2, 7, 1000])
def test_searches(side, width):
    random = np.random.RandomState(4)
    rows = np.sort(random.randint(0, 50, (3, width)).astype(np.float32), axis=1)
    values = random.randint(-1, 52, (3, 4000)).astype(np.float32)
    found = tf.searchsorted(rows, values, side=side).numpy()
    for row, value, places in zip(rows, values, found, strict=True):
        np.testing.assert_array_equal(places, np.searchsorted(row, value, side))


def test_scalar_conditions_in_branches_that_do_not_run():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.bool)])
    def first(condition):
        return tf.cond(
            tf.rank(condition) > 0, lambda: tf.where(condition), lambda: tf.zeros([1, 0], tf.int64)
        )

    assert first(tf.constant([False, True])).numpy().tolist() == [[1]]
    assert first(tf.constant(True)).shape == [1, 0]
    traced = tf.function(tf.where).get_concrete_function(tf.TensorSpec([], tf.bool))
    assert traced.structured_outputs.shape.as_list() == [None, 0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.where(tf.constant(True))


def test_batches_of_indices_that_params_do_not_have():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"params.shape\[0\]: 2"):
        tf.gather_nd([[0, 1], [2, 3]], [[0], [1], [1]], batch_dims=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"params.shape\[1\]: 0"):
        tf.gather_nd(tf.zeros([3, 0, 1]), tf.zeros([3, 2, 0], tf.int32), batch_dims=2)
    with pytest.raises(ValueError, match="batch_dims"):
        tf.gather_nd([[0, 1], [2, 3]], tf.zeros([2, 2, 0], tf.int32), batch_dims=2)

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def traced(params):
        return tf.gather_nd(params, [[0], [1], [1]], batch_dims=1)

    assert traced([[0, 1], [2, 3], [4, 5]]).numpy().tolist() == [0, 3, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="should be equal"):
        traced([[0, 1], [2, 3]])


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    "indices, batch_dims, sparse",
    [
        ([[0], [2]], 0, True),
        (np.zeros([0, 1], int), 0, True),
        ([[[0], [2]]], 0, False),
        ([[0, 1], [2, 0]], 0, False),
        ([1], 0, False),
        ([[0], [1], [0]], 1, False),
    ],
)
def test_gradients_by_a_column_of_indices_are_rows(
    indices: Any, batch_dims: int, sparse: bool, traced: bool
) -> None:
    params = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def read(x: Any) -> Any:
        return tf.square(tf.gather_nd(x, indices, batch_dims))

    with tf.GradientTape() as tape:
        tape.watch(params)
        taken = (tf.function(read) if traced else read)(params)
    gradient = tape.gradient(taken, params)
    assert isinstance(gradient, tf.IndexedSlices if sparse else tf.Tensor)
    numeric = np.zeros([3, 2], "f")
    for i, j in np.ndindex(3, 2):
        step = np.zeros([3, 2], "f")
        step[i, j] = 0.5
        numeric[i, j] = np.sum(read(params + step) - read(params - step))
    np.testing.assert_allclose(tf.convert_to_tensor(gradient), numeric, rtol=1e-5)


def test_positions_without_a_type_are_int32():
    found = tf.searchsorted([1, 3, 5], [3, 4], out_type=None)
    assert found.dtype == tf.int32 and found.numpy().tolist() == [1, 2]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("axis", [0, np.int64(0), lambda: tf.constant(0)])
@pytest.mark.parametrize(
    ("shape", "indices"), [([4], [1, 0, 3, 3, 2]), ([4], 1), ([3, 4], [[1], [0], [2]])]
)
def test_gather_along_the_first_axis_has_no_batch(shape, indices, axis, traced):
    def gather(params):
        at = axis() if callable(axis) else axis
        return tf.gather(params, indices, axis=at, batch_dims=1)

    params = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    got = (tf.function(gather) if traced else gather)(params)
    np.testing.assert_array_equal(got, params[np.asarray(indices)])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="batch_dims"):
        tf.gather(tf.zeros([2, 2, 2]), tf.zeros([2, 2], tf.int32), axis=1, batch_dims=2)
