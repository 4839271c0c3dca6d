"""The plan of a pipeline: which steps become index arithmetic, and how to describe it.

Slices of arrays that are only chosen and reordered (take, skip, shard, repeat, shuffle) are a
stream of indices. A batch of them is one gather, or one slice where the indices follow each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.batching import BatchDataset
from eagerflow.data.combining import ZipDataset
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset, OptionsDataset
from eagerflow.data.indices import IndexStream, Limited, Repeated, Sharded, Shuffled, Successive
from eagerflow.data.positions import RepeatDataset, ShardDataset, SkipDataset, TakeDataset
from eagerflow.data.shuffling import ShuffleDataset
from eagerflow.data.sources import RangeDataset, TensorSliceDataset
from eagerflow.util.text import Listing

_ops = _core.ops
Tensor = _core.Tensor


class IndexPlan(NamedTuple):
    """Columns, the structure that they form, and a factory of streams of indices into them."""

    columns: list[Any]
    like: Any
    stream: Callable[[], IndexStream]


class NumberColumn:
    """The values of a range dataset, which need not be in memory."""

    def __init__(self, numbers: range, dtype: Any) -> None:
        self._numbers = numbers
        self._dtype = dtype

    def __getitem__(self, key: Any) -> Tensor:
        chosen = self._numbers[key]
        if type(chosen) is range:
            return _core.convert(
                np.arange(chosen.start, chosen.stop, chosen.step), self._dtype, None
            )
        return _core.convert(chosen, self._dtype, None)

    def gather(self, indices: np.ndarray) -> Tensor:
        """The values at these indices."""
        values = indices * self._numbers.step + self._numbers.start
        return _core.convert(values.astype(self._dtype.as_numpy_dtype), self._dtype, None)


def index_plan(dataset: Dataset) -> IndexPlan | None:
    """The plan for a dataset whose elements are slices of arrays, or None for others."""
    kind = type(dataset)
    if kind is TensorSliceDataset:
        return _slices_plan(dataset)
    if kind is RangeDataset:
        values, dtype = dataset._range, dataset._dtype  # type: ignore[attr-defined]
        column = NumberColumn(values, dtype)
        like = _core.convert(0, dtype, None)
        return IndexPlan([column], like, lambda: Successive(range(len(values))))
    if kind is ZipDataset:
        return _zip_plan(dataset)
    make = _STEPS.get(kind)
    if make is None:
        return None
    inner = index_plan(dataset._inputs[0])
    return None if inner is None else inner._replace(stream=make(dataset, inner.stream))


def _slices_plan(dataset: Any) -> IndexPlan | None:
    if not all(isinstance(column, Tensor) for column in dataset._columns):
        return None
    size = dataset._size
    return IndexPlan(dataset._columns, dataset._tensors, lambda: Successive(range(size)))


def _zip_plan(dataset: Any) -> IndexPlan | None:
    """Arrays of the same length that are zipped before anything else are columns of one plan."""
    if not all(type(item) in (TensorSliceDataset, RangeDataset) for item in dataset._inputs):
        return None
    plans = [index_plan(item) for item in dataset._inputs]
    columns: list[Any] = []
    for plan in plans:
        if plan is None:
            return None
        columns.extend(plan.columns)
    size = min(item._count() for item in dataset._inputs)
    like = structure.pack(dataset._datasets, [plan.like for plan in plans if plan is not None])
    return IndexPlan(columns, like, lambda: Successive(range(size)))


Streams = Callable[[], IndexStream]


def _take(dataset: TakeDataset, inner: Streams) -> Streams:
    limit = dataset._limit
    return inner if limit < 0 else lambda: Limited(inner(), 0, limit)


def _skip(dataset: SkipDataset, inner: Streams) -> Streams:
    skipped = dataset._skipped
    return lambda: Limited(inner(), max(0, skipped), 0 if skipped < 0 else None)


def _shard(dataset: ShardDataset, inner: Streams) -> Streams:
    return lambda: Sharded(inner(), dataset._shards, dataset._index)


def _repeat(dataset: RepeatDataset, inner: Streams) -> Streams:
    return lambda: Repeated(inner, dataset._times, dataset._begins_another)


def _shuffle(dataset: ShuffleDataset, inner: Streams) -> Streams:
    return lambda: Shuffled(inner, dataset._size, dataset._seeds)


_STEPS: dict[type, Callable[[Any, Streams], Streams]] = {
    OptionsDataset: lambda dataset, inner: inner,
    TakeDataset: _take,
    SkipDataset: _skip,
    ShardDataset: _shard,
    RepeatDataset: _repeat,
    ShuffleDataset: _shuffle,
}


def batch_cursor(dataset: Any, context: Context) -> Cursor | None:
    """The cursor that gathers the batches of a planned pipeline, or None if it cannot be planned."""
    plan = index_plan(dataset._inputs[0])
    if plan is None:
        return None
    return GatherCursor(plan, dataset._size, dataset._drop)


def element_cursor(dataset: Dataset, context: Context) -> Cursor | None:
    """The cursor that reads single elements of a planned pipeline by index, or None."""
    plan = index_plan(dataset)
    return None if plan is None else LookupCursor(plan)


class GatherCursor(Cursor):
    """Batches as one gather for each column."""

    __slots__ = ("_columns", "_drop", "_pack", "_size", "_stream")

    def __init__(self, plan: IndexPlan, size: int, drop: bool) -> None:
        self._columns = plan.columns
        self._pack = structure.packer_like(plan.like)
        self._stream = plan.stream()
        self._size = size
        self._drop = drop

    def __next__(self) -> Tensor:
        indices = self._stream.take(self._size)
        if not len(indices) or (self._drop and len(indices) < self._size):
            raise StopIteration
        if type(indices) is range:
            if indices.step == 1:
                span = slice(indices.start, indices.stop)
                batches = [column[span] for column in self._columns]
                return self._pack(batches)
            indices = np.arange(indices.start, indices.stop, indices.step)
        batches = [
            _ops.gather(column, indices) if isinstance(column, Tensor) else column.gather(indices)
            for column in self._columns
        ]
        return self._pack(batches)

    def skip(self, count: int) -> None:
        self._stream.take(count * self._size)

    def state(self) -> Any:
        return self._stream.state()

    def restore(self, state: object) -> None:
        self._stream.restore(state)


class LookupCursor(_core.RowReader, Cursor):
    """Single elements by index."""

    __slots__ = ("_stream",)

    def __init__(self, plan: IndexPlan) -> None:
        super().__init__(plan.columns, structure.packer_like(plan.like), [])
        self._stream = plan.stream()

    def _more(self) -> Any:
        return np.asarray(self._stream.take(64)).tolist()

    def state(self) -> object:
        return {"stream": self._stream.state(), "ready": list(self._indices[self._at :])}

    def restore(self, state: Any) -> None:
        self._stream.restore(state["stream"])
        self._indices, self._at = list(state["ready"]), 0


def batch_note(dataset: BatchDataset) -> str:
    """How batches will be made."""
    plan = index_plan(dataset._inputs[0])
    if plan is None:
        return "stacks elements"
    moved = any(type(item) in (ShuffleDataset, ShardDataset) for item in ancestors(dataset))
    return "one gather a batch, by index" if moved else "slices of the arrays"


def index_note(dataset: Dataset) -> str:
    """Whether a step works on indices."""
    return "on indices" if index_plan(dataset) is not None else "keeps elements in a buffer"


def ancestors(dataset: Dataset) -> list[Any]:
    """All datasets that a dataset is made from."""
    visited: list[Any] = []
    for source in dataset._inputs:
        visited.append(source)
        visited.extend(ancestors(source))
    return visited


def explain(dataset: Dataset) -> str:
    """The lines of `Dataset.explain`."""
    rows: list[tuple[str, str]] = []
    _explain_into(rows, dataset, 0)
    width = max(len(left) for left, _ in rows) + 2
    return Listing("\n".join(f"{left:<{width}}{right}".rstrip() for left, right in rows))


def _explain_into(rows: list[tuple[str, str]], dataset: Dataset, depth: int) -> None:
    if type(dataset) is OptionsDataset:
        _explain_into(rows, dataset._inputs[0], depth)
        return
    name = type(dataset).__name__.removesuffix("Dataset")
    details = dataset._details()
    rows.append((f"{'  ' * depth}{name}{f'({details})' if details else ''}", dataset._how()))
    for source in dataset._inputs:
        _explain_into(rows, source, depth + 1)
