"""Tensors as messages; the bytes are those that TensorFlow 2.21 writes."""

import contextlib

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize(
    "tensor, recorded",
    [
        (
            lambda: tf.constant([[1, 2], [3, 4]]),
            b'\x08\x03\x12\x08\x12\x02\x08\x02\x12\x02\x08\x02"\x10\x01\x00\x00\x00\x02\x00\x00\x00'
            b"\x03\x00\x00\x00\x04\x00\x00\x00",
        ),
        (lambda: tf.constant(["a", "bc"]), b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc"),
        (lambda: tf.constant(1.5), b'\x08\x01\x12\x00"\x04\x00\x00\xc0?'),
        (lambda: tf.constant([True, False]), b'\x08\n\x12\x04\x12\x02\x08\x02"\x02\x01\x00'),
        (lambda: tf.zeros([0, 3]), b"\x08\x01\x12\x06\x12\x00\x12\x02\x08\x03"),
        (
            lambda: tf.constant([1, 2], tf.bfloat16),
            b'\x08\x0e\x12\x04\x12\x02\x08\x02"\x04\x80?\x00@',
        ),
    ],
)
def test_messages_have_these_bytes(tensor, recorded):
    tensor = tensor()
    assert tf.io.serialize_tensor(tensor).numpy() == recorded
    again = tf.io.parse_tensor(recorded, tensor.dtype)
    assert again.dtype is tensor.dtype and again.shape == tensor.shape
    np.testing.assert_array_equal(again.numpy(), tensor.numpy())


@pytest.mark.parametrize(
    "dtype", [tf.float16, tf.float64, tf.int8, tf.uint64, tf.complex64, tf.complex128, tf.uint16]
)
def test_every_dtype_comes_back(dtype):
    tensor = tf.cast([[1, 2, 3]], dtype)
    again = tf.io.parse_tensor(tf.io.serialize_tensor(tensor), dtype)
    np.testing.assert_array_equal(again.numpy(), tensor.numpy())


def test_elements_may_be_in_typed_fields():
    from eagerflow.protos.tensor import MESSAGES

    message = MESSAGES["TensorProto"](dtype=1, float_val=[1.0, 2.0])
    message.tensor_shape.dim.add(size=4)
    parsed = tf.io.parse_tensor(message.SerializeToString(), tf.float32)
    assert parsed.numpy().tolist() == [1.0, 2.0, 2.0, 2.0]


def test_junk_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse"):
        tf.io.parse_tensor(b"junk", tf.int32)
    data = tf.io.serialize_tensor(tf.constant([1.5])).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Type mismatch"):
        tf.io.parse_tensor(data, tf.int32)
    for size in range(1, len(data)):
        # What a prefix does not say is zero, as in every message of this language.
        with contextlib.suppress(tf.errors.InvalidArgumentError):
            assert not tf.io.parse_tensor(data[:size], tf.float32).numpy().any()
