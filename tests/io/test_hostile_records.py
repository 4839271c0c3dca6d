"""Records and arrays from files that are mutated, or claim to be larger than they are."""

import random
import resource
import struct

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.checkpoint.arrays import load_arrays, save_arrays
from eagerflow.io.records import masked_crc32c


def claiming(length):
    """The beginning of a record of that length, with a checksum that holds."""
    head = struct.pack("<Q", length)
    return head + struct.pack("<I", masked_crc32c(head)) + b"some bytes"


@pytest.mark.parametrize("length", [1 << 33, 1 << 50, (1 << 64) - 1])
def test_lengths_beyond_the_file(tmp_path, length):
    (tmp_path / "r").write_bytes(claiming(length))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(tf.errors.DataLossError, match="r"):
        list(tf.data.TFRecordDataset(str(tmp_path / "r")))
    with pytest.raises(tf.errors.DataLossError, match="r"):
        list(tf.compat.v1.python_io.tf_record_iterator(str(tmp_path / "r")))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20  # in kB


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_mutated_records(tmp_path, kind):
    wanted = [bytes([k]) * 50 * k for k in range(8)]
    path = str(tmp_path / "r")
    with tf.io.TFRecordWriter(path, kind) as writer:
        for record in wanted:
            writer.write(record)
    with open(path, "rb") as file:
        whole = file.read()
    chance = random.Random(kind)
    for _ in range(60):
        mutated = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            mutated[chance.randrange(len(mutated))] = chance.randrange(256)
        with open(path, "wb") as file:
            file.write(mutated[: chance.randrange(len(mutated)) if chance.random() < 0.3 else None])
        found = []
        try:
            for record in tf.data.TFRecordDataset(path, compression_type=kind):
                found.append(record.numpy())
        except tf.errors.DataLossError:
            pass
        assert found == wanted[: len(found)]


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
def test_mutated_arrays(tmp_path, ending):
    module = tf.Module()
    module.v = tf.Variable(tf.range(40))
    path = str(tmp_path / f"w{ending}")
    save_arrays(module, path)
    with open(path, "rb") as file:
        whole = file.read()
    chance = random.Random(ending)
    for _ in range(60):
        mutated = bytearray(whole)
        for _ in range(chance.randrange(1, 20)):
            mutated[chance.randrange(min(len(mutated), 300))] = chance.randrange(256)
        with open(path, "wb") as file:
            file.write(mutated)
        try:
            load_arrays(module, path)
        except (tf.errors.DataLossError, ValueError):
            pass
        assert module.v.shape == (40,) and np.asarray(module.v).dtype == np.int32


def test_records_by_the_names_of_version_1(tmp_path):
    python_io = tf.compat.v1.python_io
    for kind in ("NONE", "ZLIB", "GZIP"):
        options = python_io.TFRecordOptions(getattr(python_io.TFRecordCompressionType, kind))
        with python_io.TFRecordWriter(str(tmp_path / kind), options) as writer:
            writer.write(b"one")
            writer.write(b"two")
        assert list(python_io.tf_record_iterator(str(tmp_path / kind), options)) == [b"one", b"two"]
    with pytest.raises(tf.errors.NotFoundError, match="nothing"):
        next(tf.compat.v1.io.tf_record_iterator(str(tmp_path / "nothing")))
    assert tf.compat.v1.io.FixedLenFeature is tf.io.FixedLenFeature
