"""Shapes, indexing and joining against NumPy, over dtypes, shapes and random inputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import eagerflow as tf
from random_arrays import PLAIN, random_array, seeds, shapes

# One dtype of each size, since these operations move bytes; strings have code of their own.
DTYPES = ("bool", "bfloat16", "float32", "int64", "complex128", "string")


def array_of(seed, shape, dtype):
    if dtype != "string":
        return random_array(seed, shape, dtype)
    return random_array(seed, shape, "int32", 0, 50).astype("S").astype(object)


def assert_same(tensor, expected, dtype):
    assert tensor.dtype.name == dtype
    assert tuple(tensor.shape) == np.shape(expected)
    np.testing.assert_array_equal(tensor.numpy(), expected)


@st.composite
def arrays(draw, min_rank=0, max_rank=5):
    """A NumPy array, the tensor of it, and the name of the dtype."""
    dtype = draw(st.sampled_from(DTYPES))
    x = array_of(draw(seeds), draw(shapes(min_rank, max_rank)), dtype)
    return x, tf.constant(x, dtype), dtype


def an_axis(draw, rank):
    return draw(st.integers(-rank, rank - 1))


@given(case=arrays(), data=st.data())
def test_transpose(case, data):
    x, tensor, dtype = case
    order = data.draw(st.permutations(range(x.ndim)))
    assert_same(tf.transpose(tensor, order), np.transpose(x, order), dtype)
    assert_same(tf.transpose(tensor), np.transpose(x), dtype)


@given(case=arrays(), data=st.data())
def test_reshape(case, data):
    x, tensor, dtype = case
    assert_same(tf.reshape(tensor, [-1]) if x.size else tf.reshape(tensor, [0]), x.ravel(), dtype)
    if x.ndim:
        axis = an_axis(data.draw, x.ndim)
        assert_same(tf.expand_dims(tensor, axis), np.expand_dims(x, axis), dtype)
    ones = [k for k, side in enumerate(x.shape) if side == 1]
    assert_same(tf.squeeze(tensor), np.squeeze(x), dtype)
    if ones:
        assert_same(tf.squeeze(tensor, ones[:1]), np.squeeze(x, ones[0]), dtype)


@given(case=arrays(min_rank=1), data=st.data())
def test_reverse_and_roll(case, data):
    x, tensor, dtype = case
    axes = data.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, max_size=3))
    assert_same(tf.reverse(tensor, axes), np.flip(x, axes), dtype)
    axis, shift = an_axis(data.draw, x.ndim), data.draw(st.integers(-9, 9))
    assert_same(tf.roll(tensor, shift, axis), np.roll(x, shift, axis), dtype)


@pytest.mark.parametrize(("shift", "axis"), [(1, 1), ([1, -2], [0, 2]), ([1, 1], [1, -2]), (3, -1)])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_roll_along_axes_that_a_function_gets(shift, axis, dtype):
    x = np.arange(24).reshape(2, 3, 4)
    shifts, axes = tf.constant(shift, dtype), tf.constant(axis, dtype)
    found = tf.function(tf.roll)(tf.constant(x), shifts, axes)
    np.testing.assert_array_equal(found, np.roll(x, shift, axis))


@given(case=arrays(max_rank=4), data=st.data())
def test_tile_and_repeat(case, data):
    x, tensor, dtype = case
    counts = [data.draw(st.integers(0, 3)) for _ in range(x.ndim)]
    if x.size < 5000:
        assert_same(tf.tile(tensor, counts) if counts else tensor, np.tile(x, counts), dtype)
    if x.ndim and x.size < 5000:
        axis, count = an_axis(data.draw, x.ndim), data.draw(st.integers(0, 3))
        assert_same(tf.repeat(tensor, count, axis), np.repeat(x, count, axis), dtype)


@pytest.mark.parametrize("mode", ["constant", "reflect", "symmetric"])
@given(case=arrays(min_rank=1, max_rank=4), data=st.data())
def test_pad(mode, case, data):
    x, tensor, dtype = case
    if dtype == "string" or (mode != "constant" and 0 in x.shape):
        return
    widths = []
    for side in x.shape:
        limit = 3 if mode == "constant" else side - (mode == "reflect")
        pair = st.tuples(st.integers(0, min(limit, 3)), st.integers(0, min(limit, 3)))
        widths.append(data.draw(pair))
    assert_same(tf.pad(tensor, widths, mode), np.pad(x, widths, mode), dtype)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("values", "constant", "dtype"),
    [
        ([b"a", b"b"], "unk", "string"),
        ([1, 2], 2**60 + 1, "int64"),
        ([1, 2], 2**63 + 1, "uint64"),
        ([1.0, 2.0], 3.5, "float32"),
        ([1j, 2.0], 2j, "complex128"),
    ],
)
def test_pad_with_a_constant(values, constant, dtype, traced):
    def padded(x, value):
        return tf.pad([x, x], [[0, 1], [1, 2]], constant_values=value)

    x = tf.constant(values, dtype)
    expected = np.pad(
        np.array([x.numpy()] * 2), [[0, 1], [1, 2]], constant_values=tf.constant(constant, dtype)
    )
    assert_same(padded(x, constant), expected, dtype)
    spec = tf.TensorSpec([None], dtype)
    traced_pad = tf.function(padded, input_signature=[spec, tf.TensorSpec([], dtype)])
    run = traced_pad if traced else padded
    assert_same(run(x, tf.constant(constant, dtype)), expected, dtype)


def test_pad_of_strings():
    assert tf.pad(["a"], [[1, 0]]).numpy().tolist() == [b"", b"a"]
    mirrored = tf.pad(["a", "b", "c"], [[1, 2]], mode="reflect")
    assert mirrored.numpy().tolist() == [b"b", b"a", b"b", b"c", b"b", b"a"]


def test_pad_takes_constants_of_its_dtype_and_no_gradient_flows_to_them():
    assert tf.pad([1], [[0, 1]], constant_values=0.0).numpy().tolist() == [1, 0]
    assert tf.pad([True], [[0, 1]], constant_values=np.float32(0)).numpy().tolist() == [True, False]
    with pytest.raises(TypeError, match="Cannot convert 1.5"):
        tf.pad([1, 2], [[1, 2]], constant_values=1.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        tf.pad([1.0], [[1, 2]], constant_values=[3.0])
    x, value = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.pad(x, [[1, 2]], constant_values=value) ** 2
    assert y.numpy().tolist() == [9.0, 1.0, 4.0, 9.0, 9.0]
    by_x, by_value = tape.gradient(y, [x, value])
    assert by_x.numpy().tolist() == [2.0, 4.0]
    assert by_value is None


@given(data=st.data(), seed=seeds, dtype=st.sampled_from(DTYPES))
def test_broadcast(data, seed, dtype):
    pair = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=5, max_side=4))
    x = array_of(seed, pair.input_shapes[0], dtype)
    got = tf.broadcast_to(tf.constant(x, dtype), pair.result_shape)
    assert_same(got, np.broadcast_to(x, pair.result_shape), dtype)


@given(case=arrays(min_rank=1), data=st.data())
def test_joining_and_splitting(case, data):
    x, tensor, dtype = case
    axis = an_axis(data.draw, x.ndim)
    cuts = sorted(data.draw(st.lists(st.integers(0, x.shape[axis]), max_size=4)))
    bounds = [0, *cuts, x.shape[axis]]
    sizes = [stop - start for start, stop in zip(bounds, bounds[1:], strict=False)]
    parts = tf.split(tensor, sizes, axis)
    for part, expected in zip(parts, np.split(x, cuts, axis), strict=True):
        assert_same(part, expected, dtype)
    assert_same(tf.concat(parts, axis), x, dtype)
    if x.shape[axis] <= 1000:
        rows = tf.unstack(tensor, axis=axis)
        assert len(rows) == x.shape[axis]
        for k in range(0, len(rows), 7):
            assert_same(rows[k], np.take(x, k, axis), dtype)
        if rows:
            assert_same(tf.stack(rows, axis), x, dtype)


def test_sizes_of_parts_whose_sum_overflows():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Determined shape"):
        tf.split(tf.zeros([4]), [2**63 - 1, 2**63 - 1, 6])  # 4 in 64 bits


@given(case=arrays(), data=st.data(), count=st.integers(1, 4))
def test_stack(case, data, count):
    x, tensor, dtype = case
    axis = data.draw(st.integers(-x.ndim - 1, x.ndim))
    assert_same(tf.stack([tensor] * count, axis), np.stack([x] * count, axis), dtype)


@given(case=arrays(min_rank=1), data=st.data())
def test_slices(case, data):
    """All forms of NumPy's basic indexing."""
    x, tensor, dtype = case
    index = data.draw(hnp.basic_indices(x.shape, max_dims=7, allow_newaxis=True))
    assert_same(tensor[index], x[index], dtype)


