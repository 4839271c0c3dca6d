"""Reductions and scans against NumPy and SciPy, over dtypes, shapes, axes and random inputs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import eagerflow as tf
from random_arrays import (
    COMPLEX,
    FLOATS,
    INTS,
    NUMERIC,
    REAL,
    assert_matches,
    random_array,
    seeds,
    shapes,
    widened,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@st.composite
def shapes_with_axes(draw, min_rank=0, **limits):
    """A shape, and None, one axis, or several, some counted from the end."""
    shape = draw(shapes(min_rank, **limits))
    rank = len(shape)
    if rank == 0 or draw(st.booleans()):
        return shape, None
    axes = draw(st.lists(st.integers(0, rank - 1), min_size=1, unique=True))
    axes = [axis - rank if draw(st.booleans()) else axis for axis in axes]
    return shape, axes if len(axes) > 1 else axes[0]


def numpy_axis(axis):
    return tuple(axis) if isinstance(axis, list) else axis


def reduced_size(shape, axis):
    """The number of elements that are reduced to one."""
    axes = range(len(shape)) if axis is None else np.atleast_1d(axis)
    return max(1, int(np.prod([shape[k] for k in axes])))


def product_interval(dtype):
    """Numbers of about unit length, so that long products neither vanish nor overflow."""
    return (-1, 1) if dtype in INTS else (0.69, 0.724) if dtype in COMPLEX else (0.99, 1.01)


@pytest.mark.parametrize("dtype", NUMERIC)
@given(case=shapes_with_axes(), seed=seeds, keepdims=st.booleans())
def test_sums(dtype, case, seed, keepdims):
    shape, axis = case
    x = random_array(seed, shape, dtype)
    expected = np.sum(widened(x), axis=numpy_axis(axis), keepdims=keepdims)
    expected = np.asarray(expected).astype(x.dtype if dtype in INTS else expected.dtype)
    got = tf.reduce_sum(tf.constant(x), axis, keepdims)
    # Errors grow with the terms, not with the sum, which may cancel.
    assert_matches(got, expected, dtype, rtol=4, atol=4 * np.sqrt(reduced_size(shape, axis)))


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
@given(case=shapes_with_axes(), seed=seeds, keepdims=st.booleans())
def test_means(dtype, case, seed, keepdims):
    shape, axis = case
    x = random_array(seed, shape, dtype)
    expected = np.mean(widened(x), axis=numpy_axis(axis), keepdims=keepdims)
    got = tf.reduce_mean(tf.constant(x), axis, keepdims)
    # Means of half precision are computed from half precision sums.
    assert_matches(got, expected, dtype, rtol=4, atol=16)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", *COMPLEX])
@given(case=shapes_with_axes(long=False), seed=seeds, keepdims=st.booleans())
def test_products(dtype, case, seed, keepdims):
    shape, axis = case
    x = random_array(seed, shape, dtype, *product_interval(dtype))
    expected = np.prod(widened(x), axis=numpy_axis(axis), keepdims=keepdims)
    expected = np.asarray(expected).astype(x.dtype if dtype in INTS else expected.dtype)
    got = tf.reduce_prod(tf.constant(x), axis, keepdims)
    assert_matches(got, expected, dtype, rtol=100)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["max", "min"])
@given(case=shapes_with_axes(), seed=seeds, keepdims=st.booleans())
def test_extremes(name, dtype, case, seed, keepdims):
    shape, axis = case
    x = random_array(seed, shape, dtype, -50, 50, special=dtype in INTS)
    function = getattr(tf, f"reduce_{name}")
    got = function(tf.constant(x), axis, keepdims)
    if np.prod(shape) > 0:
        expected = getattr(np, name)(widened(x), axis=numpy_axis(axis), keepdims=keepdims)
        assert_matches(got, expected, dtype)
        return
    # The neutral element: the least or greatest value of the dtype.
    floating = dtype in FLOATS
    info = None if floating else np.iinfo(dtype)
    start = np.inf if floating else info.max
    if name == "max":
        start = -np.inf if floating else info.min
    expected = np.sum(np.zeros(shape), axis=numpy_axis(axis), keepdims=keepdims)
    expected = np.full(expected.shape, start, np.float64 if floating else dtype)
    assert_matches(got, expected, dtype)


@pytest.mark.parametrize("name", ["all", "any"])
@given(case=shapes_with_axes(), seed=seeds, keepdims=st.booleans())
def test_logic(name, case, seed, keepdims):
    shape, axis = case
    x = random_array(seed, shape, "bool")
    expected = getattr(np, name)(x, axis=numpy_axis(axis), keepdims=keepdims)
    got = getattr(tf, f"reduce_{name}")(tf.constant(x), axis, keepdims)
    assert_matches(got, np.asarray(expected))


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@given(shape=shapes(min_rank=1), seed=seeds, data=st.data())
def test_places_of_extremes(name, dtype, shape, seed, data):
    shape = tuple(max(side, 1) for side in shape)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = random_array(seed, shape, dtype, -3, 3)
    expected = getattr(np, name)(widened(x), axis=axis)
    got = getattr(tf, name)(tf.constant(x), axis, output_type=tf.int32)
    assert_matches(got, np.asarray(expected, np.int32))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(case=shapes_with_axes(), seed=seeds, keepdims=st.booleans())
def test_log_of_sums_of_exponentials(dtype, case, seed, keepdims):
    shape, axis = case
    x = random_array(seed, shape, dtype, -200, 200)
    if reduced_size(shape, axis) == 1 and 0 in shape:
        return
    if 0 in shape:
        expected = np.full(np.sum(x, axis=numpy_axis(axis), keepdims=keepdims).shape, -np.inf)
    else:
        peak = np.max(widened(x))
        expected = peak + np.log(
            np.sum(np.exp(widened(x) - peak), numpy_axis(axis), keepdims=keepdims)
        )
    got = tf.reduce_logsumexp(tf.constant(x), axis, keepdims)
    assert_matches(got, np.asarray(expected), dtype, rtol=4, atol=4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["variance", "std"])
@given(case=shapes_with_axes(), seed=seeds, keepdims=st.booleans())
def test_spread(name, dtype, case, seed, keepdims):
    shape, axis = case
    x = random_array(seed, shape, dtype)
    reference = np.var if name == "variance" else np.std
    expected = reference(widened(x), axis=numpy_axis(axis), keepdims=keepdims)
    got = getattr(tf.math, f"reduce_{name}")(tf.constant(x), axis, keepdims)
    assert_matches(got, np.asarray(expected), dtype, rtol=10, atol=10)


@st.composite
def shapes_with_one_axis(draw, **limits):
    shape = draw(shapes(min_rank=1, **limits))
    return shape, draw(st.integers(-len(shape), len(shape) - 1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", *COMPLEX])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@given(case=shapes_with_one_axis(), seed=seeds, exclusive=st.booleans(), reverse=st.booleans())
def test_scans(name, dtype, case, seed, exclusive, reverse):
    shape, axis = case
    if name == "cumprod":
        x = random_array(seed, shape, dtype, *product_interval(dtype))
    else:
        x = random_array(seed, shape, dtype)
    expected = np.flip(widened(x), axis) if reverse else widened(x)
    expected = getattr(np, name)(expected, axis=axis)
    if exclusive and shape[axis]:
        expected = np.moveaxis(expected, axis, 0)
        first = np.zeros_like(expected[:1]) + (name == "cumprod")
        expected = np.moveaxis(np.concatenate([first, expected[:-1]]), 0, axis)
    expected = np.flip(expected, axis) if reverse else expected
    got = getattr(tf.math, name)(tf.constant(x), axis, exclusive, reverse)
    if dtype in INTS:
        expected = expected.astype(dtype)
    length = max(1, shape[axis])
    assert_matches(got, expected, dtype, rtol=4 * length, atol=4 * length)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@given(case=shapes_with_one_axis(), seed=seeds)
def test_softmax(name, dtype, case, seed):
    shape, axis = case
    x = random_array(seed, shape, dtype, -20, 20)
    expected = getattr(special, name)(widened(x), axis=axis) if np.prod(shape) else widened(x)
    got = getattr(tf.nn, name)(tf.constant(x), axis)
    # A difference of two half precision values of up to 40 has this error.
    assert_matches(got, expected, dtype, rtol=20, atol=20 if name == "log_softmax" else 1)


@pytest.mark.parametrize("dtype", REAL)
@given(case=shapes_with_one_axis(), seed=seeds, descending=st.booleans())
def test_sorting(dtype, case, seed, descending):
    shape, axis = case
    x = random_array(seed, shape, dtype, -9, 9)
    direction = "DESCENDING" if descending else "ASCENDING"
    expected = np.sort(widened(x), axis=axis)
    expected = np.flip(expected, axis) if descending else expected
    assert_matches(tf.sort(tf.constant(x), axis, direction), expected, dtype)
    order = tf.argsort(tf.constant(x), axis, direction, stable=True).numpy()
    np.testing.assert_array_equal(np.take_along_axis(widened(x), order, axis), expected)


@pytest.mark.parametrize("dtype", REAL)
@given(shape=shapes(min_rank=1), seed=seeds, data=st.data())
def test_top_values(dtype, shape, seed, data):
    k = data.draw(st.integers(0, shape[-1]))
    x = random_array(seed, shape, dtype, -9, 9)
    values, places = tf.math.top_k(tf.constant(x), k)
    order = np.argsort(-widened(x).astype(np.float64), axis=-1, kind="stable")[..., :k]
    np.testing.assert_array_equal(places.numpy(), order)
    assert_matches(values, np.take_along_axis(widened(x), order, -1), dtype)


def test_nothing_comes_before_the_first_sum():
    sums = tf.math.cumulative_logsumexp([1.0, 1.0], exclusive=True).numpy()
    np.testing.assert_array_equal(sums, [-math.inf, 1.0])


@pytest.mark.parametrize("shape", [(0, 3, 4), (3, 0, 4), (0, 3, 4, 3, 2), (2, 3, 0, 3, 2)])
@pytest.mark.parametrize("name", ["sum", "prod", "any", "all"])
def test_shapes_and_values(shape: tuple[int, ...], name: str) -> None:
    """For all reduced axes, the shape is right and the value is the neutral element."""
    dtype = "bool" if name in ("any", "all") else "float32"
    x = np.zeros(shape, dtype)
    for count in range(1, len(shape) + 1):
        for axes in itertools.combinations(range(len(shape)), count):
            expected = getattr(np, name)(x, axis=axes)
            result = getattr(tf, f"reduce_{name}")(x, axes).numpy()
            np.testing.assert_array_equal(result, expected)


def test_mean_and_maximum_of_empty_batches() -> None:
    x = tf.zeros([0, 3, 4, 3, 2])
    for axes in ([1], [1, 2, 4], [2, 4], [3, 4]):
        for function in (tf.reduce_mean, tf.reduce_max, tf.reduce_min):
            assert function(x, axes).shape == np.zeros(x.shape).sum(tuple(axes)).shape


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
@pytest.mark.parametrize(("value", "count"), [(100, 300), (1, 256), (3, 65536), (5, 7)])
def test_means_of_narrow_integers_do_not_wrap(dtype: str, value: int, count: int) -> None:
    assert int(tf.reduce_mean(tf.fill([count], tf.cast(value, dtype)))) == value


def test_the_gradient_of_running_products_is_right_by_an_element_that_is_zero():
    x = tf.constant([2.0, 0.0, 3.0, 0.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        products = tf.math.cumprod(x), tf.math.cumprod(x, exclusive=True)
    # The products after the first zero are 2 and 2 * 3 times it.
    for product, by_zero in zip(
        products, ([1.0, 8.0, 0.0, 0.0], [1.0, 8.0, 0.0, 0.0]), strict=True
    ):
        np.testing.assert_array_equal(tape.gradient(product, x), by_zero)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_logsumexp_of_infinities(dtype, exclusive, reverse):
    inf = math.inf
    rows = [[-inf, -inf, 2.0, 1.0], [1.0, -inf, -inf, -inf], [inf, 1.0, -inf, inf], [-inf] * 4]
    x = np.array(rows)
    ordered = x[:, ::-1] if reverse else x
    expected = np.logaddexp.accumulate(ordered, 1)
    if exclusive:
        expected = np.concatenate([np.full([4, 1], -inf), expected[:, :-1]], 1)
    if reverse:
        expected = expected[:, ::-1]
    function = tf.math.cumulative_logsumexp
    for call in (function, tf.function(function)):
        sums = call(tf.constant(rows, dtype), 1, exclusive, reverse)
        np.testing.assert_allclose(widened(sums.numpy()), expected, rtol=0.02)
    assert np.isnan(widened(function(tf.constant([1.0, math.nan, 2.0], dtype)).numpy())).sum() == 2


def test_derivatives_of_cumulative_logsumexp_where_values_tie():
    x = tf.constant(0.0, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.math.cumulative_logsumexp(tf.stack([x, -x]))[1]
        slope = inner.gradient(y, x)
    assert (slope.numpy(), outer.gradient(slope, x).numpy()) == (0.0, 1.0)
    x = tf.constant([-math.inf, -math.inf, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.cumulative_logsumexp(x)[2]
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 0.0, 1.0]
