"""tf.keras.datasets.mnist: handwritten digits."""

from __future__ import annotations

from eagerflow.io.array_files import read_archive
from eagerflow.keras.datasets.cache import ORIGIN, cached
from eagerflow.typing import FilePath

_HASH = "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"


def load_data(path: str = "mnist.npz", cache_dir: FilePath | None = None) -> tuple[tuple, tuple]:
    """60,000 digits for training and 10,000 for testing; LeCun et al. (1998).

    Args:
        path: the file's name in `~/.keras/datasets`.
        cache_dir: another cache than `~/.keras`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 images `[n, 28, 28]` and uint8 labels `[n]`.

    Raises:
        ConnectionError: if the file is neither cached nor can it be downloaded.
    """
    path = cached(path, ORIGIN + "mnist.npz", _HASH, cache_dir)
    data = read_archive(path)
    return (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])
