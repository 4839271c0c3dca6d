"""Sorting and the largest elements, for all dtypes, sizes and special values."""

import ml_dtypes
import numpy as np
import pytest

import eagerflow as tf

FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SHAPES = [(0,), (1,), (5,), (3, 100), (1000,), (7, 30, 5)]


def elements(dtype, shape):
    """Values with many ties; floats include NaN, infinities and both zeros."""
    random = np.random.RandomState(sum(shape))
    if dtype in INTS:
        limits = np.iinfo(dtype)
        low, high = max(limits.min, -(2**62)), min(limits.max, 2**62)
        values = random.randint(low, high, shape).astype(dtype)
        flat = values.reshape(-1)
        flat[::3] = flat[::3] % 7
        return values
    values = np.asarray(random.randn(*shape) * 10)
    flat = values.reshape(-1)
    for start, special in enumerate([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5]):
        flat[start + 3 :: 19] = special
    return values.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def comparable(array, dtype):
    return array.astype(np.float64) if dtype in FLOATS else array


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", FLOATS + INTS)
def test_sort_and_argsort_agree_with_numpy(dtype, shape):
    values = elements(dtype, shape)
    expected = comparable(values, dtype)
    for axis in range(len(shape)):
        ascending = np.sort(expected, axis)
        np.testing.assert_array_equal(
            comparable(tf.sort(values, axis).numpy(), dtype), ascending, strict=True
        )
        np.testing.assert_array_equal(
            comparable(tf.sort(values, axis, "DESCENDING").numpy(), dtype), np.flip(ascending, axis)
        )
        order = np.argsort(expected, axis, kind="stable")
        np.testing.assert_array_equal(tf.argsort(values, axis).numpy(), order)


@pytest.mark.parametrize("kept", [0, 1, 5, 40, 500, 1000])
@pytest.mark.parametrize("dtype", FLOATS + INTS)
def test_top_k_is_the_start_of_the_descending_order(dtype, kept):
    values = elements(dtype, (2, 1000))
    # In ascending values, every element is the largest so far.
    values = np.concatenate([values, np.sort(comparable(values, dtype)).astype(values.dtype)])
    order = tf.argsort(values, direction="DESCENDING").numpy()[:, :kept]
    largest, places = tf.math.top_k(values, kept)
    np.testing.assert_array_equal(places.numpy(), order)
    np.testing.assert_array_equal(
        comparable(largest.numpy(), dtype),
        comparable(np.take_along_axis(values, order, -1), dtype),
    )


@pytest.mark.parametrize("dtype", FLOATS + INTS)
def test_top_k_of_short_rows(dtype):
    for width in [*range(1, 20), 100, 511, 512, 513]:
        values = elements(dtype, (20, width))
        for kept in {1, min(3, width), width // 2, width}:
            order = tf.argsort(values, direction="DESCENDING").numpy()[:, :kept]
            places = tf.math.top_k(values, kept).indices
            np.testing.assert_array_equal(places, order, err_msg=f"{kept} of {width}")


def test_descending_order_keeps_equal_elements_in_place():
    order = tf.argsort([1.0, 2.0, 1.0, -0.0, 0.0, 2.0], direction="DESCENDING").numpy()
    np.testing.assert_array_equal(order, [1, 5, 0, 2, 3, 4])
