"""Strings as numbers, base64, compressed data, CSV."""

import gzip
import zlib

import numpy as np
import pytest

import eagerflow as tf

Invalid = tf.errors.InvalidArgumentError


def test_decode_raw_reads_numbers():
    np.testing.assert_array_equal(tf.io.decode_raw([b"abcd"], tf.int16), [[25185, 25699]])
    big = tf.io.decode_raw([b"abcd"], tf.int32, little_endian=False)
    np.testing.assert_array_equal(big, [[1633837924]])
    padded = tf.io.decode_raw([b"abcdef", b"ab"], tf.int16, fixed_length=4)
    np.testing.assert_array_equal(padded, [[25185, 25699], [25185, 0]])
    assert tf.io.decode_raw(tf.zeros([0, 2], tf.string), tf.float32).shape == (0, 2, 0)


@pytest.mark.parametrize(
    "data, arguments, message",
    [
        ([b"abcd", b"ab"], {}, "same size"),
        ([b"abc"], {}, "length 3 that is not a multiple of 2"),
        ([b"abcd"], {"fixed_length": 3}, "must be .*a multiple of the size"),
    ],
)
def test_decode_raw_refuses_other_sizes(data, arguments, message):
    with pytest.raises(Invalid, match=message):
        tf.io.decode_raw(data, tf.int16, **arguments)


def test_decode_raw_takes_strings():
    with pytest.raises(TypeError, match="string"):
        tf.io.decode_raw([1], tf.int16)
    with pytest.raises(Invalid, match="expected to be a string tensor but is a int32"):
        tf.io.decode_raw(tf.constant([1]), tf.int16)


def test_base64_is_web_safe():
    encoded = tf.io.encode_base64([b"hello?", b"a"], pad=True)
    assert encoded.numpy().tolist() == [b"aGVsbG8_", b"YQ=="]
    assert tf.io.decode_base64(encoded).numpy().tolist() == [b"hello?", b"a"]
    for bad in (b"a", b"aGV+", b"aG=V", b"aGVsbG8/"):
        with pytest.raises(Invalid):
            tf.io.decode_base64(bad)


def test_decode_compressed_inflates_or_says_why_not():
    data = zlib.compress(b"content")
    assert tf.io.decode_compressed([data], "ZLIB").numpy().tolist() == [b"content"]
    with pytest.raises(Invalid, match="are supported compressions"):
        tf.io.decode_compressed(data, "LZ")
    with pytest.raises(tf.errors.DataLossError):
        tf.io.decode_compressed(b"junk", "ZLIB")
    # What is cut short gives what is there, and members of gzip follow each other.
    assert tf.io.decode_compressed([data[:-5], b""], "ZLIB").numpy().tolist() == [b"content", b""]
    members = gzip.compress(b"one") + gzip.compress(b"two")
    assert tf.io.decode_compressed(members, "GZIP").numpy() == b"onetwo"


def test_csv_columns_have_the_dtypes_of_their_defaults():
    number, real, text = tf.io.decode_csv(['1,2.5,"a ""q"" b"', "3,,x"], [[0], [9.5], [""]])
    np.testing.assert_array_equal(number, np.int32([1, 3]))
    np.testing.assert_array_equal(real, np.float32([2.5, 9.5]))
    assert text.numpy().tolist() == [b'a "q" b', b"x"]
    first, last = tf.io.decode_csv(["1,2,3"], [[0], [0]], select_cols=[0, 2])
    assert first.numpy().tolist() == [1] and last.numpy().tolist() == [3]
    (absent, _) = tf.io.decode_csv(["NA,2"], [[5], [0.0]], na_value="NA")
    assert absent.numpy().tolist() == [5]
    values = tf.io.decode_csv("1 ,nan,inf,1e3", [[0], [0.0], [0.0], [0.0]])
    np.testing.assert_array_equal([float(v) for v in values], [1, np.nan, np.inf, 1000])


@pytest.mark.parametrize(
    "line, defaults, message",
    [
        ("1,2", [[0]], "Expect 1 fields but have 2 in record 0"),
        ("x", [[0]], "not a valid int32: x"),
        ("3000000000", [[0]], "not a valid int32"),
        (",", [[0], tf.constant([], tf.int32)], "Field 1 is required but missing"),
        ('a"b', [[""]], "Unquoted fields cannot have quotes/CRLFs inside"),
        ('"a', [[""]], "Quoted field has to end with quote"),
        ("", [[7]], "Expect 1 fields but have 0 in record 0"),
    ],
)
def test_csv_refuses_what_it_cannot_read(line, defaults, message):
    with pytest.raises(Invalid, match=message):
        tf.io.decode_csv([line], defaults)


def test_strings_of_sparse_tensors_are_packed():
    value = tf.SparseTensor([[0, 1], [1, 0]], ["x" * 200, "y"], [2, 4])
    rows = tf.io.serialize_many_sparse(value)
    assert rows[1, 1].numpy() == b'\x08\x07\x12\x04\x12\x02\x08\x01"\x02\x01y'
    again = tf.io.deserialize_many_sparse(rows, tf.string)
    assert again.values.numpy().tolist() == [b"x" * 200, b"y"]
    for cut in (b'"\x02\x02y', b'"\x01\x81', b'"\x03\x01yy'):
        broken = b"\x08\x07\x12\x04\x12\x02\x08\x01" + cut
        with pytest.raises(Invalid):
            tf.io.deserialize_many_sparse(
                [[rows[1, 0].numpy(), broken, rows[1, 2].numpy()]], "string"
            )
