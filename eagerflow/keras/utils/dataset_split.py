"""Small datasets in two parts."""

from __future__ import annotations

import importlib
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from eagerflow.util import lazy

if TYPE_CHECKING:
    from eagerflow.data.dataset import Dataset

# Imported when it is first used: few programs need it.
batching = lazy.Module("eagerflow.data.batching")


def split_dataset(
    dataset: object,
    left_size: object = None,
    right_size: object = None,
    shuffle: bool = False,
    seed: int | None = None,
) -> tuple[Dataset, Dataset]:
    """Two datasets with the first and the last samples of a small one.

    Args:
        dataset: a `tf.data.Dataset`, an array, or a list or tuple of arrays.
        left_size: how many samples the first has: a number or a part; by default the rest.
        right_size: how many samples the second has: a number or a part; by default the rest.
        shuffle: whether samples are put into a random order before.
        seed: of the order.

    Raises:
        TypeError: for other data or sizes.
        ValueError: for sizes that do not fit.

    >>> left, right = tf.keras.utils.split_dataset(np.arange(10), left_size=0.8)
    >>> len(left), len(right)
    (8, 2)
    """
    tf_data = importlib.import_module("eagerflow.data")
    is_dataset = isinstance(dataset, tf_data.Dataset)
    if not is_dataset and not isinstance(dataset, list | tuple | np.ndarray):
        raise TypeError(
            "The `dataset` argument must be either a `tf.data.Dataset` object or a list/tuple of "
            f"arrays. Received: dataset={dataset} of type {type(dataset)}"
        )
    if left_size is None and right_size is None:
        raise ValueError(
            "At least one of the `left_size` or `right_size` must be specified. Received: "
            "left_size=None and right_size=None"
        )
    batch_size = dataset._size if isinstance(dataset, batching.BatchDataset) else None
    samples = _samples(dataset, is_dataset, batch_size)
    if shuffle:
        random.seed(random.randint(0, 1000000) if seed is None else seed)
        random.shuffle(samples)
    left, right = _sizes(left_size, right_size, len(samples))
    parts = []
    for part in (samples[:left], samples[-right:]):
        restored = tf_data.Dataset.from_tensor_slices(_stacked(part, dataset))
        if batch_size is not None:
            restored = restored.batch(int(batch_size))
        parts.append(restored.prefetch(tf_data.AUTOTUNE))
    return parts[0], parts[1]


def _samples(dataset: Any, is_dataset: bool, batch_size: Any) -> list:
    if is_dataset:
        samples = list(
            (dataset.unbatch() if batch_size is not None else dataset).as_numpy_iterator()
        )
    elif isinstance(dataset, np.ndarray):
        samples = list(dataset)
    else:
        kind = "tuple" if isinstance(dataset, tuple) else "list"
        for index, array in enumerate(dataset):
            if not isinstance(array, np.ndarray):
                raise ValueError(
                    f"Expected a {kind} of `numpy.ndarray` objects, Received: {type(array)}"
                )
            if len(array) != len(dataset[0]):
                raise ValueError(
                    f"Received a {kind} of NumPy arrays with different lengths. Mismatch found at "
                    f"index {index}, Expected shape={dataset[0].shape} Received "
                    f"shape={array.shape}. Please provide a {kind} of NumPy arrays with the same "
                    "length."
                )
        samples = list(zip(*dataset, strict=True))
    if not samples:
        raise ValueError(
            "Received an empty Dataset. `dataset` must be a non-empty list/tuple of "
            "`numpy.ndarray` objects or `tf.data.Dataset` objects."
        )
    return samples


def _stacked(samples: list, dataset: object) -> Any:
    """Samples in the structure of the data they come from."""
    first = samples[0]
    if isinstance(first, dict):
        return {key: np.array([sample[key] for sample in samples]) for key in first}
    if isinstance(first, tuple):
        return tuple(np.array(column) for column in zip(*samples, strict=True))
    return np.array(samples)


def _sizes(left: Any, right: Any, total: int) -> tuple[int, int]:
    known = (int, float, type(None))
    if type(left) not in known and type(right) not in known:
        raise TypeError(
            "Invalid `left_size` and `right_size` Types. Expected: integer or float or None, "
            f"Received: type(left_size)={type(left)} and type(right_size)={type(right)}"
        )
    if left == 0 and right == 0:
        raise ValueError(
            "Both `left_size` and `right_size` are zero. At least one of the split sizes must be "
            "non-zero."
        )
    _check_types(left, right)
    for name, size in (("left_size", left), ("right_size", right)):
        if size is None:
            continue
        if size <= 0 or size >= (total if type(size) is int else 1):
            raise ValueError(
                f"`{name}` should be either a positive integer smaller than {total}, or a float "
                f"within the range `[0, 1]`. Received: {name}={size}"
            )
    if type(left) is float and type(right) is float and left + right > 1:
        raise ValueError(
            "The sum of `left_size` and `right_size` is greater than 1. It must be less than or "
            "equal to 1."
        )
    counts = [round(s * total) if type(s) is float else s for s in (left, right)]
    if counts[0] is None:
        counts[0] = total - counts[1]
    if counts[1] is None:
        counts[1] = total - counts[0]
    if sum(counts) > total:
        raise ValueError(
            f"The sum of `left_size` and `right_size` should be smaller than the {total}. "
            f"Received: left_size + right_size = {sum(counts)} and total_length = {total}"
        )
    for count, side in zip(counts, ("left", "right"), strict=True):
        if count == 0:
            raise ValueError(
                f"With `dataset` of length={total}, `left_size`={counts[0]} and "
                f"`right_size`={counts[1]}. Resulting {side} side dataset split will be empty. "
                "Adjust any of the aforementioned parameters"
            )
    return counts[0], counts[1]


def _check_types(left: object, right: object) -> None:
    for name, size in (("left_size", left), ("right_size", right)):
        if size is not None and type(size) not in (int, float):
            raise TypeError(
                f"Invalid `{name}` Type. Expected: int or float or None, Received: "
                f"type({name})={type(size)}."
            )
