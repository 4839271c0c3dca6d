"""Dataset.save, Dataset.load and Dataset.snapshot: elements kept in a directory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from eagerflow import _core, errors
from eagerflow.checkpoint.checkpoint import Checkpoint
from eagerflow.checkpoint.manager import CheckpointManager
from eagerflow.data.arguments import AUTOTUNE, UNKNOWN, invalid
from eagerflow.data.context import Context
from eagerflow.data.creation import as_strings
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.data.dataset import Dataset, DatasetSpec, UnaryDataset
from eagerflow.data.functions import ElementFunction, HostFunction, guarded, is_scalar, traced
from eagerflow.data.iterator import OwnedIterator
from eagerflow.data.nested import interleaved
from eagerflow.data.shard_files import SavedDirectory, ShardCursor, Shards, is_complete, read_spec
from eagerflow.data.sources import ListDataset, list_cursor
from eagerflow.data.stored_spec import encode_spec
from eagerflow.framework import dtypes
from eagerflow.typing import FilePath, Structure, TensorLike

_WAIT_SECONDS = 0.2


def _directory(path: FilePath | TensorLike) -> str:
    return os.fspath(path) if isinstance(path, (str, os.PathLike)) else as_strings(path)[0]


def save(
    dataset: Dataset,
    path: FilePath | TensorLike,
    compression: str | None,
    shard_func: Callable[..., object] | None,
    checkpoint_args: Any,
) -> None:
    """Writes all elements of a dataset."""
    encode_spec(dataset.element_spec)  # fails before anything is written, if it does
    shards = _traced_shard_func(shard_func, dataset, "Dataset.save()")
    iterator = OwnedIterator(SavingDataset(dataset, _directory(path), compression, shards))
    if not checkpoint_args:
        cursor = iterator._cursor
        try:
            for _ in iterator:
                pass
        finally:
            cursor.abandon()
        return
    if "step_counter" not in checkpoint_args:
        raise ValueError(
            "`checkpoint_args` must have a `step_counter`, the variable that counts the elements "
            "which have been written."
        )
    manager = CheckpointManager(Checkpoint(iterator=iterator), **checkpoint_args)
    manager.checkpoint.restore(manager.latest_checkpoint)
    for _ in iterator:
        checkpoint_args["step_counter"].assign_add(1)
        manager.save(check_interval=True)


def _traced_shard_func(function: object, dataset: Dataset, used_by: str) -> ElementFunction | None:
    """A function that returns the index of an element's file.

    Raises:
        tf.errors.InvalidArgumentError: if it returns something else.
    """
    if function is None:
        return None
    sharder = traced(function, dataset.element_spec, used_by, "shard_func")
    if not is_scalar(sharder.result, dtypes.int64):
        raise invalid(f"`shard_func` must return a scalar int64, not {sharder.result}.")
    return sharder


def _traced_reader_func(function: object, spec: Structure, used_by: str) -> ElementFunction | None:
    """A function that combines the dataset of the shards' datasets into one.

    Raises:
        tf.errors.InvalidArgumentError: if it returns something else.
    """
    if function is None:
        return None
    reader = traced(function, DatasetSpec(DatasetSpec(spec)), used_by, "reader_func")
    if not isinstance(reader.result, DatasetSpec):
        raise invalid(f"`reader_func` must return a `tf.data.Dataset`, not {reader.result}.")
    return reader


class SavingDataset(UnaryDataset):
    """The elements, which are written into a directory while they are read."""

    def __init__(
        self,
        source: Dataset,
        path: str,
        compression: str | None,
        shard_func: ElementFunction | None,
    ) -> None:
        super().__init__(source)
        self._path = path
        self._compression = compression or ""
        self._shard_func = shard_func

    def _cursor(self, context: Context) -> Cursor:
        return SavingCursor(self._input._cursor(context), self)

    def _target(self) -> str:
        return self._path

    def _shards(self, state: object = None) -> Shards:
        shard = self._shard_func
        call = None if shard is None else guarded(shard.caller(_core.StreamStates()))
        return Shards(self._target(), call, self._compression, state)


class SavingCursor(InputCursor):
    """Yields elements and writes them."""

    __slots__ = ("_ended", "_owner", "_shards")

    def __init__(self, source: Cursor, owner: SavingDataset) -> None:
        self._input = source
        self._owner = owner
        self._shards: Shards | None = None
        self._ended = False

    def __next__(self) -> Structure:
        if self._ended:
            raise StopIteration
        if self._shards is None:
            self._shards = self._owner._shards()
        try:
            element = next(self._input)
        except StopIteration:
            self._ended = True
            self._shards.complete(encode_spec(self._owner._input.element_spec))
            raise
        self._shards.add(element)
        return element

    def state(self) -> object:
        return {
            "input": self._input.state(),
            "ended": self._ended,
            "shards": None if self._shards is None or self._ended else self._shards.state(),
        }

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._ended = state["ended"]
        if state["shards"] is not None:
            self._shards = self._owner._shards(state["shards"])

    def abandon(self) -> None:
        """Removes the written files, unless they are complete."""
        shards = getattr(self, "_shards", None)
        if shards is not None:
            shards.abandon()

    __del__ = abandon


class ShardDataset(Dataset):
    """The elements of one shard."""

    def __init__(self, paths: list[str], spec: Any, compression: str) -> None:
        super().__init__()
        self._paths = paths
        self._declared = spec
        self._compression = compression

    def _cursor(self, context: Context) -> Cursor:
        return ShardCursor(self._paths, self._declared, self._compression)

    def _make_spec(self) -> Structure:
        return self._declared

    def _count(self) -> int:
        return UNKNOWN

    def _details(self) -> str:
        return ", ".join(map(repr, self._paths))


class LoadedDataset(UnaryDataset):
    """The elements of all shards."""

    _public_name = "_LoadDataset"

    def __init__(self, source: Dataset, spec: Any, count: int, path: str, whole: bool) -> None:
        super().__init__(source)
        self._declared = spec
        self._size = count
        self._path = path
        self._whole = whole

    def _make_spec(self) -> Structure:
        return self._declared

    def _count(self) -> int:
        return self._size

    def _cursor(self, context: Context) -> Cursor:
        source = self._input._cursor(context)
        return CountedCursor(source, self._size, self._path) if self._whole else source

    def _details(self) -> str:
        return repr(self._path)


class CountedCursor(InputCursor):
    """Checks that all elements written are there."""

    __slots__ = ("_left", "_path")

    def __init__(self, source: Cursor, count: int, path: str) -> None:
        self._input = source
        self._left = count
        self._path = path

    def __next__(self) -> Structure:
        try:
            element = next(self._input)
        except StopIteration:
            left, self._left = self._left, 0
            if left > 0:
                raise errors.DataLossError._of(
                    f"{self._path} lacks {left} of the elements that were saved."
                ) from None
            raise
        self._left -= 1
        return element

    def state(self) -> Any:
        return [self._input.state(), self._left]

    def restore(self, state: Any) -> None:
        source, self._left = state
        self._input.restore(source)


def load(
    path: Any,
    element_spec: Structure,
    compression: str | None,
    reader_func: Callable[..., object] | None,
    wait: bool,
) -> Dataset:
    """The dataset of a directory."""
    directory = _directory(path)
    while wait and not is_complete(directory):
        time.sleep(_WAIT_SECONDS)
    spec = read_spec(directory) if element_spec is None else element_spec
    saved = SavedDirectory(directory)
    reader = _traced_reader_func(reader_func, spec, "Dataset.load()")
    source = _read(saved, spec, compression or "", reader)
    return LoadedDataset(source, spec, saved.count, directory, reader_func is None)


def _read(
    saved: SavedDirectory, spec: Structure, compression: str, reader: ElementFunction | None
) -> Dataset:
    shards = [ShardDataset(paths, spec, compression) for paths in saved.shards]
    if not shards:
        return EmptyDataset(spec)
    if reader is not None:
        return reader.caller(_core.StreamStates())(ListDataset(shards))
    if len(shards) == 1:
        return shards[0]
    same = HostFunction(lambda shard: shard, DatasetSpec(spec))
    return interleaved(ListDataset(shards), same, _core.default_threads(), None, AUTOTUNE, None)


class EmptyDataset(Dataset):
    """No elements, of known specs."""

    def __init__(self, spec: Any) -> None:
        super().__init__()
        self._declared = spec

    def _cursor(self, context: Context) -> Cursor:
        return list_cursor([])

    def _make_spec(self) -> Structure:
        return self._declared

    def _count(self) -> int:
        return 0


class SnapshotDataset(SavingDataset):
    """The elements, written by the first pass that reaches the end and read by later ones."""

    _public_name = "_MapDataset"

    _passing = (*SavingDataset._passing, "_compression", "_path", "_place", "_shard_func")

    def __init__(
        self,
        source: Dataset,
        path: Any,
        compression: str | None,
        reader_func: Callable[..., Any] | None,
        shard_func: Callable[..., Any] | None,
    ) -> None:
        name = "Dataset.snapshot()"
        shards = _traced_shard_func(shard_func, source, name)
        super().__init__(source, _directory(path), compression, shards)
        self._reader_func = _traced_reader_func(reader_func, source.element_spec, name)
        self._place: str | None = None

    def _target(self) -> str:
        # Computed once: what functions refer to may change while they run.
        if self._place is None:
            self._place = os.path.join(self._path, str(int(self._input.fingerprint())))
        return self._place

    def _cursor(self, context: Context) -> Cursor:
        folder = self._target()
        if is_complete(folder):
            saved = SavedDirectory(folder)
            source = _read(saved, read_spec(folder), self._compression, self._reader_func)
            return source._cursor(context)
        return SavingCursor(self._input._cursor(context), self)

    def _details(self) -> str:
        return repr(self._path)

    def _how(self) -> str:
        return "from the directory" if is_complete(self._target()) else "into the directory"
