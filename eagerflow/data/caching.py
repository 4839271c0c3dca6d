"""Dataset.cache: elements that are computed once and kept, in memory or in a file."""

from __future__ import annotations

import os
import threading
from typing import Any

from eagerflow import errors
from eagerflow.data.context import Context
from eagerflow.data.creation import as_strings
from eagerflow.data.cursor import Cursor, pack_elements, unpack_elements
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.element_file import ElementReader, ElementWriter
from eagerflow.typing import FilePath, Structure, TensorLike


def cached(source: Dataset, filename: FilePath | TensorLike) -> Dataset:
    """The dataset for `Dataset.cache`."""
    name = as_strings(filename)[0] if not isinstance(filename, (str, os.PathLike)) else filename
    return FileCacheDataset(source, os.fspath(name)) if name else CacheDataset(source)


class CacheDataset(UnaryDataset):
    """The elements, kept in memory by the first pass that reaches the end."""

    _public_name = "CacheDataset"

    _has_state = True
    _passing = (*UnaryDataset._passing, "_elements", "_lock")

    def __init__(self, source: Dataset) -> None:
        super().__init__(source)
        self._elements: list[Any] | None = None
        self._lock = threading.Lock()

    def _cursor(self, context: Context) -> Cursor:
        source = self._input._cursor(context) if self._elements is None else None
        return CachingCursor(source, self)

    def _keep(self, elements: list[Structure]) -> None:
        with self._lock:
            if self._elements is None:
                self._elements = elements

    def _how(self) -> str:
        return "in memory" if self._elements is None else "from memory"


class CachingCursor(Cursor):
    """Collects the elements it yields, or yields those collected."""

    __slots__ = ("_at", "_elements", "_input", "_owner")

    def __init__(self, source: Cursor | None, owner: CacheDataset) -> None:
        self._input = source
        self._owner = owner
        self._elements: list[Any] = []
        self._at = 0

    def __next__(self) -> Structure:
        if self._owner._elements is not None:
            # Another pass may have reached the end since.
            self._elements, self._input = self._owner._elements, None
        if self._at < len(self._elements):
            self._at += 1
            return self._elements[self._at - 1]
        if self._input is None:
            raise StopIteration
        try:
            element = next(self._input)
        except StopIteration:
            self._owner._keep(self._elements)
            raise
        self._elements.append(element)
        self._at += 1
        return element

    def state(self) -> object:
        elements = self._owner._elements
        if elements is None:
            elements = self._elements
        source = None
        if self._owner._elements is None and self._input is not None:
            source = self._input.state()
        return {"at": self._at, "elements": pack_elements(elements), "input": source}

    def restore(self, state: Any) -> None:
        like = self._owner.element_spec if state["elements"] else None
        elements = unpack_elements(like, state["elements"])
        self._at = state["at"]
        if state["input"] is None:
            self._owner._keep(elements)
        elif self._input is not None:
            self._elements = elements
            self._input.restore(state["input"])


class FileCacheDataset(UnaryDataset):
    """The elements, kept in a file by the first pass that reaches the end."""

    _public_name = "CacheDataset"

    def __init__(self, source: Dataset, path: str) -> None:
        super().__init__(source)
        self._path = path

    def _cursor(self, context: Context) -> Cursor:
        data, lock = self._path + ".data", self._path + ".lockfile"
        if os.path.exists(data):
            return ElementReader(data)
        if os.path.exists(lock):
            raise errors.AlreadyExistsError._of(
                f"There appears to be a concurrent caching iterator running - cache lockfile already "
                f"exists ('{lock}'). If you are sure no other running process is using this cache "
                "file, delete the lockfile and re-initialize the iterator."
            )
        return ElementWriter(self._input._cursor(context), data, lock)

    def _details(self) -> str:
        return repr(self._path)

    def _how(self) -> str:
        return "from the file" if os.path.exists(self._path + ".data") else "into the file"
