"""Dataset.save, Dataset.load and Dataset.snapshot: elements kept in a directory."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from typing import Any

from eagerflow import errors
from eagerflow.data import codec
from eagerflow.data.arguments import AUTOTUNE, UNKNOWN, integer
from eagerflow.data.context import Context, available_cores
from eagerflow.data.creation import as_strings
from eagerflow.data.cursor import Cursor, InputCursor, caller_of
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.element_file import ElementReader, write_element
from eagerflow.data.sources import ListDataset

_INDEX = "dataset.index"


def _directory(path: Any) -> str:
    return os.fspath(path) if isinstance(path, (str, os.PathLike)) else as_strings(path)[0]


class Shards:
    """A directory of element files that is being written; it is valid once it is complete."""

    def __init__(self, directory: str, shard_func: Callable | None) -> None:
        self._directory = directory
        self._shard = None if shard_func is None else caller_of(shard_func)
        self._files: dict[int, Any] = {}
        self._count = 0
        self._token = uuid.uuid4().hex[:12]
        os.makedirs(directory, exist_ok=True)

    def add(self, element: Any) -> None:
        """Appends an element to its shard."""
        number = 0 if self._shard is None else integer(self._shard(element), "shard_func")
        if number not in self._files:
            self._files[number] = open(self._name(number), "wb")
        write_element(self._files[number], element)
        self._count += 1

    def _name(self, number: int) -> str:
        return os.path.join(self._directory, f"shard-{self._token}-{number:05d}")

    def complete(self, spec: Any) -> None:
        """Closes the shards and makes the directory a saved dataset."""
        self._close()
        shards = [[os.path.basename(self._name(n)), n] for n in sorted(self._files)]
        content = {"spec": spec, "count": self._count, "shards": shards}
        index = os.path.join(self._directory, _INDEX)
        with open(f"{index}.{self._token}", "wb") as file:
            file.write(codec.encode(content))
        os.replace(f"{index}.{self._token}", index)
        self._files = {}

    def abandon(self) -> None:
        """Removes what was written, unless it is complete."""
        self._close()
        for number in self._files:
            os.remove(self._name(number))
        self._files = {}

    def _close(self) -> None:
        for file in self._files.values():
            file.close()


def save(dataset: Dataset, path: Any, shard_func: Callable | None) -> None:
    """Writes all elements of a dataset."""
    shards = Shards(_directory(path), shard_func)
    try:
        for element in dataset:
            shards.add(element)
        shards.complete(dataset.element_spec)
    finally:
        shards.abandon()


def read_index(directory: str) -> Any:
    """What a directory holds.

    Raises:
        tf.errors.NotFoundError: if it holds no saved dataset.
    """
    try:
        with open(os.path.join(directory, _INDEX), "rb") as file:
            return codec.decode(file.read())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise errors.NotFoundError(
            None, None, f"Could not find a saved dataset in {directory}."
        ) from error


class ShardDataset(Dataset):
    """The elements of one shard."""

    def __init__(self, path: str, spec: Any) -> None:
        super().__init__()
        self._path = path
        self._declared = spec

    def _cursor(self, context: Context) -> Cursor:
        return ElementReader(self._path)

    def _make_spec(self) -> Any:
        return self._declared

    def _count(self) -> int:
        return UNKNOWN

    def _make_sample(self, variant: int) -> Any:
        return next(ElementReader(self._path))

    def _details(self) -> str:
        return repr(self._path)


class LoadedDataset(UnaryDataset):
    """The elements of all shards."""

    def __init__(self, source: Dataset, spec: Any, count: int) -> None:
        super().__init__(source)
        self._declared = spec
        self._size = count

    def _make_spec(self) -> Any:
        return self._declared

    def _count(self) -> int:
        return self._size


def load(path: Any, element_spec: Any, reader_func: Callable | None) -> Dataset:
    """The dataset of a directory."""
    directory = _directory(path)
    index = read_index(directory)
    spec = index["spec"] if element_spec is None else element_spec
    return LoadedDataset(_read(directory, index, spec, reader_func), spec, index["count"])


def _read(directory: str, index: Any, spec: Any, reader_func: Callable | None) -> Dataset:
    shards = [ShardDataset(os.path.join(directory, name), spec) for name, _ in index["shards"]]
    if not shards:
        return ListDataset([]) if spec is None else EmptyDataset(spec)
    if reader_func is not None:
        return reader_func(ListDataset(shards))
    if len(shards) == 1:
        return shards[0]
    return ListDataset(shards).interleave(
        lambda shard: shard, cycle_length=available_cores(), num_parallel_calls=AUTOTUNE
    )


class EmptyDataset(Dataset):
    """No elements, of known specs."""

    def __init__(self, spec: Any) -> None:
        super().__init__()
        self._declared = spec

    def _cursor(self, context: Context) -> Cursor:
        from eagerflow.data.sources import ListCursor

        return ListCursor([])

    def _make_spec(self) -> Any:
        return self._declared

    def _count(self) -> int:
        return 0

    def _make_sample(self, variant: int) -> Any:
        from eagerflow.data import structure

        return structure.zero_like(self._declared)


class SnapshotDataset(UnaryDataset):
    """The elements, written by the first pass that reaches the end and read by later ones."""

    def __init__(
        self,
        source: Dataset,
        path: Any,
        reader_func: Callable | None,
        shard_func: Callable | None,
    ) -> None:
        super().__init__(source)
        self._root = _directory(path)
        self._reader_func = reader_func
        self._shard_func = shard_func

    def _place(self) -> str:
        return os.path.join(self._root, f"{int(self._input.fingerprint()):016x}")

    def _cursor(self, context: Context) -> Cursor:
        place = self._place()
        if os.path.exists(os.path.join(place, _INDEX)):
            index = read_index(place)
            return _read(place, index, None, self._reader_func)._cursor(context)
        return SnapshotCursor(self._input._cursor(context), self)

    def _details(self) -> str:
        return repr(self._root)


class SnapshotCursor(InputCursor):
    """Hands elements on and writes them."""

    __slots__ = ("_at", "_owner", "_shards")

    def __init__(self, source: Cursor, owner: SnapshotDataset) -> None:
        self._input = source
        self._owner = owner
        self._shards: Shards | None = None
        self._at = 0

    def __next__(self) -> Any:
        if self._shards is None:
            self._shards = Shards(self._owner._place(), self._owner._shard_func)
        try:
            element = next(self._input)
        except StopIteration:
            self._shards.complete(None)
            raise
        self._shards.add(element)
        self._at += 1
        return element

    def state(self) -> Any:
        return self._at

    def restore(self, state: Any) -> None:
        self.skip(state)

    def __del__(self) -> None:
        shards = getattr(self, "_shards", None)
        if shards is not None:
            shards.abandon()
