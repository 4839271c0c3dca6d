"""Arrays large enough for several threads and vector loops, against NumPy."""

import numpy as np
import pytest

import eagerflow as tf

DTYPES = ["int8", "uint8", "int16", "int32", "uint32", "int64", "float32", "float64"]


def numbers(dtype, *shape):
    generator = np.random.default_rng(0)
    if dtype.startswith("float"):
        return generator.normal(size=shape).astype(dtype)
    return generator.integers(0 if dtype[0] == "u" else -100, 100, shape).astype(dtype)


@pytest.mark.parametrize("shape", [(3, 70_001), (1100, 3, 77), (40_000, 5)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_extremes_and_their_places(dtype, shape):
    x = numbers(dtype, *shape)
    for axis in range(len(shape)):
        np.testing.assert_array_equal(tf.reduce_max(x, axis), x.max(axis))
        np.testing.assert_array_equal(tf.reduce_min(x, axis), x.min(axis))
        np.testing.assert_array_equal(tf.argmax(x, axis), x.argmax(axis))
        np.testing.assert_array_equal(tf.argmin(x, axis), x.argmin(axis))


@pytest.mark.parametrize("shape", [(3, 70_001), (1100, 3, 77), (40_000, 5)], ids=str)
@pytest.mark.parametrize("dtype", ["int16", "int32", "int64", "float64"])
def test_sums_and_running_sums(dtype, shape):
    x = numbers(dtype, *shape)
    for axis in range(len(shape)):
        np.testing.assert_allclose(
            tf.reduce_sum(x, axis), x.sum(axis, dtype=dtype), rtol=1e-9, atol=1e-9
        )
        running = x.cumsum(axis, dtype=dtype)
        np.testing.assert_allclose(tf.cumsum(x, axis), running, rtol=1e-9, atol=1e-9)
        before = tf.cumsum(x, axis, exclusive=True, reverse=True)
        total = x.sum(axis, keepdims=True, dtype=dtype)
        np.testing.assert_allclose(before, total - running, rtol=1e-9, atol=1e-8)


def test_the_first_of_equal_extremes_or_of_nans():
    x = np.zeros(5000, np.float32)
    x[[2500, 3000]] = 1
    assert int(tf.argmax(x)) == 2500
    assert int(tf.argmin(x)) == 0
    x[[1200, 4000]] = np.nan
    assert int(tf.argmax(x)) == int(tf.argmin(x)) == 1200
    assert int(tf.argmax(np.full(100, np.nan))) == 0
    table = np.array([[np.nan, 1], [np.nan, 2], [3, np.nan]], np.float32)
    assert tf.argmax(table, 0).numpy().tolist() == np.argmax(table, 0).tolist() == [0, 2]
    assert tf.argmax(table, 1).numpy().tolist() == np.argmax(table, 1).tolist() == [0, 0, 1]


@pytest.mark.parametrize("axis", [0, 1, None])
def test_truth_values(axis):
    x = np.random.default_rng(0).random([3000, 50]) > 0.001
    np.testing.assert_array_equal(tf.reduce_all(x, axis), x.all(axis))
    np.testing.assert_array_equal(tf.reduce_any(~x, axis), (~x).any(axis))
    assert bool(tf.reduce_all(np.zeros([0], bool))) and not bool(tf.reduce_any(np.zeros([0], bool)))


@pytest.mark.parametrize("shape", [(200_000,), (500, 401), (70, 60, 50), (2, 3, 4, 5)], ids=str)
def test_places_of_what_is_set(shape):
    x = np.random.default_rng(0).random(shape) > 0.5
    np.testing.assert_array_equal(tf.where(x), np.argwhere(x))
    np.testing.assert_array_equal(tf.where(x.astype(np.float32)), np.argwhere(x))


@pytest.mark.parametrize("dtype", ["int32", "int64", "complex64", "complex128"])
@pytest.mark.parametrize("turned", [False, True])
def test_products(dtype, turned):
    generator = np.random.default_rng(0)
    a, b = generator.integers(-50, 50, [2, 131, 131]).astype(dtype)
    if dtype.startswith("complex"):
        a = a + 1j * b[::-1]
    left = a.astype(dtype)
    expected = left.T @ b.T if turned else left @ b
    product = tf.matmul(left, b, transpose_a=turned, transpose_b=turned)
    np.testing.assert_allclose(product, expected, rtol=1e-5)
    adjoint = tf.matmul(left, b, adjoint_a=True)
    np.testing.assert_allclose(adjoint, left.conj().T @ b, rtol=1e-5)


def test_products_of_integers_wrap():
    a = np.full([40, 40], 2**30, np.int32)
    np.testing.assert_array_equal(tf.matmul(a, a + 1), (a @ (a + 1)))


def test_gathered_numbers_and_rows():
    x = numbers("float32", 300, 200)
    places = np.random.default_rng(1).integers(0, 200, [70_000])
    np.testing.assert_array_equal(tf.gather(x, places[:500], axis=1), x[:, places[:500]])
    pairs = np.stack([places, places[::-1]], 1)
    np.testing.assert_array_equal(tf.gather_nd(x, pairs), x[pairs[:, 0], pairs[:, 1]])
    np.testing.assert_array_equal(tf.gather_nd(x, places[:, None]), x[places])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[69999\]"):
        tf.gather_nd(x, np.append(places[:-1], 300)[:, None])


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
def test_mirrored_borders(mode):
    x = numbers("float32", 30, 40, 50)
    widths = [[2, 3], [0, 1], [7, 4]]
    np.testing.assert_array_equal(tf.pad(x, widths, mode), np.pad(x, widths, mode.lower()))


def test_counts():
    x = np.random.default_rng(0).integers(0, 90, [400, 1000])
    np.testing.assert_array_equal(tf.math.bincount(x), np.bincount(x.ravel()))
    np.testing.assert_array_equal(tf.math.bincount(x, maxlength=50), np.bincount(x.ravel())[:50])
    rows = np.stack([np.bincount(row, minlength=90) for row in x])
    np.testing.assert_array_equal(tf.math.bincount(x, axis=-1), rows)
    np.testing.assert_array_equal(
        tf.math.bincount(x, axis=-1, binary_output=True), (rows > 0).astype(int)
    )
    weights = numbers("float32", 400, 1000)
    weighted = np.bincount(x.ravel(), weights.ravel())
    np.testing.assert_allclose(tf.math.bincount(x, weights=weights), weighted, atol=1e-3)
    order = np.random.default_rng(1).permutation(100_000)
    np.testing.assert_array_equal(tf.math.invert_permutation(order), order.argsort())


def test_pixels_are_moved_whole():
    x = np.random.default_rng(0).integers(0, 256, [2, 64, 70, 3]).astype(np.uint8)
    for array in (x, x.astype(np.float32), x[..., :2]):
        np.testing.assert_array_equal(tf.reverse(array, [2]), array[:, :, ::-1])
        np.testing.assert_array_equal(
            tf.transpose(array, [0, 2, 1, 3]), array.transpose(0, 2, 1, 3)
        )
        np.testing.assert_array_equal(array[:, ::2, 1::3], tf.constant(array)[:, ::2, 1::3])
        np.testing.assert_array_equal(
            tf.tile(array[:, :, :1], [1, 1, 5, 1]), np.tile(array[:, :, :1], [1, 1, 5, 1])
        )


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint32", "int64"])
def test_division_of_integers(dtype):
    x, y = numbers(dtype, 5000), numbers(dtype, 5000)[::-1].copy()
    y[y == 0] = 3
    np.testing.assert_array_equal(tf.math.floordiv(x, y), x // y)
    np.testing.assert_array_equal(tf.math.floormod(x, y), x % y)
    least = np.array([np.iinfo(np.int32).min], np.int32)
    np.testing.assert_array_equal(tf.constant(least) // -1, least)
    np.testing.assert_array_equal(tf.constant(least) % -1, [0])


def test_means_of_windows():
    x = numbers("float32", 2, 9, 11, 5)
    padded = np.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]])
    count = np.pad(np.ones_like(x), [[0, 0], [1, 1], [1, 1], [0, 0]])
    sums = sum(padded[:, i : i + 9, j : j + 11] for i in range(3) for j in range(3))
    sizes = sum(count[:, i : i + 9, j : j + 11] for i in range(3) for j in range(3))
    np.testing.assert_allclose(
        tf.nn.avg_pool2d(x, 3, 1, "SAME"), sums / sizes, rtol=1e-5, atol=1e-6
    )


def test_the_inverse_of_the_error_function():
    y = np.concatenate([np.linspace(-3.5, 3.5, 1001), [5.0, -5.5]])
    x = tf.math.erf(tf.constant(y)).numpy()
    np.testing.assert_allclose(tf.math.erfinv(x[:-2]), y[:-2], rtol=1e-7, atol=1e-13)
    np.testing.assert_allclose(tf.math.erfinv(tf.constant(0.5)), 0.4769363, rtol=1e-6)
    limits = tf.math.erfinv(tf.constant([1.0, -1.0, 1.5, 0.0])).numpy()
    np.testing.assert_array_equal(limits, [np.inf, -np.inf, np.nan, 0])
