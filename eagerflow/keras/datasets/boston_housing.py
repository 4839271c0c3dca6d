"""tf.keras.datasets.boston_housing: prices of houses."""

from __future__ import annotations

import numpy as np

from eagerflow.io.array_files import read_archive
from eagerflow.keras.datasets.cache import ORIGIN, cached, shuffled
from eagerflow.typing import FilePath

_HASH = "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5"


def load_data(
    path: str = "boston_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
    cache_dir: FilePath | None = None,
) -> tuple[tuple, tuple]:
    """506 suburbs of Boston with 13 features each; Harrison and Rubinfeld (1978).

    One of the features encodes the proportion of black residents as a driver of prices: use the
    data for old examples only.

    Args:
        path: the file's name in `~/.keras/datasets`.
        test_split: the part that is for testing, in [0, 1).
        seed: of the order.
        cache_dir: another cache than `~/.keras`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: float64 `[n, 13]`, and prices in 1,000 dollars.

    Raises:
        ConnectionError: if the file is neither cached nor can it be downloaded.
    """
    assert 0 <= test_split < 1
    path = cached(path, ORIGIN + "boston_housing.npz", _HASH, cache_dir)
    data = read_archive(path)
    x, y = shuffled(np.random.RandomState(seed), data["x"], data["y"])
    count = int(len(x) * (1 - test_split))
    return (x[:count], y[:count]), (x[count:], y[count:])
