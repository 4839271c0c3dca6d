"""Checks of HDF5 files before the library reads them.

HDF5 has no checksum for a whole file, and its library trusts the bytes: it loops forever on a heap
whose list of strings is zeros. Files of eagerflow end with a checksum of all bytes before it. The
library ignores bytes after the end that a file declares, and truncates them when it opens the file
for changes, so that no checksum outlives a change.
"""

from __future__ import annotations

import mmap
import os
import re
import struct
from typing import Any

from eagerflow import _core
from eagerflow.io.damage import DamagedFileError
from eagerflow.util.regular import open_regular

_TRAILER = re.compile(rb"\nCRC-32C ([0-9a-f]{8})\n")
_TRAILER_SIZE = 18
# A collection of variable-length values: its size, then objects, each with an index and a size.
_HEAP = b"GCOL\x01\0\0\0"
_HEAP_HEAD = struct.Struct("<8sQ")
_HEAP_OBJECT = struct.Struct("<HH4xQ")


def add_checksum(path: str) -> None:
    """Appends the checksum of a file's bytes."""
    with open(path, "r+b") as file:
        size = os.fstat(file.fileno()).st_size
        crc = 0
        if size:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                crc = _core.crc32c(content)
        file.seek(0, os.SEEK_END)
        file.write(b"\nCRC-32C %08x\n" % crc)


def check_file(path: str) -> None:
    """Refuses a file whose checksum fails; without a checksum, checks the heap.

    Raises:
        DamagedFileError: if it is.
    """
    with open_regular(path) as file:
        if not os.fstat(file.fileno()).st_size:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            end = max(0, len(content) - _TRAILER_SIZE)
            trailer = _TRAILER.fullmatch(content[end:])
            if trailer is None:
                _check_heaps(content, path)
                return
            with memoryview(content) as view, view[:end] as before:
                crc = _core.crc32c(before)
            if crc != int(trailer[1], 16):
                raise DamagedFileError(path, "The content", "its checksum does not hold")


def _check_heaps(content: Any, path: str) -> None:
    at = content.find(_HEAP)
    while at >= 0:
        end = at + 8
        if at % 8 == 0 and at + _HEAP_HEAD.size <= len(content):
            _, size = _HEAP_HEAD.unpack_from(content, at)
            end = min(at + size, len(content))
            _check_heap(content, at + _HEAP_HEAD.size, end, path)
        at = content.find(_HEAP, max(end, at + 8))


def _check_heap(content: Any, at: int, end: int, path: str) -> None:
    while at + _HEAP_OBJECT.size <= end:
        index, _, size = _HEAP_OBJECT.unpack_from(content, at)
        if index == 0 and size == 0:
            raise DamagedFileError(path, f"A heap of strings at byte {at}", "an object has no size")
        # The size of free space, which has the index 0, includes its header.
        at += -(-size // 8) * 8 + (_HEAP_OBJECT.size if index else 0)
