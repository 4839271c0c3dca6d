"""The files of the CIFAR datasets."""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np

from eagerflow.io.array_files import ArraysOnly
from eagerflow.keras import config
from eagerflow.util.regular import open_regular


def load_batch(fpath: Any, label_key: str = "labels") -> tuple[np.ndarray, list[int]]:
    """Images `[n, 3, 32, 32]` and labels of a file."""
    with open_regular(fpath) as file:
        content = ArraysOnly(io.BytesIO(file.read()), encoding="bytes").load()
    images = content[b"data"]
    return images.reshape(len(images), 3, 32, 32), content[label_key.encode()]


def load_parts(folder: str, names: list[str], label_key: str) -> tuple[np.ndarray, np.ndarray]:
    """Images in the default order of axes and labels `[n, 1]` of several files."""
    batches = [load_batch(os.path.join(folder, name), label_key) for name in names]
    images = np.concatenate([batch for batch, _ in batches])
    labels = np.concatenate([batch_labels for _, batch_labels in batches])
    if config.image_data_format() == "channels_last":
        images = images.transpose(0, 2, 3, 1)
    return images, labels.reshape(-1, 1)