@given(case=arrays(min_rank=1), data=st.data())
def test_slice_by_sizes(case, data):
    x, tensor, dtype = case
    begin = [data.draw(st.integers(0, side)) for side in x.shape]
    size = [
        data.draw(st.one_of(st.just(-1), st.integers(0, side - start)))
        for side, start in zip(x.shape, begin, strict=True)
    ]
    where = tuple(
        slice(start, None if count < 0 else start + count)
        for start, count in zip(begin, size, strict=True)
    )
    assert_same(tf.slice(tensor, begin, size), x[where], dtype)


@given(case=arrays(min_rank=1, max_rank=4), data=st.data(), seed=seeds)
def test_gather(case, data, seed):
    x, tensor, dtype = case
    axis = an_axis(data.draw, x.ndim)
    if x.shape[axis] == 0:
        return
    shape = data.draw(st.lists(st.integers(0, 4), max_size=2))
    places = np.random.default_rng(seed).integers(0, x.shape[axis], shape)
    assert_same(tf.gather(tensor, places, axis=axis), np.take(x, places, axis), dtype)
    if x.size <= 70_000:
        order = np.argsort(np.random.default_rng(seed).random(x.shape), axis=axis)
        batch = axis % x.ndim
        if batch == x.ndim - 1:
            got = tf.gather(tensor, order, axis=batch, batch_dims=batch)
            assert_same(got, np.take_along_axis(x, order, axis), dtype)


