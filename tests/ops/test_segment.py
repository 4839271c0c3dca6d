"""Reductions of segments: against NumPy, their gradients, and ids that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf

FOLDS = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "prod": np.prod}


UNSORTED = {
    "sum": tf.math.unsorted_segment_sum,
    "mean": tf.math.unsorted_segment_mean,
    "max": tf.math.unsorted_segment_max,
    "min": tf.math.unsorted_segment_min,
    "prod": tf.math.unsorted_segment_prod,
}


SORTED = {name: getattr(tf.math, f"segment_{name}") for name in FOLDS}


def expected(data, ids, count, fold, blank):
    result = np.full((count, *data.shape[1:]), blank, data.dtype)
    for k in range(count):
        if (ids == k).any():
            result[k] = FOLDS[fold](data[ids == k], axis=0)
    return result


def blank_of(fold, dtype):
    info = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else np.finfo(dtype)
    return {"max": info.min, "min": info.max, "prod": 1}.get(fold, 0)


@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("shape", [(7,), (50, 3), (40, 2, 70), (20_000, 2), (3000, 90)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_unsorted_segments(fold, shape, dtype):
    if fold == "mean" and dtype == "int32":
        return
    random = np.random.RandomState(1)
    data = random.uniform(-2, 2, shape).astype(dtype)
    count = max(3, shape[0] // 3)
    ids = random.randint(-1, count - 1, shape[0])
    result = UNSORTED[fold](data, ids, count).numpy()
    wanted = expected(data, ids, count, fold, blank_of(fold, dtype))
    np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("shape", [(7,), (50, 3), (20_000, 2), (3000, 90)])
@pytest.mark.parametrize("ids_type", ["int32", "int64"])
def test_sorted_segments(fold, shape, ids_type):
    random = np.random.RandomState(2)
    data = random.uniform(-2, 2, shape).astype(np.float32)
    ids = np.sort(random.randint(1, shape[0] // 2, shape[0])).astype(ids_type)
    result = SORTED[fold](data, ids).numpy()
    wanted = expected(data, ids, ids[-1] + 1, fold, 1 if fold == "prod" else 0)
    np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


def test_ids_whose_count_overflows():
    last = tf.constant([2**63 - 1])
    for call in (
        lambda: tf.math.segment_max(tf.zeros([1, 0]), last),
        lambda: tf.sparse.segment_sum(tf.zeros([1, 0]), [0], last),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="less than"):
            call()


def test_means_of_integers_are_rounded_towards_zero():
    result = tf.math.segment_mean(tf.constant([-7, 2, -3, 9]), [0, 0, 2, 2]).numpy()
    assert result.tolist() == [-2, 0, 3]


@pytest.mark.parametrize("fold", FOLDS)
def test_segments_without_rows_or_columns(fold):
    none = np.zeros((0, 3), np.float32)
    no_ids = np.zeros(0, np.int32)
    assert UNSORTED[fold](none, no_ids, 2).shape == (2, 3)
    assert SORTED[fold](none, no_ids).shape == (0, 3)
    assert SORTED[fold](np.zeros((2, 0), np.float32), [0, 3]).shape == (4, 0)


@pytest.mark.parametrize("fold", FOLDS)
def test_ids_that_do_not_fit(fold):
    data = tf.ones([3, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        UNSORTED[fold](data, [0, 5, 1], 2)
    for ids in ([0, 2, 1], [-1, 0, 1], [0, 1]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            SORTED[fold](data, ids)


def gradient(function, *sources):
    sources = [tf.constant(source) for source in sources]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        result = tf.reduce_sum(tf.square(function(*sources)))
    return [item.numpy() for item in tape.gradient(result, sources)]


def numeric(function, source):
    step, result = 1e-6, np.zeros_like(source)
    for place in np.ndindex(source.shape):
        ends = []
        for sign in (1, -1):
            moved = source.copy()
            moved[place] += sign * step
            ends.append(float(tf.reduce_sum(tf.square(function(tf.constant(moved))))))
        result[place] = (ends[0] - ends[1]) / (2 * step)
    return result


@pytest.mark.parametrize("fold", FOLDS)
def test_gradients(fold):
    data = np.random.RandomState(3).uniform(0.5, 2, (6, 2))
    for function in (
        lambda x: UNSORTED[fold](x, [2, 0, -1, 2, 0, 0], 4) if fold not in ("max", "min") else x,
        lambda x: tf.minimum(UNSORTED[fold](x, [2, 0, 1, 2, 0, 0], 3), 1e3),
        lambda x: SORTED[fold](x, [0, 0, 0, 2, 2, 3]),
    ):
        found = gradient(function, data)[0]
        np.testing.assert_allclose(found, numeric(function, data), rtol=1e-5, atol=1e-6)


def test_equal_extremes_share_the_gradient():
    ids = [0, 0, 1, 0]
    assert gradient(lambda x: tf.math.unsorted_segment_max(x, ids, 2), [3.0, 3.0, 1.0, 2.0])[
        0
    ].tolist() == [3, 3, 2, 0]


def test_products_with_zeros_have_gradients():
    found = gradient(lambda x: tf.math.segment_prod(x, [0, 0, 1, 1]) + 1, [0.0, 3.0, 0.0, 0.0])
    assert found[0].tolist() == [6, 0, 0, 0]


SPARSE = [tf.sparse.segment_sum, tf.sparse.segment_mean, tf.sparse.segment_sqrt_n]


@pytest.mark.parametrize("function", SPARSE)
@pytest.mark.parametrize("shape", [(5,), (4, 3), (900, 64)])
@pytest.mark.parametrize("segments", [None, 700])
def test_sparse_segments(function, shape, segments):
    random = np.random.RandomState(4)
    data = random.uniform(-1, 1, shape)
    places = random.randint(0, shape[0], 600)
    ids = np.sort(random.randint(0, 300, 600))
    result = function(data, places, ids, segments).numpy()
    assert len(result) == (ids[-1] + 1 if segments is None else segments)
    for k in range(len(result)):
        rows = data[places[ids == k]]
        root = {SPARSE[0]: 1, SPARSE[1]: len(rows), SPARSE[2]: np.sqrt(len(rows))}[function]
        np.testing.assert_allclose(result[k], rows.sum(axis=0) / max(root, 1), atol=1e-12)


@pytest.mark.parametrize("function", SPARSE)
def test_sparse_segments_have_gradients(function):
    data = np.random.RandomState(5).uniform(-1, 1, (4, 2))

    def call(x):
        return function(x, [3, 3, 0, 1], [0, 0, 2, 2], 4)

    np.testing.assert_allclose(gradient(call, data)[0], numeric(call, data), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", SPARSE)
@pytest.mark.parametrize(
    "places, ids, segments",
    [
        ([0, 4], [0, 1], None),
        ([0, -1], [0, 1], None),
        ([0, 1], [1, 0], None),
        ([0, 1], [-1, 0], None),
        ([0, 1], [0, 1], 1),
        ([0, 1], [0], None),
        ([0, 1], [0, 1], -3),
    ],
)
def test_sparse_segments_check_places(function, places, ids, segments):
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.ones([4, 2]), places, ids, segments)


def test_no_sparse_segments():
    nothing = np.zeros(0, np.int64)
    assert tf.sparse.segment_mean(tf.ones([3, 2]), nothing, nothing).shape == (0, 2)
    result = tf.sparse.segment_mean(tf.ones([3, 2]), nothing, nothing, 2)
    assert result.numpy().tolist() == [[0, 0], [0, 0]]


def test_segments_of_many_and_of_no_rows():
    x = tf.Variable([2.0, 3.0, 4.0, 0.0, 5.0])
    with tf.GradientTape() as tape:
        y = tf.math.unsorted_segment_prod(x, [0, 2, 0, 2, 0], 4)
    np.testing.assert_array_equal(y.numpy(), [40.0, 1.0, 0.0, 1.0])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [20.0, 0.0, 10.0, 3.0, 8.0])
    assert tf.math.segment_prod(tf.zeros([2, 0]), [0, 3]).shape == (4, 0)
    assert tf.math.unsorted_segment_max(tf.zeros([2, 0]), [0, 3], 5).shape == (5, 0)
