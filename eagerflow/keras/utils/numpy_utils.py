"""Labels as one-hot or ordinal rows, and normalized arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def _classes(y: object, num_classes: int | None) -> tuple[np.ndarray, tuple[int, ...], int]:
    """Flat labels, their shape, and the number of classes."""
    labels = np.array(y, dtype="int")
    shape = labels.shape
    if len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    labels = labels.reshape(-1)
    return labels, shape, int(num_classes or np.max(labels) + 1)


def to_categorical(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> np.ndarray:
    """Class indices as rows that are 1 at the class and 0 elsewhere.

    Args:
        y: class indices from 0; a last axis of size one is left out.
        num_classes: the length of a row; by default one more than the largest class.
        dtype: that of the rows.

    Raises:
        IndexError: for a class that does not fit.

    >>> tf.keras.utils.to_categorical([0, 2, 1], num_classes=3)
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 1., 0.]], dtype=float32)
    """
    labels, shape, count = _classes(y, num_classes)
    rows = np.zeros((labels.size, count), dtype=dtype)
    rows[np.arange(labels.size), labels] = 1
    return rows.reshape(*shape, count)


def to_ordinal(y: Any, num_classes: int | None = None, dtype: Any = "float32") -> np.ndarray:
    """Class indices as rows that are 1 before the class and 0 from it on.

    Args:
        y: class indices from 0; a last axis of size one is left out.
        num_classes: one more than the length of a row.
        dtype: that of the rows.

    >>> tf.keras.utils.to_ordinal([0, 2, 1], num_classes=3)
    array([[0., 0.],
           [1., 1.],
           [1., 0.]], dtype=float32)
    """
    labels, shape, count = _classes(y, num_classes)
    rows = (np.arange(count - 1) < labels[:, None]).astype(dtype)
    return rows.reshape(*shape, count - 1)


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """An array divided by its norms along an axis.

    >>> tf.keras.utils.normalize(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / np.expand_dims(norms, axis)
