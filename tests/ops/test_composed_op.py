"""Bad arguments raise what the first check that they fail raises."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf

Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        # Attributes come first, whatever is wrong with the inputs.
        (
            lambda: tf.io.encode_jpeg(tf.constant([1.5]), quality="a"),
            TypeError,
            "Expected int.*'quality'",
        ),
        (lambda: tf.io.encode_jpeg(tf.constant([1.5]), 3), TypeError, "Expected string.*'format'"),
        # A value becomes a tensor of the only dtype, a tensor keeps its own.
        (lambda: tf.io.encode_jpeg([1.5]), TypeError, "uint8"),
        (lambda: tf.io.encode_jpeg(tf.constant([1.5])), Invalid, "expected to be a uint8 tensor"),
        (lambda: tf.io.encode_jpeg(tf.Variable([1.5])), Invalid, "expected to be a uint8 tensor"),
        # Inputs that share a type take that of the first tensor among them.
        (lambda: tf.math.igamma([1], tf.constant(["a"])), TypeError, "string"),
        (lambda: tf.math.igamma(tf.constant(1.0), tf.constant(1)), Invalid, "float"),
        # What the type may be is looked at before it is asked for a kernel.
        (lambda: tf.math.reciprocal(tf.constant("a")), Invalid, "allowed values"),
        (lambda: tf.math.reciprocal(tf.constant(1)), tf.errors.NotFoundError, "no kernel"),
        # Values become tensors one after the other where all are tensors, arrays or numbers.
        (lambda: tf.audio.encode_wav(tf.constant([[1]]), 1.5), TypeError, "1.5"),
        (lambda: tf.audio.encode_wav(tf.constant([[1]]), [1]), ValueError, "requested dtype float"),
        (lambda: tf.math.igamma(tf.constant(1.0), tf.Variable(1)), Invalid, "to be a float tensor"),
        (lambda: tf.math.igamma([1.0], tf.Variable(1)), ValueError, "conversion requested"),
        # The second takes the dtype of the first.
        (lambda: tf.math.multiply_no_nan(tf.constant(1), 0.5), TypeError, "0.5"),
        # An argument that is missing comes before whatever is wrong with others.
        (lambda: tf.bitwise.bitwise_or(tf.constant(1.5)), TypeError, "missing.*'y'"),
        (lambda: tf.tensor_scatter_nd_add(tf.constant(1.5), "a"), TypeError, "missing.*'updates'"),
        # A class is no value.
        (lambda: tf.add(np.float32, 1.0), TypeError, "pass an instance"),
        # Lists of tensors have to be lists.
        (lambda: tf.dynamic_stitch(1, [tf.constant([1])]), TypeError, "len|list"),
        # Some functions make tensors of one dtype before anything else is known.
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
