"""Record files: the bytes on disk, compression, and damage."""

import zlib

import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.io.records import read_records

RECORDS = [b"first", b"", b"x" * 10]
# Written by TensorFlow 2.21.
PLAIN = (
    "0500000000000000eab2043e666972737455ff23e5000000000000000029039807d8ea82a20a00000000000000"
    "aea3bf3a78787878787878787878cf2bb7d1"
)
GZIP = (
    "1f8b080000000000000363658080579b58ecd2328b8a4b42ff2b3f858a316832cf60bff1aa69111794bf6ef17eab"
    "0a3838afbdfd2200873a79d03f000000"
)
ZLIB = (
    "789c63658080579b58ecd2328b8a4b42ff2b3f858a316832cf60bff1aa69111794bf6ef17eab0a3838afbdfd2200"
    "ff98139f"
)


def written(path, compression=None):
    with tf.io.TFRecordWriter(str(path), compression) as writer:
        for record in RECORDS:
            writer.write(record)
    return path.read_bytes()


@pytest.mark.parametrize(
    "data, crc", [(b"", 0), (b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA)]
)
def test_the_checksum_has_the_published_values(data, crc):
    assert _core.crc32c(data) == crc
    assert _core.crc32c(data[3:], _core.crc32c(data[:3])) == crc


def test_plain_files_are_those_of_tensorflow(tmp_path):
    assert written(tmp_path / "a").hex() == PLAIN


@pytest.mark.parametrize("compression, recorded", [("", PLAIN), ("GZIP", GZIP), ("ZLIB", ZLIB)])
def test_reads_what_tensorflow_wrote(tmp_path, compression, recorded):
    path = tmp_path / "a"
    path.write_bytes(bytes.fromhex(recorded))
    assert list(read_records(path, compression)) == RECORDS


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_compressed_files_hold_the_same_bytes(tmp_path, compression):
    data = written(tmp_path / "a", tf.io.TFRecordOptions(compression))
    assert zlib.decompress(data, 47).hex() == PLAIN


def test_a_gzip_file_may_have_several_members(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(bytes.fromhex(GZIP) * 2)
    assert list(read_records(path, "GZIP")) == RECORDS * 2


def test_every_truncation_is_noticed(tmp_path):
    data = bytes.fromhex(PLAIN)
    ends = {0, 21, 37, len(data)}
    path = tmp_path / "a"
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        if size in ends:
            list(read_records(path))
        else:
            with pytest.raises(tf.errors.DataLossError, match="truncated record"):
                list(read_records(path))


def test_every_flipped_byte_is_noticed(tmp_path):
    data = bytes.fromhex(PLAIN)
    path = tmp_path / "a"
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x40
        path.write_bytes(damaged)
        with pytest.raises(tf.errors.DataLossError):
            list(read_records(path))


def test_other_files_are_no_record_files(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"hello world, this is no file of records")
    with pytest.raises(tf.errors.DataLossError, match="Is this even a TFRecord file"):
        list(read_records(path))
    with pytest.raises(tf.errors.DataLossError):
        list(read_records(path, "GZIP"))
    with pytest.raises(tf.errors.NotFoundError):
        list(read_records(tmp_path / "missing"))


def test_a_closed_writer_does_not_write(tmp_path):
    writer = tf.io.TFRecordWriter(str(tmp_path / "a"))
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError):
        writer.write(b"late")


def test_flushed_records_can_be_read(tmp_path):
    path = tmp_path / "a"
    for compression in ("", "GZIP"):
        writer = tf.io.TFRecordWriter(str(path), compression)
        writer.write(b"record")
        writer.flush()
        assert next(read_records(path, compression)) == b"record"
        writer.close()
