"""tensorflow.examples.tutorials.mnist.input_data reads the files of its folder, and nothing else."""

import gzip
import itertools
import pathlib

import numpy as np
import pytest

from eagerflow_compat.v1 import input_data

SIZES = {"train": 12, "t10k": 5}


def idx(array):
    header = (0x800 + array.ndim).to_bytes(4, "big")
    return header + b"".join(s.to_bytes(4, "big") for s in array.shape) + array.tobytes()


def write(folder, packed=True, value=200):
    for kind, count in SIZES.items():
        arrays = {
            f"{kind}-images-idx3-ubyte": np.full((count, 28, 28), value, np.uint8),
            f"{kind}-labels-idx1-ubyte": np.arange(count, dtype=np.uint8) % 10,
        }
        for name, array in arrays.items():
            content = gzip.compress(idx(array)) if packed else idx(array)
            (folder / (name + ".gz" * packed)).write_bytes(content)


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(("one_hot", "reshape"), itertools.product([True, False], repeat=2))
def test_the_folders_files_are_read(packed, one_hot, reshape, tmp_path):
    write(tmp_path, packed)
    data = input_data.read_data_sets(
        str(tmp_path), one_hot=one_hot, reshape=reshape, validation_size=2, dtype="uint8"
    )
    assert [part.num_examples for part in data] == [10, 2, 5]
    images, labels = data.train.next_batch(3, shuffle=False)
    assert images.shape[1:] == ((784,) if reshape else (28, 28, 1)) and (images == 200).all()
    numbers = labels.argmax(1) if one_hot else labels
    assert numbers.tolist() == [2, 3, 4] and labels.ndim == 1 + one_hot
    assert data.test.labels.shape[0] == 5


def test_missing_files_are_downloaded_and_never_replaced(tmp_path):
    source, folder = tmp_path / "source", tmp_path / "folder"
    source.mkdir()
    write(source, value=100)
    data = input_data.read_data_sets(
        str(folder), validation_size=0, dtype="uint8", source_url=source.as_uri() + "/"
    )
    assert (data.train.images == 100).all() and len(list(folder.iterdir())) == 4
    (source / "t10k-labels-idx1-ubyte.gz").unlink()
    (folder / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(ConnectionError, match=r"folder/t10k-labels-idx1-ubyte\.gz"):
        input_data.read_data_sets(str(folder), validation_size=0, source_url=source.as_uri() + "/")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "train-images-idx3-ubyte.gz",
            gzip.compress(idx(np.zeros(3, np.uint8))),
            "magic number 2049",
        ),
        ("t10k-labels-idx1-ubyte.gz", b"no idx file", "magic number"),
        ("train-labels-idx1-ubyte.gz", b"", "magic number"),
        ("train-labels-idx1-ubyte.gz", idx(np.zeros(9, np.uint8))[:-2], "truncated or damaged"),
        ("train-labels-idx1-ubyte.gz", idx(np.zeros(9, np.uint8))[:6], "truncated or damaged"),
        ("train-labels-idx1-ubyte.gz", gzip.compress(bytes(99))[:-9], "no complete gzip file"),
        ("train-labels-idx1-ubyte.gz", idx(np.zeros(9, np.uint8)), "a label for each image"),
    ],
    ids=range(7),
)
def test_damaged_files_are_refused(name, content, message, tmp_path):
    write(tmp_path)
    pathlib.Path(tmp_path, name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        input_data.read_data_sets(str(tmp_path), validation_size=0)


def test_fake_data(tmp_path):
    data = input_data.read_data_sets(str(tmp_path / "none"), fake_data=True, one_hot=True)
    images, labels = data.train.next_batch(2)
    assert np.shape(images) == (2, 784) and np.all(images) and labels[0].tolist() == [1] + [0] * 9
    assert data.test.num_examples == 10000 and not (tmp_path / "none").exists()
