"""tensorflow.examples.tutorials.mnist.input_data: MNIST in batches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eagerflow.framework import dtypes
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
mnist = lazy.Module("eagerflow.keras.datasets.mnist")


class DataSet:
    """Images and labels, iterated over in batches, epoch after epoch.

    Args:
        images: `[count, 28, 28]`, of integers up to 255.
        labels: `[count]` class ids, or `[count, 10]`.
        fake_data: accepted.
        one_hot: accepted.
        dtype: float32 for pixels between 0 and 1, or uint8.
        reshape: whether pixels become rows of 784.
        seed: makes the order reproducible.
    """

    def __init__(
        self,
        images: np.ndarray,
        labels: np.ndarray,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        images = images.reshape(len(images), -1) if reshape else images[..., np.newaxis]
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
        """The next images and labels."""
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


def read_data_sets(
    train_dir: str,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = dtypes.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str | None = None,
) -> Datasets:
    """MNIST, from Keras's cache of datasets.

    Args:
        train_dir: accepted.
        fake_data: accepted.
        one_hot: whether labels are one-hot rows.
        dtype: float32 for pixels between 0 and 1, or uint8.
        reshape: whether pixels become rows of 784.
        validation_size: the number of training images that are held out.
        seed: makes the order of batches reproducible.
        source_url: accepted.

    Raises:
        ValueError: if more are set aside than there are.
    """
    (images, labels), (test_images, test_labels) = mnist.load_data()
    if not 0 <= validation_size <= len(images):
        raise ValueError(
            f"Validation size should be between 0 and {len(images)}. Received: {validation_size}."
        )
    if one_hot:
        labels, test_labels = dense_to_one_hot(labels, 10), dense_to_one_hot(test_labels, 10)
    options: dict[str, Any] = {"dtype": dtype, "reshape": reshape, "seed": seed}
    return Datasets(
        DataSet(images[validation_size:], labels[validation_size:], **options),
        DataSet(images[:validation_size], labels[:validation_size], **options),
        DataSet(test_images, test_labels, **options),
    )
