"""Files of elements: what file caches, saved datasets and snapshots consist of."""

from __future__ import annotations

import os
import struct
import zlib
from typing import Any, BinaryIO

from eagerflow import errors
from eagerflow.data import codec
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.io.records import read_claimed
from eagerflow.typing import Structure
from eagerflow.util.regular import open_regular

_HEAD = struct.Struct("<QI")


def write_element(file: BinaryIO, element: Structure) -> None:
    """Appends an element with its length and checksum."""
    data = codec.encode(element)
    file.write(_HEAD.pack(len(data), zlib.crc32(data)))
    file.write(data)


class ElementReader(Cursor):
    """The elements of a file."""

    __slots__ = ("_file", "_path")

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._file = open_regular(path)
        except FileNotFoundError as error:
            raise errors.NotFoundError._of(f"{path}; No such file or directory") from error

    def __next__(self) -> Structure:
        return codec.decode(self._record(False))

    def skip(self, count: int) -> None:
        for _ in range(count):
            try:
                self._record(True)
            except StopIteration:
                return

    def _record(self, skip: bool) -> bytes:
        head = self._file.read(_HEAD.size)
        if not head:
            raise StopIteration
        if len(head) < _HEAD.size:
            raise self._truncated()
        length, checksum = _HEAD.unpack(head)
        if skip:
            if self._file.tell() + length > os.fstat(self._file.fileno()).st_size:
                raise self._truncated()
            self._file.seek(length, os.SEEK_CUR)
            return b""
        data = read_claimed(self._file, length)
        if len(data) < length:
            raise self._truncated()
        if zlib.crc32(data) != checksum:
            raise errors.DataLossError._of(f"corrupted record in {self._path}")
        return data

    def _truncated(self) -> errors.DataLossError:
        return errors.DataLossError._of(f"truncated record in {self._path}")

    def state(self) -> int:
        return self._file.tell()

    def restore(self, state: Any) -> None:
        self._file.seek(state)

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()


class ElementWriter(InputCursor):
    """Yields elements and writes them; the file appears when the end is reached.

    Until then it has another name, and a lock file marks it as being written.
    """

    __slots__ = ("_at", "_file", "_lock", "_path", "_temporary")

    def __init__(self, source: Cursor, path: str, lock: str) -> None:
        self._input = source
        self._path = path
        self._lock = lock
        self._temporary = f"{path}.{os.getpid()}.partial"
        self._at = 0
        self._file: BinaryIO | None = None

    def __next__(self) -> Structure:
        if self._file is None:
            if self._temporary == "":
                raise StopIteration
            self._open()
        try:
            element = next(self._input)
        except StopIteration:
            self._finish()
            raise
        assert self._file is not None
        write_element(self._file, element)
        self._at += 1
        return element

    def _open(self) -> None:
        try:
            with open(self._lock, "x") as lock:
                lock.write(str(os.getpid()))
            self._file = open(self._temporary, "wb")
        except FileExistsError as error:
            raise errors.AlreadyExistsError._of(
                f"Another iterator is writing: lock file {self._lock} exists."
            ) from error
        except FileNotFoundError as error:
            raise errors.NotFoundError._of(f"{self._lock}; no such directory") from error

    def _finish(self) -> None:
        assert self._file is not None
        self._file.close()
        os.replace(self._temporary, self._path)
        self._release()

    def _release(self) -> None:
        self._file = None
        self._temporary = ""
        if os.path.exists(self._lock):
            os.remove(self._lock)

    def state(self) -> int:
        return self._at

    def restore(self, state: Any) -> None:
        self.skip(state)

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()
            if os.path.exists(self._temporary):
                os.remove(self._temporary)
            self._release()
