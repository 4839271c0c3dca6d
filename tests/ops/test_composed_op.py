"""Invalid arguments raise the error of the first check that they fail."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf

Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        # Attributes are checked before inputs.
        (
            lambda: tf.io.encode_jpeg(tf.constant([1.5]), quality="a"),
            TypeError,
            "Expected int.*'quality'",
        ),
        (lambda: tf.io.encode_jpeg(tf.constant([1.5]), 3), TypeError, "Expected string.*'format'"),
        # A value is converted to the only dtype, a tensor keeps its own.
        (lambda: tf.io.encode_jpeg([1.5]), TypeError, "uint8"),
        (lambda: tf.io.encode_jpeg(tf.constant([1.5])), Invalid, "expected to be a uint8 tensor"),
        (lambda: tf.io.encode_jpeg(tf.Variable([1.5])), Invalid, "expected to be a uint8 tensor"),
        # Inputs that share a type have that of the first tensor among them.
        (lambda: tf.math.igamma([1], tf.constant(["a"])), TypeError, "string"),
        (lambda: tf.math.igamma(tf.constant(1.0), tf.constant(1)), Invalid, "float"),
        # Allowed types are checked before a kernel is looked up.
        (lambda: tf.math.reciprocal(tf.constant("a")), Invalid, "allowed values"),
        (lambda: tf.math.reciprocal(tf.constant(1)), tf.errors.NotFoundError, "no kernel"),
        # Values are converted one by one if all are tensors, arrays or numbers.
        (lambda: tf.audio.encode_wav(tf.constant([[1]]), 1.5), TypeError, "1.5"),
        (lambda: tf.audio.encode_wav(tf.constant([[1]]), [1]), ValueError, "requested dtype float"),
        (lambda: tf.math.igamma(tf.constant(1.0), tf.Variable(1)), Invalid, "to be a float tensor"),
        (lambda: tf.math.igamma([1.0], tf.Variable(1)), ValueError, "conversion requested"),
        # The second is converted to the dtype of the first.
        (lambda: tf.math.multiply_no_nan(tf.constant(1), 0.5), TypeError, "0.5"),
        # A missing argument is reported before errors in others.
        (lambda: tf.bitwise.bitwise_or(tf.constant(1.5)), TypeError, "missing.*'y'"),
        (lambda: tf.tensor_scatter_nd_add(tf.constant(1.5), "a"), TypeError, "missing.*'updates'"),
        # A class is not a value.
        (lambda: tf.add(np.float32, 1.0), TypeError, "pass an instance"),
        # Lists of tensors must be lists.
        (lambda: tf.dynamic_stitch(1, [tf.constant([1])]), TypeError, "len|list"),
        # Some functions convert arguments to one dtype before other checks.
        (lambda: tf.io.decode_jpeg(tf.constant(1.0)), ValueError, "requested dtype string"),
    ],
)
def test_the_first_failed_check_names_the_error(call, error, words):
    with pytest.raises(error, match=words) as raised:
        call()
    assert type(raised.value) is error


def test_arguments_that_an_operation_takes_keep_the_error_of_its_kernel():
    with pytest.raises(Invalid, match="Unknown image"):
        tf.io.decode_jpeg(b"no image")


def test_functions_that_would_take_more_check_first():
    with pytest.raises(Invalid, match="#1"):
        tf.quantization.quantize_and_dequantize(tf.constant([1.0]), tf.constant(1), tf.constant(2))
