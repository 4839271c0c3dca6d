"""Datasets of windows over a series."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from eagerflow import _core


def _check(name: str, value: int, length: int) -> None:
    if value <= 0:
        raise ValueError(f"`{name}` must be higher than 0. Received: {name}={value}")
    if value >= length:
        raise ValueError(
            f"`{name}` must be lower than the length of the data. Received: {name}={value}, for "
            f"data of length {length}"
        )


def timeseries_dataset_from_array(
    data: Any,
    targets: Any,
    sequence_length: int,
    sequence_stride: int = 1,
    sampling_rate: int = 1,
    batch_size: int | None = 128,
    shuffle: bool = False,
    seed: int | None = None,
    start_index: int | None = None,
    end_index: int | None = None,
) -> Any:
    """A dataset of windows over a series, each with the target at its start.

    Args:
        data: `[time, ...]`.
        targets: `[time, ...]`, or None for windows alone.
        sequence_length: how many points a window has.
        sequence_stride: the distance between the starts of windows.
        sampling_rate: the distance between the points of a window.
        batch_size: None for single windows.
        shuffle: whether the order is random.
        seed: of the order.
        start_index: the first point that is used.
        end_index: the point after the last that is used.

    Raises:
        ValueError: for arguments that do not fit the data.

    >>> windows = tf.keras.utils.timeseries_dataset_from_array(
    ...     np.arange(5), np.arange(5) * 10, sequence_length=3
    ... )
    >>> for x, y in windows:
    ...     print(x.numpy().tolist(), y.numpy().tolist())
    [[0, 1, 2], [1, 2, 3], [2, 3, 4]] [0, 10, 20]
    """
    length = len(data)
    if start_index:
        if start_index < 0:
            raise ValueError(
                f"`start_index` must be 0 or greater. Received: start_index={start_index}"
            )
        _check("start_index", start_index, length)
    if end_index:
        if start_index and end_index <= start_index:
            raise ValueError(
                "`end_index` must be higher than `start_index`. Received: "
                f"start_index={start_index}, and end_index={end_index} "
            )
        _check("end_index", end_index, length)
    _check("sampling_rate", sampling_rate, length)
    _check("sequence_stride", sequence_stride, length)
    first = start_index or 0
    last = length if end_index is None else end_index
    count = last - first - (sequence_length - 1) * sampling_rate
    if targets is not None:
        count = min(count, len(targets))
    starts = np.arange(0, count, sequence_stride)
    if shuffle:
        if seed is None:
            seed = np.random.randint(1000000)
        np.random.RandomState(seed).shuffle(starts)
    tf_data = importlib.import_module("eagerflow.data")
    series = _core.as_tensor(data)[first:last]
    offsets = _core.as_tensor(np.arange(sequence_length) * sampling_rate)
    start_dataset = tf_data.Dataset.from_tensor_slices(starts)

    def window(start: _core.Tensor) -> _core.Tensor:
        return _core.ops.gather(series, start + offsets, axis=0)

    dataset = start_dataset.map(window)
    if targets is not None:
        goals = _core.as_tensor(targets)[first:last]
        dataset = tf_data.Dataset.zip(
            (dataset, start_dataset.map(lambda start: _core.ops.gather(goals, start, axis=0)))
        )
    dataset = dataset.prefetch(tf_data.AUTOTUNE)
    if shuffle:
        buffer = 1024 if batch_size is None else batch_size * 8
        dataset = dataset.shuffle(buffer_size=buffer, seed=seed)
    return dataset if batch_size is None else dataset.batch(batch_size)
