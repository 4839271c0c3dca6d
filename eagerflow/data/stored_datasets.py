"""Datasets that are elements of other datasets, serialized as part of a pipeline's position.

A dataset is stored as its steps and their arguments, like TensorFlow's graphs of datasets; steps
with a state of their own, or with functions of the program, whose code no file may hold, are not
stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from eagerflow import errors
from eagerflow.data import batching, combining, elementwise, positions, sources, windows
from eagerflow.data.dataset import Dataset
from eagerflow.data.prefetching import PrefetchDataset


class _Kind(NamedTuple):
    """How a kind of dataset is serialized and rebuilt."""

    arguments: Callable[[Any], list[Any]]
    make: Callable[..., Dataset]


def _of_range(start: int, stop: int, step: int, dtype: str) -> Dataset:
    return sources.RangeDataset(start, stop, step, output_type=dtype)


def _plain(*names: str) -> Callable[..., list[Any]]:
    return lambda dataset: [getattr(dataset, name) for name in names]


def _with_input(*names: str) -> Callable[..., list[Any]]:
    return _plain("_input", *names)


_KINDS: dict[str, tuple[type, _Kind]] = {
    "batch": (batching.BatchDataset, _Kind(_with_input("_size", "_drop"), batching.BatchDataset)),
    "concatenate": (
        combining.ConcatenateDataset,
        _Kind(lambda dataset: list(dataset._inputs), combining.ConcatenateDataset),
    ),
    "enumerate": (
        elementwise.EnumerateDataset,
        _Kind(_with_input("_start"), elementwise.EnumerateDataset),
    ),
    "prefetch": (PrefetchDataset, _Kind(_with_input("_room"), PrefetchDataset)),
    "range": (
        sources.RangeDataset,
        _Kind(
            lambda dataset: [
                dataset._range.start,
                dataset._range.stop,
                dataset._range.step,
                dataset._dtype.name,
            ],
            _of_range,
        ),
    ),
    "repeat": (positions.RepeatDataset, _Kind(_with_input("_times"), positions.RepeatDataset)),
    "shard": (
        positions.ShardDataset,
        _Kind(_with_input("_shards", "_index"), positions.ShardDataset),
    ),
    "skip": (positions.SkipDataset, _Kind(_with_input("_skipped"), positions.SkipDataset)),
    "slices": (sources.TensorSliceDataset, _Kind(_plain("_tensors"), sources.TensorSliceDataset)),
    "take": (positions.TakeDataset, _Kind(_with_input("_limit"), positions.TakeDataset)),
    "tensors": (sources.TensorDataset, _Kind(_plain("_element"), sources.TensorDataset)),
    "unbatch": (batching.UnbatchDataset, _Kind(_with_input(), batching.UnbatchDataset)),
    "window": (
        windows.WindowDataset,
        _Kind(_with_input("_size", "_shift", "_stride", "_drop"), windows.WindowDataset),
    ),
    "zip": (combining.ZipDataset, _Kind(_plain("_datasets"), combining.ZipDataset)),
}
_NAMES = {cls: name for name, (cls, _) in _KINDS.items()}


def to_parts(dataset: Dataset) -> list[Any]:
    """The name of a dataset's kind, and its arguments.

    Raises:
        tf.errors.FailedPreconditionError: if it has a function of the program, or a state.
    """
    name = _NAMES.get(type(dataset))
    if name is None:
        raise errors.FailedPreconditionError._of(
            f"The position cannot be saved: a buffer holds a dataset with a step that cannot be "
            f"stored, {type(dataset).__name__}. Steps with functions or random numbers can follow "
            "the buffer, for instance in a map or flat_map after shuffle."
        )
    return [name, *_KINDS[name][1].arguments(dataset)]


def of_parts(parts: Sequence[object]) -> Dataset:
    """The dataset that `to_parts` took apart.

    Raises:
        ValueError: if there is no such kind of dataset.
    """
    name, *arguments = parts
    if name not in _KINDS:
        raise ValueError(f"unknown kind of dataset {name!r}")
    return _KINDS[name][1].make(*arguments)
