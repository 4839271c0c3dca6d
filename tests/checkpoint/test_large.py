"""Tensors of several megabytes: they are written and read in pieces."""

import os

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.checkpoint.bundle import BundleReader, write_bundle


@pytest.fixture(scope="module")
def arrays():
    random = np.random.default_rng(0)
    return {
        "odd": random.integers(0, 256, (5 << 20) + 123).astype(np.uint8),
        "floats": random.normal(size=(1 << 10, 700)).astype("f"),
        "doubles": random.normal(size=300_001),
        "text": np.array([b"one", b"", b"three"], object),
        "small": np.float32(1.5),
    }


@pytest.fixture
def prefix(tmp_path, arrays):
    write_bundle(tmp_path / "x", arrays)
    return str(tmp_path / "x")


def data_file(prefix):
    return prefix + ".data-00000-of-00001"


def test_round_trip(prefix, arrays):
    reader = BundleReader(prefix)
    for name, array in arrays.items():
        got = reader.read(name)
        np.testing.assert_array_equal(got.numpy(), array)
        if name != "text":
            assert got.dtype.as_numpy_dtype == array.dtype


def test_numbers_lie_at_multiples_of_their_size(prefix):
    entries = BundleReader(prefix).entries
    assert sum(entry.size for entry in entries.values()) == os.path.getsize(data_file(prefix))
    for name in ("odd", "floats", "doubles", "small"):
        assert entries[name].offset % entries[name].dtype.size == 0


@pytest.mark.parametrize("name", ["odd", "floats", "doubles"])
def test_flipped_bits(prefix, name):
    entry = BundleReader(prefix).entries[name]
    random = np.random.default_rng(len(name))
    for at in (0, entry.size - 1, *random.integers(0, entry.size, 4)):
        with open(data_file(prefix), "r+b") as file:
            file.seek(entry.offset + int(at))
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 16]))
        with pytest.raises(tf.errors.DataLossError, match=rf"'{name}' in .*checksum"):
            BundleReader(prefix).read(name)
        with open(data_file(prefix), "r+b") as file:
            file.seek(entry.offset + int(at))
            file.write(bytes([byte]))


@pytest.mark.parametrize("mode", [0o444, 0o644])
@pytest.mark.parametrize("harm", ["truncated", "rewritten", "removed"])
def test_what_was_read_outlives_its_file(prefix, arrays, mode, harm):
    os.chmod(data_file(prefix), mode)
    kept = BundleReader(prefix).read("floats")
    variable = tf.Variable(kept)
    os.chmod(data_file(prefix), 0o644)
    if harm == "removed":
        os.unlink(data_file(prefix))
    else:
        with open(data_file(prefix), "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            file.write(bytes(size))
            file.truncate(10 if harm == "truncated" else size)
        with pytest.raises(tf.errors.DataLossError, match="should end at byte|checksum"):
            BundleReader(prefix).read("floats")
    np.testing.assert_array_equal(kept.numpy(), arrays["floats"])
    variable.assign_add(tf.ones_like(variable))
    np.testing.assert_array_equal(variable.numpy(), arrays["floats"] + 1)


def test_refusals_of_the_system(tmp_path):
    with open(tmp_path / "x", "wb") as file:
        file.write(b"1234")
    with open(tmp_path / "x", "rb") as file:
        tensor, crc = _core.read_checked(file.fileno(), 1, tf.uint8, (3,))
        assert tensor.numpy().tolist() == [50, 51, 52] and crc == _core.crc32c(b"234")
        with pytest.raises(OSError, match="Input/output"):
            _core.read_checked(file.fileno(), 1, tf.uint8, (4,))
        with pytest.raises(OSError, match="Bad file"):
            _core.write_checked(file.fileno(), 0, b"x")
        with pytest.raises(tf.errors.InvalidArgumentError, match="fixed size"):
            _core.read_checked(file.fileno(), 0, tf.string, (1,))
