"""Files in folders: their paths, their classes by folder, and validation splits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow.errors import NotFoundError
from eagerflow.keras.utils import io_utils


def _valid_files(folder: str, follow_links: bool, formats: tuple[str, ...]) -> Iterator[str]:
    walk = os.walk(folder, followlinks=follow_links)
    for root, _, names in sorted(walk, key=lambda entry: entry[0]):
        for name in sorted(names):
            if name.lower().endswith(formats):
                yield os.path.join(root, name)


def index_directory(
    directory: Any,
    labels: Any,
    formats: tuple[str, ...],
    class_names: Any = None,
    shuffle: bool = True,
    seed: int | None = None,
    follow_links: bool = False,
) -> tuple[list[str], Any, Any]:
    """The files of a folder and their labels.

    Args:
        directory: the folder.
        labels: "inferred" from the folders inside, a list with one label a file in the order of
            their paths, or None.
        formats: the files' endings.
        class_names: the folders' names in the order of their indices.
        shuffle: whether the files are put into a random order.
        seed: of that order.
        follow_links: whether links to folders are followed.

    Returns:
        Paths, labels (an int32 array if they are inferred) and class names.

    Raises:
        tf.errors.NotFoundError: if labels are inferred and there is no such folder.
        ValueError: if names or counts do not fit.
    """
    directory = os.fspath(directory)
    if labels == "inferred":
        if not os.path.isdir(directory):
            raise NotFoundError._of(f"Could not find directory {directory}")
        folders = [
            name
            for name in sorted(os.listdir(directory))
            if os.path.isdir(os.path.join(directory, name)) and not name.startswith(".")
        ]
        if not class_names:
            class_names = folders
        elif set(class_names) != set(folders):
            raise ValueError(
                "The `class_names` passed did not match the names of the subdirectories of the "
                f"target directory. Expected: {folders}, but received: {class_names}"
            )
    else:
        folders = [""]
        class_names = folders
    indices = {name: index for index, name in enumerate(class_names)}
    paths: list[str] = []
    labels_of_files: list[int] = []
    for name in folders:
        inside = list(_valid_files(os.path.join(directory, name), follow_links, formats))
        paths.extend(inside)
        labels_of_files.extend([indices[name]] * len(inside))
    if labels is None or isinstance(labels, str):
        inferred = np.array(labels_of_files, dtype="int32")
    else:
        if len(labels) != len(paths):
            raise ValueError(
                "Expected the lengths of `labels` to match the number of files in the target "
                f"directory. len(labels) is {len(labels)} while we found {len(paths)} files in "
                f"directory {directory}."
            )
        class_names = sorted(set(labels))
        inferred = list(labels)  # type: ignore[assignment]
    io_utils.print_msg(f"Found {len(paths)} files belonging to {len(class_names)} classes.")
    if shuffle:
        if seed is None:
            seed = np.random.randint(1000000)
        np.random.RandomState(seed).shuffle(paths)
        np.random.RandomState(seed).shuffle(inferred)
    return paths, inferred, class_names


def part_of(samples: Any, labels: Any, validation_split: float | None, subset: object) -> tuple:
    """The samples and labels for training, or those for validation: the last ones."""
    if not validation_split:
        return samples, labels
    count = int(validation_split * len(samples))
    if subset == "training":
        io_utils.print_msg(f"Using {len(samples) - count} files for training.")
        return samples[:-count], labels[:-count]
    if subset == "validation":
        io_utils.print_msg(f"Using {count} files for validation.")
        return samples[-count:], labels[-count:]
    raise ValueError(f'`subset` must be either "training" or "validation", received: {subset}')


def check_split(validation_split: Any, subset: object, shuffle: bool, seed: object) -> None:
    """Raises a ValueError for arguments that contradict each other."""
    if validation_split and not 0 < validation_split < 1:
        raise ValueError(
            f"`validation_split` must be between 0 and 1, received: {validation_split}"
        )
    if (validation_split or subset) and not (validation_split and subset):
        raise ValueError("If `subset` is set, `validation_split` must be set, and inversely.")
    if subset not in ("training", "validation", "both", None):
        raise ValueError(
            f'`subset` must be either "training", "validation" or "both", received: {subset}'
        )
    if validation_split and shuffle and seed is None:
        raise ValueError(
            "If using `validation_split` and shuffling the data, you must provide a `seed` "
            "argument, to make sure that there is no overlap between the training and validation "
            "subset."
        )


def check_labels(labels: Any, label_mode: Any, class_names: object, kind: str) -> tuple[Any, Any]:
    """Labels and their mode, both None if one of them is.

    Raises:
        ValueError: for arguments that contradict each other.
    """
    if labels not in ("inferred", None):
        if not isinstance(labels, list | tuple):
            raise ValueError(
                "`labels` argument should be a list/tuple of integer labels, of the same size as "
                f"the number of {kind} files in the target directory. If you wish to infer the "
                "labels from the subdirectory names in the target directory, pass "
                f'`labels="inferred"`. If you wish to get a dataset without labels, pass '
                f"`labels=None`. Received: labels={labels}"
            )
        if class_names:
            raise ValueError(
                'You can only pass `class_names` if `labels="inferred"`. Received: '
                f"labels={labels}, and class_names={class_names}"
            )
    if label_mode not in ("int", "categorical", "binary", None):
        raise ValueError(
            '`label_mode` argument must be one of "int", "categorical", "binary", or None. '
            f"Received: label_mode={label_mode}"
        )
    if labels is None or label_mode is None:
        return None, None
    return labels, label_mode
