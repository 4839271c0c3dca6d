"""Dataset.list_files: the names of files that match patterns."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.data.arguments import invalid
from eagerflow.data.creation import as_strings
from eagerflow.data.dataset import Dataset
from eagerflow.data.sources import TensorSliceDataset
from eagerflow.framework import dtypes
from eagerflow.io import gfile


def list_files(patterns: Any, shuffle: Any, seed: Any) -> Dataset:
    """The dataset for `Dataset.list_files`."""
    texts = as_strings(patterns)
    names = sorted({name for text in texts for name in gfile.glob(text)})
    if not names:
        raise invalid(f"No files matched pattern: {', '.join(texts)}")
    dataset: Dataset = TensorSliceDataset(_core.convert(names, dtypes.string, None))
    if shuffle is None or shuffle:
        dataset = dataset.shuffle(len(names), seed=seed)
    return dataset
