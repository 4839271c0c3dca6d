"""Checks of HDF5 files before the library reads them.

HDF5 has no checksum for a whole file, and its library trusts the bytes: it loops forever on a heap
whose list of strings is zeros. Files of eagerflow end with a checksum of all bytes before it. The
library ignores bytes after the end that a file declares, and truncates them when it opens the file
for changes, so that no checksum outlives a change.
"""

from __future__ import annotations

import os
import re
import struct
from typing import BinaryIO

from eagerflow import _core
from eagerflow.io.damage import DamagedFileError
from eagerflow.util.regular import open_regular

_TRAILER = re.compile(rb"\nCRC-32C ([0-9a-f]{8})\n")
_TRAILER_SIZE = 18
_PIECE = 1 << 16  # the bytes that are read at a time
# A collection of variable-length values: its size, then objects, each with an index and a size.
_HEAP = b"GCOL\x01\0\0\0"
_HEAP_HEAD = struct.Struct("<QQ")
_HEAP_OBJECT = struct.Struct("<HH4xQ")


def add_checksum(path: str) -> None:
    """Appends the checksum of a file's bytes."""
    with open(path, "r+b") as file:
        crc = _checksum(file, os.fstat(file.fileno()).st_size)
        file.seek(0, os.SEEK_END)
        file.write(b"\nCRC-32C %08x\n" % crc)


def check_file(path: str) -> None:
    """Refuses a file whose checksum fails; without a checksum, checks the heap.

    Raises:
        DamagedFileError: if it is.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        end = max(0, size - _TRAILER_SIZE)
        file.seek(end)
        trailer = _TRAILER.fullmatch(file.read(_TRAILER_SIZE))
        if trailer is None:
            _check_heaps(file, size, path)
        elif _checksum(file, end) != int(trailer[1], 16):
            raise DamagedFileError(path, "The content", "its checksum does not hold")


def _checksum(file: BinaryIO, size: int) -> int:
    """The checksum of a file's first bytes, which are not mapped: others may truncate the file."""
    file.seek(0)
    crc = 0
    while size > 0 and (piece := file.read(min(size, _PIECE))):
        crc = _core.crc32c(piece, crc)
        size -= len(piece)
    return crc


def _read(file: BinaryIO, at: int, fields: struct.Struct) -> tuple[int, ...] | None:
    """The fields at a position; None if the file ends before."""
    file.seek(at)
    content = file.read(fields.size)
    return fields.unpack(content) if len(content) == fields.size else None


def _check_heaps(file: BinaryIO, size: int, path: str) -> None:
    # Heaps begin at multiples of 8, and so do the pieces: none contains a part of a heap's mark.
    start = 0
    while start < size:
        file.seek(start)
        piece = file.read(_PIECE)
        at = piece.find(_HEAP)
        while at % 8 and at >= 0:
            at = piece.find(_HEAP, at + 1)
        if at < 0:
            start += _PIECE
            continue
        start += at
        head = _read(file, start, _HEAP_HEAD)
        if head is None:
            return
        end = min(start + head[1], size)
        _check_heap(file, start + _HEAP_HEAD.size, end, path)
        start = max(start + 8, -(-end // 8) * 8)


def _check_heap(file: BinaryIO, at: int, end: int, path: str) -> None:
    while at + _HEAP_OBJECT.size <= end:
        head = _read(file, at, _HEAP_OBJECT)
        if head is None:
            return
        index, _, size = head
        if index == 0 and size == 0:
            raise DamagedFileError(path, f"A heap of strings at byte {at}", "an object has no size")
        # The size of free space, which has the index 0, includes its header.
        at += -(-size // 8) * 8 + (_HEAP_OBJECT.size if index else 0)
