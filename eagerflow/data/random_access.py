"""Elements by position: for pipelines whose steps know which input element one is computed from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, errors
from eagerflow.data import structure
from eagerflow.data.arguments import INFINITE
from eagerflow.data.batching import BatchDataset
from eagerflow.data.caching import CacheDataset
from eagerflow.data.combining import ConcatenateDataset, ZipDataset
from eagerflow.data.context import Context, context_of
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset, OptionsDataset, UnaryDataset
from eagerflow.data.elementwise import (
    AssertCardinalityDataset,
    EnumerateDataset,
    MapDataset,
    ParallelMapDataset,
)
from eagerflow.data.positions import RepeatDataset, ShardDataset, SkipDataset, TakeDataset
from eagerflow.data.prefetching import PrefetchDataset
from eagerflow.data.shuffling import ShuffleDataset
from eagerflow.data.sources import (
    ListDataset,
    RangeDataset,
    TensorDataset,
    TensorSliceDataset,
    list_cursor,
)
from eagerflow.framework import dtypes


def element_at(dataset: Dataset, index: int) -> _core.Tensor:
    """The element at a position.

    Raises:
        tf.errors.OutOfRangeError: if there is none.
        tf.errors.UnimplementedError: if a step of the pipeline would have to compute those before it.
        tf.errors.FailedPreconditionError: if the number of elements is infinite or not known.
    """
    with _core.stop_recording():
        return _Reader(context_of(dataset.options())).at(dataset, index)


class _Reader:
    """Reads single elements of datasets with the same settings."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def at(self, dataset: Dataset, index: int) -> _core.Tensor:
        """The element of a dataset at a position."""
        read = _READERS.get(type(dataset))
        name = type(dataset).__name__
        if read is None:
            message = f"Random access is not implemented for dataset {name}"
            raise errors.UnimplementedError._of(message)
        count = dataset._count()
        if count < 0:
            size = "infinite" if count == INFINITE else "unknown"
            message = f"{name} has {size} cardinality, which does not support random access."
            raise errors.FailedPreconditionError._of(message)
        if not 0 <= index < count:
            message = f"Index out of range [0, {count}):{index}"
            raise errors.OutOfRangeError._of(message)
        return read(self, dataset, index)

    def made(self, dataset: Any, cursor: Callable[[Cursor], Cursor], indices: Any) -> _core.Tensor:
        """The elements that a step's cursor computes from those of its input at certain positions."""
        elements = [self.at(dataset._input, index) for index in indices]
        return next(cursor(list_cursor(elements)))

    def same(self, dataset: UnaryDataset, index: int) -> _core.Tensor:
        return self.at(dataset._input, index)

    def source(self, dataset: Dataset, index: int) -> Any:
        cursor = dataset._cursor(self.context)
        cursor.skip(index)
        return next(cursor)

    def one_of_list(self, dataset: Any, index: int) -> Any:
        return dataset._elements[index]

    def mapped(self, dataset: MapDataset, index: int) -> _core.Tensor:
        return self.made(dataset, lambda source: dataset._over(source, self.context), [index])

    def enumerated(self, dataset: Any, index: int) -> Any:
        number = _core.convert(dataset._start + index, dtypes.int64, None)
        return number, self.at(dataset._input, index)

    def skipped(self, dataset: SkipDataset, index: int) -> _core.Tensor:
        return self.at(dataset._input, dataset._skipped + index)

    def of_shard(self, dataset: ShardDataset, index: int) -> _core.Tensor:
        return self.at(dataset._input, dataset._index + index * dataset._shards)

    def repeated(self, dataset: RepeatDataset, index: int) -> _core.Tensor:
        return self.at(dataset._input, index % dataset._input._count())

    def batched(self, dataset: BatchDataset, index: int) -> _core.Tensor:
        begin = index * dataset._size
        indices = range(begin, min(begin + dataset._size, dataset._input._count()))
        return self.made(dataset, dataset._over, indices)

    def shuffled(self, dataset: ShuffleDataset, index: int) -> _core.Tensor:
        return self.at(dataset._input, dataset._permutation()[index])

    def zipped(self, dataset: ZipDataset, index: int) -> tuple[_core.Tensor, _core.Tensor]:
        values = [self.at(source, index) for source in dataset._inputs]
        return structure.pack(dataset._datasets, values)

    def concatenated(self, dataset: Dataset, index: int) -> _core.Tensor:
        first, second = dataset._inputs
        count = first._count()
        return self.at(first, index) if index < count else self.at(second, index - count)

    def cached(self, dataset: CacheDataset, index: int) -> _core.Tensor:
        elements = dataset._elements
        return self.at(dataset._input, index) if elements is None else elements[index]


_READERS: dict[type, Callable[[_Reader, Any, int], Any]] = {
    AssertCardinalityDataset: _Reader.same,
    BatchDataset: _Reader.batched,
    CacheDataset: _Reader.cached,
    ConcatenateDataset: _Reader.concatenated,
    EnumerateDataset: _Reader.enumerated,
    ListDataset: _Reader.one_of_list,
    MapDataset: _Reader.mapped,
    OptionsDataset: _Reader.same,
    ParallelMapDataset: _Reader.mapped,
    PrefetchDataset: _Reader.same,
    RangeDataset: _Reader.source,
    RepeatDataset: _Reader.repeated,
    ShardDataset: _Reader.of_shard,
    ShuffleDataset: _Reader.shuffled,
    SkipDataset: _Reader.skipped,
    TakeDataset: _Reader.same,
    TensorDataset: _Reader.source,
    TensorSliceDataset: _Reader.source,
    ZipDataset: _Reader.zipped,
}
