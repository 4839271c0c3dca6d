"""tf.keras.datasets.cifar100: small photographs of 100 classes."""

from __future__ import annotations

from eagerflow.keras.datasets.cache import cached
from eagerflow.keras.datasets.cifar import load_parts
from eagerflow.typing import FilePath

_ORIGIN = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
_HASH = "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7"


def load_data(label_mode: str = "fine", cache_dir: FilePath | None = None) -> tuple[tuple, tuple]:
    """50,000 photographs for training and 10,000 for testing; Krizhevsky (2009).

    Args:
        label_mode: "fine" for the 100 classes, "coarse" for 20 of 5 classes each.
        cache_dir: another cache than `~/.keras`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 images `[n, 32, 32, 3]` and labels `[n, 1]`.

    Raises:
        ValueError: for another mode.
        ConnectionError: if the file is neither cached nor can it be downloaded.
    """
    if label_mode not in ("fine", "coarse"):
        raise ValueError(
            f'`label_mode` must be one of `"fine"`, `"coarse"`. Received: label_mode={label_mode}.'
        )
    folder = cached("cifar-100-python", _ORIGIN, _HASH, cache_dir, untar=True)
    key = f"{label_mode}_labels"
    return load_parts(folder, ["train"], key), load_parts(folder, ["test"], key)
