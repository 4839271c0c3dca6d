"""tensorflow.examples.tutorials.mnist.input_data: MNIST in batches."""

from __future__ import annotations

import gzip
import io
import math
import os
import zlib
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from eagerflow.framework import dtypes
from eagerflow.typing import DTypeLike
from eagerflow.util import lazy
from eagerflow.util.expansion import expanded_at_most
from eagerflow.util.regular import open_regular

# Imported when it is first used: few programs need it.
file_download = lazy.Module("eagerflow.keras.utils.file_download")

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

# The magic numbers of files of unsigned bytes, by the number of their dimensions.
_IMAGES, _LABELS = 2051, 2049


class DataSet:
    """Images and labels, iterated over in batches, epoch after epoch.

    Args:
        images: `[count, 28, 28]`, of integers up to 255.
        labels: `[count]` class ids, or `[count, 10]`.
        fake_data: whether to have 10,000 examples of ones instead, all of class 0.
        one_hot: whether labels of fake data are one-hot rows.
        dtype: float32 for pixels between 0 and 1, or uint8.
        reshape: whether pixels become rows of 784.
        seed: makes the order reproducible.

    Raises:
        TypeError: for another dtype.
        ValueError: if there are not as many labels as images.
    """

    def __init__(
        self,
        images: np.ndarray,
        labels: np.ndarray,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: DTypeLike = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        if dtypes.as_dtype(dtype) not in (dtypes.uint8, dtypes.float32):
            raise TypeError(
                f"Invalid image dtype {dtype!r}, expected uint8 or float32: see the `dtype` argument."
            )
        self._fake = fake_data
        if fake_data:
            images, labels = np.full((10000, 784), 1, np.uint8), np.zeros(10000, np.int64)
            labels = dense_to_one_hot(labels, 10) if one_hot else labels
            dtype = dtypes.uint8
        elif len(images) != len(labels):
            raise ValueError(
                f"There must be a label for each image: got images of shape {images.shape} and labels of "
                f"shape {labels.shape}."
            )
        else:
            rows = len(images), int(np.prod(images.shape[1:]))
            images = images.reshape(rows) if reshape else _with_depth(images)
        if dtypes.as_dtype(dtype) == dtypes.float32:
            images = images.astype(np.float32) / np.float32(255)
        self._images, self._labels = images, labels
        self._random = np.random.RandomState(seed)
        self._epochs = 0
        self._order = np.arange(len(images))
        self._position = 0

    @property
    def images(self) -> np.ndarray:
        """All images."""
        return self._images

    @property
    def labels(self) -> np.ndarray:
        """All labels."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """The number of examples."""
        return len(self._images)

    @property
    def epochs_completed(self) -> int:
        """The number of completed epochs."""
        return self._epochs

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """The next images and labels, after the last of an epoch those of the next one."""
        if fake_data and not self._fake:
            fake = DataSet(self._images, self._labels, True, np.ndim(self._labels) == 2)
            return fake.next_batch(batch_size, shuffle=False)
        if self._position == 0 and self._epochs == 0 and shuffle:
            self._random.shuffle(self._order)
        chosen = self._order[self._position : self._position + batch_size]
        self._position += batch_size
        while len(chosen) < batch_size:
            self._epochs += 1
            if shuffle:
                self._random.shuffle(self._order)
            self._position = batch_size - len(chosen)
            chosen = np.concatenate([chosen, self._order[: self._position]])
        return self._images[chosen], self._labels[chosen]


class Datasets(NamedTuple):
    """The training, validation and test sets."""

    train: DataSet
    validation: DataSet
    test: DataSet


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """One-hot rows, one for each label."""
    return np.eye(num_classes)[labels_dense]


def _with_depth(images: np.ndarray) -> np.ndarray:
    return images if images.ndim == 4 else images[..., np.newaxis]


def extract_images(f: BinaryIO) -> np.ndarray:
    """The images of a file in the IDX format, compressed by gzip or not: uint8, `[count, rows, columns, 1]`.

    Raises:
        ValueError: if the file holds no images.
    """
    return _with_depth(_read_idx(f, _IMAGES, "image"))


def extract_labels(f: BinaryIO, one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """The labels of a file in the IDX format, compressed by gzip or not: uint8 `[count]`, or one-hot rows.

    Raises:
        ValueError: if the file holds no labels.
    """
    labels = _read_idx(f, _LABELS, "label")
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def _read_idx(f: BinaryIO, magic: int, kind: str) -> np.ndarray:
    name = getattr(f, "name", "a file")
    content = f.read()
    if content[:2] == b"\x1f\x8b":
        try:
            with gzip.open(io.BytesIO(content)) as unpacked:
                most = expanded_at_most(len(content))
                content = unpacked.read(most + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{name} is no complete gzip file: {error}.") from error
        if len(content) > most:
            raise ValueError(f"{name} would expand to more than {most} bytes.")
    found = int.from_bytes(content[:4], "big")
    if found != magic:
        raise ValueError(f"Invalid magic number {found} in MNIST {kind} file: {name}")
    rank = magic % 256
    sizes = [content[4 + 4 * k : 8 + 4 * k] for k in range(rank)]
    shape = tuple(int.from_bytes(size, "big") for size in sizes)
    values = np.frombuffer(content[4 + 4 * rank :], np.uint8)
    if len(sizes[-1]) < 4 or values.size != math.prod(shape):
        raise ValueError(
            f"{name} is truncated or damaged: its header declares shape {shape}, but "
            f"{values.size} bytes follow it."
        )
    return values.reshape(shape)


def _path_of(name: str, folder: str, source_url: str) -> str:
    """The path of one of the four files, which is downloaded unless the folder has it, unpacked or not."""
    for path in (os.path.join(folder, name), os.path.join(folder, name.removesuffix(".gz"))):
        if os.path.isfile(path):
            return path
    os.makedirs(folder, exist_ok=True)
    return str(
        file_download.get_file(
            name, origin=source_url + name, cache_dir=os.path.abspath(folder), cache_subdir=""
        )
    )


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: DTypeLike = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str | None = DEFAULT_SOURCE_URL,
) -> Datasets:
    """MNIST, or data in files of the same names, from a folder.

    The folder has `train-images-idx3-ubyte.gz`, `train-labels-idx1-ubyte.gz`, `t10k-images-idx3-ubyte.gz` and
    `t10k-labels-idx1-ubyte.gz`, or the same files unpacked. Those that are missing are downloaded into it.

    Args:
        train_dir: the folder.
        fake_data: whether to have images of ones instead, without any file.
        one_hot: whether labels are one-hot rows.
        dtype: float32 for pixels between 0 and 1, or uint8.
        reshape: whether pixels become rows of 784.
        validation_size: the number of training images that are held out.
        seed: makes the order of batches reproducible.
        source_url: where files that are missing are downloaded from.

    Raises:
        ValueError: if more are set aside than there are, or a file is not what its name says.
        ConnectionError: if a file is neither in the folder nor can it be downloaded.
    """
    options: dict[str, Any] = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        nothing = np.zeros((0, 28, 28), np.uint8), np.zeros(0, np.uint8)
        fake = [DataSet(*nothing, fake_data=True, one_hot=one_hot, **options) for _ in range(3)]
        return Datasets(*fake)
    source = source_url or DEFAULT_SOURCE_URL
    folder = os.fspath(train_dir)
    parts = []
    for kind in ("train", "t10k"):
        with open_regular(_path_of(f"{kind}-images-idx3-ubyte.gz", folder, source)) as file:
            parts.append(extract_images(file))
        with open_regular(_path_of(f"{kind}-labels-idx1-ubyte.gz", folder, source)) as file:
            parts.append(extract_labels(file, one_hot=one_hot))
    images, labels, test_images, test_labels = parts
    if not 0 <= validation_size <= len(images):
        raise ValueError(
            f"Validation size should be between 0 and {len(images)}. Received: {validation_size}."
        )
    return Datasets(
        DataSet(images[validation_size:], labels[validation_size:], **options),
        DataSet(images[:validation_size], labels[:validation_size], **options),
        DataSet(test_images, test_labels, **options),
    )
