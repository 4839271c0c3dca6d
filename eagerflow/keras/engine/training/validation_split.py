"""Arrays cut in two, for training and validation."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import nest
from eagerflow.keras.engine.training import data_adapter


def train_validation_split(arrays: object, validation_split: float) -> tuple[Any, Any]:
    """Arrays cut in two: the first part for training, the last for validation.

    Raises:
        ValueError: for data that cannot be cut, and if a part would be empty.
    """
    flat = [value for value in nest.flatten(arrays) if value is not None]
    unsplittable = [type(value) for value in flat if not data_adapter.is_array(value)]
    if unsplittable:
        raise ValueError(
            "`validation_split` is only supported for Tensors or NumPy arrays, found following "
            f"types in the input: {unsplittable}"
        )
    if all(value is None for value in flat):
        return arrays, arrays
    rows = next(int(value.shape[0]) for value in flat)
    split = int(math.floor(rows * (1.0 - validation_split)))
    if not 0 < validation_split < 1:
        raise ValueError(
            f"`validation_split` is the part of the data to validate on, between 0 and 1. Received: "
            f"{validation_split}"
        )
    if split == 0 or split == rows:
        raise ValueError(
            f"Training data contains {rows} samples, which is not sufficient to split it into a "
            f"validation and training set as specified by `validation_split={validation_split}`. "
            "Either provide more data, or a different value for the `validation_split` argument."
        )

    def part(value: Any, start: int, stop: int) -> Any:
        if value is None:
            return None
        return value.iloc[start:stop] if data_adapter.is_frame(value) else value[start:stop]

    return (
        nest.map_structure(lambda value: part(value, 0, split), arrays),
        nest.map_structure(lambda value: part(value, split, rows), arrays),
    )
