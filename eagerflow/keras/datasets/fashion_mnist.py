"""tf.keras.datasets.fashion_mnist: pictures of clothes."""

from __future__ import annotations

import gzip
import os

import numpy as np

from eagerflow.keras.datasets.cache import ORIGIN
from eagerflow.keras.utils.file_download import get_file
from eagerflow.typing import FilePath


def load_data(cache_dir: FilePath | None = None) -> tuple[tuple, tuple]:
    """60,000 pictures for training and 10,000 for testing; Xiao, Rasul and Vollgraf (2017).

    The classes are T-shirt, trouser, pullover, dress, coat, sandal, shirt, sneaker, bag and boot.

    Args:
        cache_dir: another cache than `~/.keras`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 images `[n, 28, 28]` and uint8 labels `[n]`.

    Raises:
        ConnectionError: if a file is neither cached nor can it be downloaded.
    """

    def part(prefix: str) -> tuple[np.ndarray, np.ndarray]:
        labels = np.frombuffer(read(f"{prefix}-labels-idx1-ubyte.gz"), np.uint8, offset=8)
        images = np.frombuffer(read(f"{prefix}-images-idx3-ubyte.gz"), np.uint8, offset=16)
        return images.reshape(len(labels), 28, 28), labels

    def read(name: str) -> bytes:
        folder = os.path.join("datasets", "fashion-mnist")
        path = get_file(name, origin=ORIGIN + name, cache_dir=cache_dir, cache_subdir=folder)
        with gzip.open(path, "rb") as file:
            return file.read()

    return part("train"), part("t10k")
