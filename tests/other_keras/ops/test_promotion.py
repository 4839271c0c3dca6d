"""The dtypes that Keras 3 gives results of mixed ones, and what of unknown size runs in graphs."""

import numpy as np
import pytest

import eagerflow as tf

ops = tf.keras.ops


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ("complex64", "int32", "complex64"),
        ("bfloat16", "complex64", "complex64"),
        ("complex64", "float64", "complex128"),
    ],
)
def test_complex_numbers_keep_their_size(one, other, expected):
    assert ops.add(ops.ones([2], one), ops.ones([2], other)).dtype.name == expected


def test_products_of_bytes_are_summed_in_32_bits():
    x = np.full([1, 200], 100, "int8")
    assert ops.matmul(x, x.T).numpy() == 2_000_000
    assert ops.einsum("ab,cb->ac", x, x).dtype == tf.int32


def test_attention_of_mixed_dtypes_has_the_wider_one():
    half, single = np.ones([1, 2, 1, 4], "float16"), np.ones([1, 2, 1, 4], "float32")
    assert ops.dot_product_attention(half, single, half).dtype == tf.float32


def test_moments_of_halves_do_not_overflow_on_the_way():
    mean, variance = ops.moments(np.float16([300.0, -300.0] * 8), 0)
    assert float(mean) == 0.0 and np.isfinite(float(variance)) and float(variance) > 6e4


def test_multi_hot_vectors_of_booleans():
    np.testing.assert_array_equal(
        ops.multi_hot(np.array([0, 2]), 3, dtype="bool"), [True, False, True]
    )


def test_a_transposed_convolution_of_unknown_sizes():
    x = np.random.rand(2, 5, 5, 3).astype("float32")
    kernel = np.random.rand(3, 3, 4, 3).astype("float32")

    @tf.function(input_signature=[tf.TensorSpec([None, None, 5, 3])])
    def transposed(x):
        return ops.conv_transpose(x, kernel, 2, "same")

    expected = ops.conv_transpose(x, kernel, 2, "same")
    np.testing.assert_allclose(transposed(x), expected, rtol=1e-5)


def test_factors_are_multiplied_one_after_the_other():
    result = ops.scatter_update(np.ones(3), [[1], [1], [2]], [2.0, 3.0, 5.0], reduction="mul")
    np.testing.assert_array_equal(result, [1.0, 6.0, 5.0])


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: ops.cholesky(-np.eye(2, dtype="float32")), ValueError, "Cholesky"),
        (lambda: ops.norm(np.ones([2, 3]), axis=(0, 0)), ValueError, "axis"),
        (lambda: ops.norm(np.ones(3), axis=1), ValueError, "axis"),
        (lambda: ops.norm(np.ones(3), "fro"), ValueError, "vector norm"),
        (lambda: ops.scan(3, 0, np.ones(2)), TypeError, "callable"),
        (
            lambda: ops.associative_scan(lambda a, b: a, (np.ones(2), np.ones(3))),
            ValueError,
            "first dimension",
        ),
        (lambda: ops.image.rgb_to_hsv(np.ones([4, 4, 3], "int32")), ValueError, "float"),
        (lambda: ops.image.rgb_to_grayscale(np.ones([4, 4, 2])), ValueError, "channel"),
        (lambda: ops.image.resize(np.ones([4, 4]), (2, 2)), ValueError, "rank 3"),
    ],
)
def test_wrong_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_resized_bytes_are_rounded():
    image = np.uint8([0, 1, 254, 255]).reshape(1, 2, 2, 1)
    resized = ops.image.resize(image, (4, 4)).numpy()[0, :, :, 0]
    np.testing.assert_array_equal(resized[0], [0, 0, 1, 1])
    np.testing.assert_array_equal(resized[-1], [254, 254, 255, 255])
