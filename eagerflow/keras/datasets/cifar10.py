"""tf.keras.datasets.cifar10: small photographs of 10 classes."""

from __future__ import annotations

from eagerflow.keras.datasets.cache import cached
from eagerflow.keras.datasets.cifar import load_parts
from eagerflow.typing import FilePath

_ORIGIN = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
_HASH = "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce"


def load_data(cache_dir: FilePath | None = None) -> tuple[tuple, tuple]:
    """50,000 photographs for training and 10,000 for testing; Krizhevsky (2009).

    The classes are airplane, automobile, bird, cat, deer, dog, frog, horse, ship and truck.

    Args:
        cache_dir: another cache than `~/.keras`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 images `[n, 32, 32, 3]` and uint8 labels
        `[n, 1]`.

    Raises:
        ConnectionError: if the file is neither cached nor can it be downloaded.
    """
    folder = cached("cifar-10-batches-py", _ORIGIN, _HASH, cache_dir, untar=True)
    x_train, y_train = load_parts(folder, [f"data_batch_{n}" for n in range(1, 6)], "labels")
    x_test, y_test = load_parts(folder, ["test_batch"], "labels")
    return (x_train, y_train.astype("uint8")), (x_test, y_test.astype("uint8"))
