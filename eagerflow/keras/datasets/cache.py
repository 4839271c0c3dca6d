"""Shared by the datasets: the cache of files, shuffling, and word ids."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow.keras.utils.file_download import get_file

ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def cached(
    name: str, origin: str, file_hash: str, cache_dir: Any = None, untar: bool = False
) -> str:
    """The path of a dataset's file or folder in the cache."""
    if cache_dir:
        cache_dir = os.path.expanduser(os.fspath(cache_dir))
        os.makedirs(cache_dir, exist_ok=True)
    return get_file(name, origin=origin, file_hash=file_hash, cache_dir=cache_dir, untar=untar)


def word_index(name: str, origin: str, md5: str) -> dict[str, int]:
    """The word ids of a file."""
    path = get_file(name, origin=ORIGIN + origin, file_hash=md5)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def shuffled(rng: np.random.RandomState, *arrays: Any) -> list[Any]:
    """Shuffles arrays alike."""
    order = np.arange(len(arrays[0]))
    rng.shuffle(order)
    return [array[order] for array in arrays]


def with_markers(texts: Sequence[Any], start_char: int | None, index_from: int) -> list[list[int]]:
    """Word ids plus `index_from`, after the id of a text's start."""
    if start_char is not None:
        return [[start_char, *(word + index_from for word in text)] for text in texts]
    if index_from:
        return [[word + index_from for word in text] for text in texts]
    return list(texts)


def shorter_than(maxlen: int, texts: Any, labels: Any) -> tuple[list, list]:
    """The texts with fewer than `maxlen` words, and their labels."""
    kept = [(text, label) for text, label in zip(texts, labels, strict=True) if len(text) < maxlen]
    return [text for text, _ in kept], [label for _, label in kept]


def frequent(
    texts: list, num_words: int | None, skip_top: int, oov_char: int | None
) -> list[list[int]]:
    """Replaces words that are too rare or too frequent by `oov_char`."""
    limit = num_words or max(max(text) for text in texts)
    if oov_char is None:
        return [[word for word in text if skip_top <= word < limit] for text in texts]
    return [[word if skip_top <= word < limit else oov_char for word in text] for text in texts]


def ragged(texts: list) -> np.ndarray:
    """An object array of lists."""
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def check_unknown(kwargs: dict[str, object]) -> None:
    """Raises a TypeError for unknown arguments."""
    if kwargs:
        raise TypeError(f"Unrecognized keyword arguments: {kwargs}.")
