"""Extremes of values that include NaN: every such operation, with all floating dtypes, at sizes for
vector loops and several threads, inside and outside of functions."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest

import eagerflow as tf

nan, inf = float("nan"), float("inf")
DTYPES = ["float16", "bfloat16", "float32", "float64"]
ROWS = [1, 7, 33, 1100, 140_000]
WHERE = ["first", "last", "all", "only others are infinite"]


def values(dtype, size, where):
    """Distinct small values, and NaN at some positions."""
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    x = (np.arange(size) % 97 - 40).astype(np.float32)
    if where == "only others are infinite":
        x[:] = -inf
    at = {"first": [0], "last": [-1], "several": [size // 3, -1]}.get(where, [size // 2])
    x[at] = nan
    if where == "all":
        x[:] = nan
    return x.astype(kind)


def both(function, *arguments):
    """The results, as arrays, of a call and of one in a function."""
    tensors = [tf.constant(argument) for argument in arguments]
    for call in (function, tf.function(function)):
        yield call(*tensors).numpy()


def all_nan(array):
    return bool(np.isnan(np.asarray(array, np.float64)).all())


def column(x):
    return tf.reshape(x, [-1, 1])


# Results of each depend on all elements of a vector.
REDUCTIONS = {
    "reduce_max": tf.reduce_max,
    "reduce_min": tf.reduce_min,
    "reduce_max of columns": lambda x: tf.reduce_max(tf.tile(column(x), [1, 5]), 0),
    "reduce_min of columns": lambda x: tf.reduce_min(tf.tile(column(x), [1, 5]), 0),
    "reduce_max of rows": lambda x: tf.reduce_max(tf.tile(x[None], [3, 1]), 1),
    "reduce_max of what is deferred": lambda x: tf.reduce_max(tf.negative(x) * 2 + 1),
    "reduce_min of what is deferred": lambda x: tf.reduce_min(tf.tile(column(x * 2), [1, 3]), 0),
    "segment_max": lambda x: tf.math.segment_max(x, tf.zeros(tf.shape(x), tf.int32)),
    "segment_min": lambda x: tf.math.segment_min(x, tf.zeros(tf.shape(x), tf.int32)),
    "segment_max of rows": lambda x: tf.math.segment_max(
        tf.tile(column(x), [1, 9]), tf.zeros(tf.shape(x), tf.int64)
    ),
    "unsorted_segment_max": lambda x: tf.math.unsorted_segment_max(
        x, tf.zeros(tf.shape(x), tf.int32), 1
    ),
    "unsorted_segment_min": lambda x: tf.math.unsorted_segment_min(
        x, tf.zeros(tf.shape(x), tf.int32), 1
    ),
    "ragged reduce_max": lambda x: tf.reduce_max(
        tf.RaggedTensor.from_row_lengths(x, [tf.size(x)], validate=False), axis=1
    ),
    "ragged reduce_min": lambda x: tf.reduce_min(
        tf.RaggedTensor.from_row_lengths(x, [tf.size(x)], validate=False), axis=1
    ),
    "tensor_scatter_nd_max": lambda x: tf.tensor_scatter_nd_max(
        x[:1], tf.zeros([tf.size(x), 1], tf.int32), x
    ),
    "tensor_scatter_nd_min": lambda x: tf.tensor_scatter_nd_min(
        x[:1], tf.zeros([tf.size(x), 1], tf.int32), x
    ),
    "top_k": lambda x: tf.math.top_k(x, 1).values,
    "sort": lambda x: tf.sort(x)[-1],
    "sort, descending": lambda x: tf.sort(x, direction="DESCENDING")[0],
    "keras max": tf.keras.backend.max,
    "keras min": tf.keras.backend.min,
    "numpy max": tf.experimental.numpy.max,
    "numpy min": tf.experimental.numpy.amin,
    "numpy ptp": tf.experimental.numpy.ptp,
    "norm": lambda x: tf.norm(x, ord=np.inf),
    "global pooling": lambda x: tf.keras.layers.GlobalMaxPool1D(dtype=x.dtype)(x[None, :, None]),
}
SLOW = {"tensor_scatter_nd_max", "tensor_scatter_nd_min", "top_k", "sort", "sort, descending"}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_nan_among_the_elements_is_the_extreme(name, dtype):
    for size, where in itertools.product(ROWS, WHERE):
        if name in SLOW and size > 2000:
            continue
        for result in both(REDUCTIONS[name], values(dtype, size, where)):
            assert all_nan(result), (size, where)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [tf.argmax, tf.argmin])
def test_the_first_nan_is_the_argument_of_the_extreme(function, dtype):
    for size, where in itertools.product(ROWS, WHERE):
        x = values(dtype, size, where)
        first = int(np.isnan(x.astype(np.float64)).argmax())
        for result in both(function, x):
            assert result == first, (size, where)
        for result in both(lambda x: function(tf.tile(x[None], [3, 1]), 1), x):
            assert (result == first).all(), (size, where)
        for result in both(lambda x: function(tf.tile(column(x), [1, 6]), 0), x):
            assert (result == first).all(), (size, where)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [tf.argmax, tf.argmin])
def test_arguments_of_extremes_are_numpys(function, dtype, rng=np.random.default_rng(3)):
    for size, share in itertools.product((1, 5, 63, 64, 1024, 1025, 5000), (0, 0.001, 0.5)):
        x = rng.choice([-inf, -1, 0, 1, inf, -3, 2], [4, size]).astype(np.float32)
        x[rng.random(x.shape) < share] = nan
        x = x.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
        name = "argmax" if function is tf.argmax else "argmin"
        expected = getattr(np, name)(x.astype(np.float64), 1)
        assert function(x, 1).numpy().tolist() == expected.tolist()
        assert function(x.T, 0).numpy().tolist() == expected.tolist()


# Each returns a result for each element, or pair of elements.
ELEMENTWISE = {
    "maximum": lambda x: tf.maximum(x, tf.zeros_like(x)),
    "maximum, on the right": lambda x: tf.maximum(tf.zeros_like(x), x),
    "maximum with a scalar": lambda x: tf.maximum(x, tf.constant(1, x.dtype)),
    "maximum with a scalar on the left": lambda x: tf.maximum(tf.constant(1, x.dtype), x),
    "maximum with NaN": lambda x: tf.maximum(tf.constant(nan, x.dtype), x),
    "minimum": lambda x: tf.minimum(x, tf.zeros_like(x)),
    "minimum, on the right": lambda x: tf.minimum(tf.zeros_like(x), x),
    "clip_by_value": lambda x: tf.clip_by_value(
        x, tf.constant(-1, x.dtype), tf.constant(1, x.dtype)
    ),
    "clip_by_value, whole limits": lambda x: tf.clip_by_value(x, tf.zeros_like(x), tf.ones_like(x)),
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky_relu": tf.nn.leaky_relu,
    "elu": tf.nn.elu,
    "selu": tf.nn.selu,
    "crelu": lambda x: tf.nn.crelu(x)[: tf.size(x)],
    "keras relu": lambda x: tf.keras.backend.relu(x, max_value=3.0),
    "keras clip": lambda x: tf.keras.backend.clip(x, -1, 1),
    "hard_sigmoid": tf.keras.activations.hard_sigmoid,
    "numpy maximum": lambda x: tf.experimental.numpy.maximum(x, tf.zeros_like(x)),
    "numpy clip": lambda x: tf.experimental.numpy.clip(x, -1, 1),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_elementwise_extremes_keep_nan(name, dtype):
    for size, where in itertools.product(ROWS, WHERE):
        x = values(dtype, size, where)
        expected = np.isnan(x.astype(np.float64)) | (name == "maximum with NaN")
        for result in both(ELEMENTWISE[name], x):
            found = np.isnan(result.astype(np.float64).reshape(size, -1)[:, 0])
            assert (found == expected).all(), (size, where)


def test_nan_among_the_limits_of_a_clip():
    x = np.float32([-1, 0, 2])
    for low, high in ((nan, 1.0), (0.0, nan), (nan, nan)):
        for result in both(lambda x, low=low, high=high: tf.clip_by_value(x, low, high), x):
            assert all_nan(result), (low, high)


def images(dtype, channels, where):
    """Images `[2, 6, 6, channels]` with a NaN in the first window of 2 x 2."""
    x = (np.arange(2 * 6 * 6 * channels) % 31).astype(np.float32).reshape(2, 6, 6, channels)
    x[:, where // 2, where % 2] = nan
    return x.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


POOLINGS = {
    "max_pool": lambda x: tf.nn.max_pool(x, 2, 2, "VALID"),
    "max_pool, channels first": lambda x: tf.transpose(
        tf.nn.max_pool(tf.transpose(x, [0, 3, 1, 2]), 2, 2, "VALID", "NCHW"), [0, 2, 3, 1]
    ),
    "max_pool, padded": lambda x: tf.nn.max_pool(x, 2, 2, "SAME"),
    "max_pool_with_argmax": lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "VALID").output,
    "max_pool3d": lambda x: tf.nn.max_pool3d(x[:, None], [1, 2, 2], [1, 2, 2], "VALID")[:, 0],
    "max_pool of relu": lambda x: tf.nn.max_pool(tf.nn.relu(x), 2, 2, "VALID"),
    "dilation2d": lambda x: tf.nn.dilation2d(
        x, tf.zeros([2, 2, x.shape[3]], x.dtype), [1, 2, 2, 1], "VALID", "NHWC", [1, 1, 1, 1]
    ),
    "erosion2d": lambda x: tf.nn.erosion2d(
        x, tf.zeros([2, 2, x.shape[3]], x.dtype), [1, 2, 2, 1], "VALID", "NHWC", [1, 1, 1, 1]
    ),
    "MaxPooling2D": lambda x: tf.keras.layers.MaxPooling2D(dtype=x.dtype)(x),
}


@pytest.mark.parametrize("name", POOLINGS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_window_with_a_nan_has_no_largest_element(name, dtype):
    for channels, where in itertools.product((1, 3, 16, 40), range(4)):
        for result in both(POOLINGS[name], images(dtype, channels, where)):
            found = np.isnan(result.astype(np.float64))
            assert found[:, 0, 0].all() and found.sum() == 2 * channels, (channels, where)


def test_the_first_nan_of_a_window_is_its_argument():
    x = np.float32([[1, nan, 3, 4], [nan, 0, 2, 1]]).reshape(1, 2, 4, 1)
    assert tf.nn.max_pool_with_argmax(x, 2, 2, "VALID").argmax.numpy().ravel().tolist() == [1, 3]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", ["scatter_max", "scatter_min", "scatter_nd_max"])
def test_variables(dtype, method):
    for own, update in ((nan, 1.0), (1.0, nan), (nan, nan)):
        v = tf.Variable([own, 1.0], dtype=dtype)
        updates = tf.constant([update], dtype)
        if method == "scatter_nd_max":
            v.scatter_nd_max([[0]], updates)
        else:
            getattr(v, method)(tf.IndexedSlices(updates, [0]))
        assert np.isnan(v.numpy().astype(np.float64)).tolist() == [True, False]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sparse_tensors(dtype):
    x = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], tf.constant([nan, 1, 2], dtype), [3, 3])
    assert np.array_equal(tf.sparse.reduce_max(x, 1), [nan, 2, 0], equal_nan=True)
    other = tf.SparseTensor([[0, 0], [0, 2]], tf.constant([1, nan], dtype), [3, 3])
    assert np.isnan(tf.sparse.maximum(x, other).values).tolist() == [True, True, False]
    assert np.isnan(tf.sparse.minimum(x, other).values).tolist() == [True, True, False]


def test_infinities_are_extremes_of_segments_that_hold_nothing_else():
    for dtype, sign in itertools.product(DTYPES, (1, -1)):
        x = tf.constant([-inf, -inf, 5], dtype) * sign
        tail = "max" if sign == 1 else "min"
        for result in (
            getattr(tf.math, f"segment_{tail}")(x, [0, 0, 2]),
            getattr(tf.math, f"unsorted_segment_{tail}")(x, [0, 0, 2], 3),
        ):
            first, empty, last = np.asarray(result, np.float64)
            assert (first, last) == (-inf * sign, 5 * sign) and np.isfinite(empty)


@pytest.mark.parametrize("axis", [[0], [1], [-1]])
def test_slices_with_nan_differ_from_all_others(axis):
    x = np.float32([[1, nan], [1, nan], [1, 2], [1, 2]])
    x = x if axis == [0] else x.T
    found = tf.raw_ops.UniqueV2(x=x, axis=axis)
    assert found.idx.numpy().tolist() == [0, 1, 2, 2]
    found = tf.raw_ops.UniqueWithCountsV2(x=[3.0, 1.0, nan, 1.0, nan], axis=[0])
    assert found.idx.numpy().tolist() == [0, 1, 2, 1, 3]
    assert found.count.numpy().tolist() == [1, 2, 1, 1]


def test_gradients_reach_the_nan():
    image = tf.constant(images("float32", 16, 1))
    for pool in ("max_pool", "max_pool, channels first", "max_pool, padded"):
        with tf.GradientTape() as tape:
            tape.watch(image)
            y = POOLINGS[pool](image)
        slope = tape.gradient(y, image).numpy()
        assert (slope[:, 0, 1] == 1).all() and slope.sum() == 2 * 9 * 16
    with tf.GradientTape() as tape:
        tape.watch(image)
        y = tf.nn.max_pool_with_argmax(image, 2, 2, "VALID").output
    assert (tape.gradient(y, image).numpy() == slope).all()