@given(case=arrays(min_rank=1, max_rank=4), data=st.data(), seed=seeds)
def test_gather_and_scatter_by_coordinates(case, data, seed):
    x, tensor, dtype = case
    if 0 in x.shape:
        return
    depth = data.draw(st.integers(1, x.ndim))
    random = np.random.default_rng(seed)
    count = data.draw(st.integers(0, 6))
    places = np.stack([random.integers(0, side, count) for side in x.shape[:depth]], -1)
    expected = x[tuple(places.T)]
    assert_same(tf.gather_nd(tensor, places), expected, dtype)
    if dtype in ("string", "bool"):
        return
    total = np.zeros_like(x)
    np.add.at(total, tuple(places.T), expected)
    if dtype != "bfloat16":
        assert_same(tf.scatter_nd(places, expected, x.shape), total, dtype)
    updated = x.copy()
    updated[tuple(places.T)] = 0
    zeros = tf.zeros_like(tf.constant(expected, dtype))
    assert_same(tf.tensor_scatter_nd_update(tensor, places, zeros), updated, dtype)


@given(case=arrays(min_rank=1), data=st.data(), seed=seeds)
def test_masks(case, data, seed):
    x, tensor, dtype = case
    rank = data.draw(st.integers(1, x.ndim))
    mask = random_array(seed, x.shape[:rank], "bool")
    assert_same(tf.boolean_mask(tensor, mask), x[mask], dtype)
    assert_same(tf.where(tf.constant(mask)), np.argwhere(mask), "int64")


@pytest.mark.parametrize("dtype", PLAIN)
@given(shape=st.lists(st.integers(0, 4), max_size=3), seed=seeds, depth=st.integers(0, 6))
def test_one_hot(dtype, shape, seed, depth):
    places = np.random.default_rng(seed).integers(-2, 7, shape)
    expected = (places[..., None] == np.arange(depth)).astype(tf.as_dtype(dtype).as_numpy_dtype)
    assert_same(tf.one_hot(places, depth, dtype=dtype), expected, dtype)


@given(
    start=st.integers(-50, 50),
    stop=st.integers(-50, 50),
    step=st.integers(-9, 9).filter(bool),
    dtype=st.sampled_from(["int32", "int64", "float32", "float64"]),
)
def test_range(start, stop, step, dtype):
    if (stop - start) * step < 0:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.range(start, stop, step, dtype)
        return
    assert_same(tf.range(start, stop, step, dtype), np.arange(start, stop, step, dtype), dtype)


@given(start=st.floats(-9, 9), stop=st.floats(-9, 9), count=st.integers(1, 200))
def test_linspace(start, stop, count):
    got = tf.linspace(tf.constant(start, tf.float64), tf.constant(stop, tf.float64), count)
    np.testing.assert_allclose(got.numpy(), np.linspace(start, stop, count), 1e-12, 1e-12)


@given(
    rows=st.integers(0, 6), columns=st.integers(0, 6), batch=st.lists(st.integers(0, 3), max_size=2)
)
def test_identity_matrices(rows, columns, batch):
    expected = np.broadcast_to(np.eye(rows, columns, dtype="f"), (*batch, rows, columns))
    assert_same(tf.eye(rows, columns, batch), expected, "float32")


