"""Files of blocks that are compressed with Snappy, each after its length."""

from __future__ import annotations

import io
import struct
from typing import Any, BinaryIO

from eagerflow import _core, errors
from eagerflow.io.os_errors import translated
from eagerflow.io.records import read_claimed
from eagerflow.util.regular import open_regular

_LENGTH = struct.Struct(">I")


class _Expanding(io.RawIOBase):
    """Decompresses a file while it is read."""

    def __init__(self, source: BinaryIO, path: str) -> None:
        self._source = source
        self._path = path
        self._ready = b""
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while self._at >= len(self._ready):
            head = self._source.read(_LENGTH.size)
            if not head:
                return 0
            length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else -1
            block = read_claimed(self._source, length) if length >= 0 else b""
            if len(block) != length:
                raise errors.DataLossError._of(f"{self._path}: a block is truncated")
            try:
                self._ready = _core.snappy_expand(block)
            except ValueError as error:
                raise errors.DataLossError._of(
                    f"{self._path}: a block is corrupted: {error}"
                ) from error
            self._at = 0
        piece = self._ready[self._at : self._at + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)

    def close(self) -> None:
        self._source.close()
        super().close()


def open_snappy(path: str) -> BinaryIO:
    """The file's decompressed bytes."""
    with translated(path):
        source = open_regular(path)
    return io.BufferedReader(_Expanding(source, path), 1 << 18)
