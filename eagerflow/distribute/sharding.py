"""Datasets of several processes: which elements, or which rows of them, a process reads."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from eagerflow import errors, nest
from eagerflow.data.arguments import INFINITE, UNKNOWN
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.files import ReaderDataset
from eagerflow.data.nested import NestingDataset
from eagerflow.data.options import AutoShardPolicy
from eagerflow.data.positions import ShardDataset
from eagerflow.data.seeds import random_seeds
from eagerflow.data.shuffling import ShuffleDataset
from eagerflow.distribute.input import DistributedDataset, empty_batch, split_rows
from eagerflow.framework.type_spec import TensorSpec


def share_of_process(dataset: Dataset, communicator: Any) -> Dataset:
    """This process's share of a dataset of global batches.

    The dataset's option `experimental_distribute.auto_shard_policy` decides: under DATA, each process reads
    all batches and keeps its share of the rows; under FILE, each reads its own files; under OFF, each reads
    everything, in batches of its share of the size. AUTO is FILE if the dataset reads files, else DATA.
    Except under OFF, shuffles without a seed have the same order in all processes, so that each element is
    read once.

    Args:
        dataset: the dataset.
        communicator: that of the processes.

    Raises:
        tf.errors.NotFoundError: by FILE, if the dataset reads no files that could be shared out.
        tf.errors.InvalidArgumentError: if it reads fewer files than there are processes.
    """
    policy = dataset.options().experimental_distribute.auto_shard_policy
    if policy is not AutoShardPolicy.OFF:
        _agree_on_order(dataset, communicator)
    own = None
    if policy in (AutoShardPolicy.AUTO, AutoShardPolicy.FILE):
        own = _of_own_files(dataset, communicator)
        if own is None and policy is AutoShardPolicy.FILE:
            raise errors.NotFoundError._of(
                "Found an unshardable source dataset: the auto-shard policy is FILE, but the dataset "
                "does not read files. Set "
                "`options.experimental_distribute.auto_shard_policy = tf.data.experimental."
                "AutoShardPolicy.DATA` with `dataset.with_options(options)`."
            )
    if own is None and policy in (AutoShardPolicy.AUTO, AutoShardPolicy.DATA):
        return RowsDataset(dataset, communicator.size, communicator.rank)
    return in_step(PiecesDataset(own or dataset, communicator.size), communicator)


def _agree_on_order(dataset: Dataset, communicator: Any) -> None:
    """Has shuffles without a seed begin with the seeds that the first process draws."""
    random_streams = [each._seeds for each in _shuffles(dataset) if each._seeds.is_random]
    if not random_streams:
        return
    for sequence, pair in zip(
        random_streams,
        communicator.broadcast_object([random_seeds() for _ in random_streams]),
        strict=True,
    ):
        sequence.begin_with(pair)


def _shuffles(dataset: Dataset) -> Iterator[Any]:
    if isinstance(dataset, ShuffleDataset):
        yield dataset
    names = getattr(dataset, "_filenames", None)
    for each in (*dataset._inputs, *([names] if isinstance(names, Dataset) else [])):
        yield from _shuffles(each)


def in_step(dataset: Dataset, communicator: Any) -> Dataset:
    """A dataset that continues with empty batches until the datasets of all processes end.

    Args:
        dataset: the dataset.
        communicator: the communicator of the processes.
    """
    if dataset._count() == INFINITE:
        return dataset
    return InStepDataset(dataset, communicator.duplicate())


def _of_own_files(dataset: Dataset, communicator: Any) -> Dataset | None:
    """A dataset with only this process's share of the files that it reads; None if it reads none.

    Args:
        dataset: the dataset.
        communicator: that of the processes.

    Raises:
        tf.errors.InvalidArgumentError: if it reads fewer files than there are processes.
    """

    def shared(names: Dataset) -> Dataset:
        count = names._count()
        if count == UNKNOWN:
            count = sum(1 for _ in names)
        if 0 <= count < communicator.size:
            raise errors.InvalidArgumentError._of(
                "Could not apply FILE based sharding: the dataset only has "
                f"{count} file(s), which is not enough for the required {communicator.size} "
                "shards/workers. Use more files, or set the option "
                "`experimental_distribute.auto_shard_policy` to AutoShardPolicy.DATA."
            )
        return ShardDataset(names, communicator.size, communicator.rank)

    def changed(node: Dataset) -> Dataset | None:
        if isinstance(node, ReaderDataset):
            (reader,) = node._inputs
            return _with_inputs(node, [_with_inputs(reader, [shared(node._filenames)])])
        if not node._inputs:
            return None
        inputs = [changed(each) for each in node._inputs]
        if all(each is not None for each in inputs):
            return _with_inputs(node, inputs)
        if isinstance(node, NestingDataset) and _gives_names(node._inputs[0]):
            return _with_inputs(node, [shared(node._inputs[0])])
        return None

    return changed(dataset)


def _with_inputs(node: Dataset | ReaderDataset | NestingDataset, inputs: list[Any]) -> Dataset:
    made = copy.copy(node)
    made._inputs = tuple(inputs)
    return made


def _gives_names(dataset: Dataset) -> bool:
    spec = dataset.element_spec
    return isinstance(spec, TensorSpec) and spec.dtype.name == "string" and spec.shape.rank == 0


def _part_spec(spec: Any, parts: int) -> TensorSpec:
    if not isinstance(spec, TensorSpec) or spec.shape.rank == 0:
        raise ValueError(
            "A distributed dataset must be batched, so that each process gets a part of every "
            f"element, but it has elements with {spec}: call `dataset.batch(global_batch_size)` first."
        )
    if spec.shape.rank is None:
        return spec
    size, *others = spec.shape.as_list()
    if size is not None:
        size = None if size % parts else size // parts
    return TensorSpec([size, *others], spec.dtype)


def rows_spec(element_spec: Any, parts: int) -> Any:
    """The specs of the results of `rows_of`.

    Args:
        element_spec: the specs of the batches.
        parts: how many parts there are.

    Raises:
        ValueError: if there are scalars among them.
    """
    return nest.map_structure(lambda spec: _part_spec(spec, parts), element_spec)


def rows_of(batch: Any, parts: int, part: int) -> Any:
    """One part of a batch.

    Args:
        batch: a structure of tensors.
        parts: how many parts there are.
        part: the number of the part.
    """
    return nest.map_structure(lambda leaf: split_rows(leaf, parts)[part], batch)


class RowsDataset(UnaryDataset):
    """One part of each batch.

    Args:
        source: gives the batches.
        parts: how many parts there are.
        part: the number of the part.
    """

    def __init__(self, source: Dataset, parts: int, part: int) -> None:
        super().__init__(source)
        self._parts = parts
        self._part = part

    def _make_spec(self) -> Any:
        return rows_spec(self._input.element_spec, self._parts)

    def _count(self) -> int:
        return self._input._count()

    def _cursor(self, context: Context) -> Cursor:
        return _RowsCursor(self._input._cursor(context), self._parts, self._part)


class _RowsCursor(InputCursor):
    __slots__ = ("_part", "_parts")

    def __init__(self, source: Cursor, parts: int, part: int) -> None:
        super().__init__(source)
        self._parts = parts
        self._part = part

    def __next__(self) -> Any:
        return rows_of(next(self._input), self._parts, self._part)


class PiecesDataset(UnaryDataset):
    """The parts of each batch, in sequence; a smaller batch has fewer parts of the same size.

    Args:
        source: gives the batches.
        parts: into how many parts each is divided.
    """

    def __init__(self, source: Dataset, parts: int) -> None:
        super().__init__(source)
        self._parts = parts

    def _make_spec(self) -> Any:
        return rows_spec(self._input.element_spec, self._parts)

    def _count(self) -> int:
        return INFINITE if self._input._count() == INFINITE else UNKNOWN

    def _cursor(self, context: Context) -> Cursor:
        return _PiecesCursor(self._input._cursor(context), self._parts)


class _PiecesCursor(InputCursor):
    __slots__ = ("_parts", "_size", "_waiting")

    def __init__(self, source: Cursor, parts: int) -> None:
        super().__init__(source)
        self._parts = parts
        self._size: int | None = None  # the rows of a part of the first batch, and so of all others
        self._waiting: list[Any] = []

    def __next__(self) -> Any:
        if not self._waiting:
            batch = next(self._input)
            flat = nest.flatten(batch)
            if self._size is None:
                self._size = int(split_rows(flat[0], self._parts)[0].shape[0])
            starts = range(0, int(flat[0].shape[0]), self._size)
            leaves = [[leaf[k : k + self._size] for k in starts] for leaf in flat]
            self._waiting = [
                nest.pack_sequence_as(batch, list(each)) for each in zip(*leaves, strict=True)
            ]
        return self._waiting.pop(0)


class InStepDataset(UnaryDataset):
    """Batches, followed by empty ones while other processes have more.

    Args:
        source: yields the batches.
        communicator: the communicator of the processes, which only this dataset uses.
    """

    def __init__(self, source: Dataset, communicator: Any) -> None:
        super().__init__(source)
        self._communicator = communicator

    def _make_spec(self) -> Any:
        def of_any_size(spec: Any) -> Any:
            if spec.shape.rank is None or spec.shape.rank == 0:
                return spec
            return TensorSpec([None, *spec.shape.as_list()[1:]], spec.dtype)

        return nest.map_structure(of_any_size, self._input.element_spec)

    def _count(self) -> int:
        return UNKNOWN

    def _cursor(self, context: Context) -> Cursor:
        return _InStepCursor(
            self._input._cursor(context), self._communicator, self._input.element_spec
        )


class _InStepCursor(InputCursor):
    __slots__ = ("_communicator", "_ended", "_spec")

    def __init__(self, source: Cursor, communicator: Any, spec: Any) -> None:
        super().__init__(source)
        self._communicator = communicator
        self._spec = spec
        self._ended = False

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        batch = next(self._input, None)
        if not self._communicator.any(batch is not None):
            self._ended = True
            raise StopIteration
        return nest.map_structure(empty_batch, self._spec) if batch is None else batch


def is_shared_out(dataset: Dataset) -> bool:
    """Whether a dataset already contains only this process's part of each batch."""
    return isinstance(dataset, DistributedDataset | RowsDataset | InStepDataset)
