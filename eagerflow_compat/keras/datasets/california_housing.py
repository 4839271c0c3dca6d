"""tf.keras.datasets.california_housing: prices of houses."""

from __future__ import annotations

import numpy as np

from eagerflow.io.array_files import read_archive
from eagerflow.keras.datasets.cache import ORIGIN, cached, shuffled

_HASH = "1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f"


def load_data(
    version: str = "large",
    path: str = "california_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
    cache_dir: str | None = None,
) -> tuple[tuple, tuple]:
    """Districts of California with 8 features each, from the census of 1990; Pace and Barry (1997).

    Args:
        version: "large" for all 20,640 districts, "small" for 600.
        path: the file's name in `~/.keras/datasets`.
        test_split: the part that is for testing, in [0, 1).
        seed: of the order.
        cache_dir: another cache than `~/.keras`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: float32 `[n, 8]`, and median prices in dollars.

    Raises:
        ValueError: for another version or part.
        ConnectionError: if the file is neither cached nor can it be downloaded.
    """
    if not 0 <= test_split < 1:
        raise ValueError(
            f"Invalid `test_split` argument: {test_split}. It must be between 0 and 1 (exclusive "
            "of 1)."
        )
    if version not in ("small", "large"):
        raise ValueError(
            f"Argument `version` must be one of 'small', 'large'. Received: version={version}"
        )
    path = cached(path, ORIGIN + "california_housing.npz", _HASH, cache_dir)
    data = read_archive(path)
    x, y = data["x"], data["y"]
    if version == "small":
        x, y = x[:600], y[:600]
    x, y = shuffled(np.random.RandomState(seed), x, y)
    count = int(len(x) * (1 - test_split))
    return (x[:count], y[:count]), (x[count:], y[count:])