@given(seed=seeds, shape=shapes(min_rank=1, max_rank=3), segments=st.integers(1, 5))
def test_segment_sums(seed, shape, segments):
    x = random_array(seed, shape, "int64")
    ids = np.random.default_rng(seed).integers(-1, segments, shape[0])
    expected = np.zeros((segments, *shape[1:]), "int64")
    np.add.at(expected, ids[ids >= 0], x[ids >= 0])
    assert_same(tf.math.unsorted_segment_sum(x, ids, segments), expected, "int64")
    order = np.sort(np.abs(ids))
    if len(order):
        expected = np.zeros((order[-1] + 1, *shape[1:]), "int64")
        np.add.at(expected, order, x)
        assert_same(tf.math.segment_sum(x, order), expected, "int64")


@given(seed=seeds, shape=st.lists(st.integers(0, 70), max_size=1))
def test_unique(seed, shape):
    x = random_array(seed, (*shape, 20), "int32", -5, 5).ravel()
    values, places = tf.unique(x)
    np.testing.assert_array_equal(values.numpy()[places.numpy()], x)
    firsts = np.sort(np.unique(x, return_index=True)[1])
    np.testing.assert_array_equal(values.numpy(), x[firsts])


def test_repeats_take_no_list_of_places():
    np.testing.assert_array_equal(tf.repeat([[1, 2]], 2, axis=1).numpy(), [[1, 1, 2, 2]])
    np.testing.assert_array_equal(tf.repeat([1, 2], [2]).numpy(), [1, 1, 2, 2])
    assert tf.repeat(tf.zeros([2, 3]), 0, axis=0).shape == (0, 3)


def test_too_many_dimensions():
    assert tf.reshape([[1]], [1] * 253).shape.rank == 253
    for count in (254, 300):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"too many dimensions.*{count}"):
            tf.reshape([[1]], [1] * count)


def test_more_results_than_a_program_holds_are_refused():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        assert len(tf.unstack(x, 3)) == 3
        with pytest.raises(ValueError, match="outputs is too big: 1125899906842624"):
            tf.unstack(x, 2**50)
    with pytest.raises(ValueError, match="outputs is too big"):
        tf.dynamic_partition([1, 2], [0, 1], 2**31 - 1)


@pytest.mark.parametrize("k", [2**63 - 1, -(2**63) + 2])
def test_a_diagonal_that_no_matrix_has(k):
    with pytest.raises(tf.errors.InvalidArgumentError, match="no diagonal"):
        tf._core.ops.diag(tf.ones([4, 2]), k, 2**63 - 1, 2**63 - 1)


def test_float_tensors_in_lists_of_sizes():
    sizes = [2, tf.constant(3.0)]
    assert tf.tile(tf.ones([1, 1]), sizes).shape == [2, 3]
    assert tf.zeros(sizes).shape == tf.reshape(tf.ones([6]), sizes).shape == [2, 3]
    for refused in (tf.constant([2.0, 3.0]), [2.5, tf.constant(3)]):
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
            tf.tile(tf.ones([1, 1]), refused)


@pytest.mark.parametrize("dtype", ["int8", *DTYPES])
def test_elements_repeated_any_number_of_times(dtype):
    for width in 1, 2, 4, 8:
        x = array_of(3, (3, 1, width), dtype)
        for count in [*range(1, 20), 63, 64, 65, 1030]:
            expected = np.broadcast_to(x, (3, count, width))
            assert_same(tf.broadcast_to(tf.constant(x, dtype), expected.shape), expected, dtype)


@pytest.mark.parametrize("axes", [[5], [-5], [0, 0], [1, -7]])
@pytest.mark.parametrize("value", [3.0, "a", np.zeros([0]), np.zeros([2, 0, 3])], ids=str)
def test_axes_of_what_has_nothing_to_reverse_are_not_checked(value, axes):
    value = tf.constant(value)
    result = tf.reverse(value, axes)
    assert result.dtype == value.dtype and result.shape == value.shape
    assert np.all(result.numpy() == value.numpy())
    later = tf.function(lambda value, axes: tf.reverse(value, axes))(value, tf.constant(axes))
    assert np.all(later.numpy() == value.numpy())
    with pytest.raises(ValueError, match="axis"):
        tf.function(lambda value: tf.reverse(value, axes))(value)
