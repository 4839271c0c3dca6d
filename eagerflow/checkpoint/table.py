"""Sorted tables of keys and values: the index files of checkpoints.

The format is LevelDB's: blocks of entries that share prefixes with their predecessors, each block
with a checksum, then an index of blocks, then a footer with a magic number.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from eagerflow import _core, errors
from eagerflow.io.records import masked_crc32c
from eagerflow.util.varints import read_varint, varints

_MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
_FOOTER_BYTES = 48
_BLOCK_BYTES = 1 << 18
_RESTART_INTERVAL = 16
_TRAILER = struct.Struct("<BI")  # compression, checksum of block and compression
_PLAIN, _SNAPPY = 0, 1


class _Block:
    """A block being written."""

    def __init__(self, restart_interval: int) -> None:
        self._interval = restart_interval
        self._parts: list[bytes] = []
        self._restarts = [0]
        self._count = 0
        self._last = b""
        self.size = 0

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._count == self._interval:
            self._restarts.append(self.size)
            self._count = 0
        else:
            limit = min(len(key), len(self._last))
            while shared < limit and key[shared] == self._last[shared]:
                shared += 1
        rest = key[shared:]
        part = varints(shared, len(rest), len(value)) + rest + value
        self._parts.append(part)
        self.size += len(part)
        self._count += 1
        self._last = key

    def finish(self) -> bytes:
        restarts = struct.pack(f"<{len(self._restarts)}I", *self._restarts)
        return b"".join((*self._parts, restarts, struct.pack("<I", len(self._restarts))))


def table_bytes(items: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table of keys and values, which must come in ascending order of the keys."""
    file = bytearray()
    index = _Block(1)

    def write(block: _Block) -> bytes:
        content = block.finish()
        handle = varints(len(file), len(content))
        file.extend(content)
        kind = bytes((_PLAIN,))
        file.extend(_TRAILER.pack(_PLAIN, masked_crc32c(content + kind)))
        return handle

    block, last = _Block(_RESTART_INTERVAL), b""
    for key, value in items:
        if block.size >= _BLOCK_BYTES:
            index.add(last, write(block))
            block = _Block(_RESTART_INTERVAL)
        block.add(key, value)
        last = key
    if block.size:
        index.add(last, write(block))
    footer = write(_Block(_RESTART_INTERVAL)) + write(index)
    file.extend(footer.ljust(_FOOTER_BYTES - len(_MAGIC), b"\0") + _MAGIC)
    return bytes(file)


def read_table(data: bytes, path: str) -> list[tuple[bytes, bytes]]:
    """All keys and values of a table, in order.

    Args:
        data: the contents of the file.
        path: its name, for messages.

    Raises:
        tf.errors.DataLossError: if it is no table, or damaged.
    """
    try:
        return list(_entries(data))
    except (IndexError, ValueError, struct.error) as error:
        raise errors.DataLossError._of(
            f"{path} is not a readable index of a checkpoint: {error}"
        ) from error


def _entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    if len(data) < _FOOTER_BYTES:
        raise ValueError(f"it has only {len(data)} bytes")
    footer = data[-_FOOTER_BYTES:]
    if not footer.endswith(_MAGIC):
        raise ValueError("it does not end like one (bad magic number)")
    _, at = read_varint(footer, 0)
    _, at = read_varint(footer, at)
    start, at = read_varint(footer, at)
    size, _ = read_varint(footer, at)
    for _, handle in _block_entries(_block(data, start, size)):
        start, at = read_varint(handle, 0)
        size, _ = read_varint(handle, at)
        yield from _block_entries(_block(data, start, size))


def _block(data: bytes, start: int, size: int) -> bytes:
    """A block whose checksum holds."""
    end = start + size
    if end + _TRAILER.size > len(data):
        raise ValueError("a block lies beyond its end (truncated)")
    kind, checksum = _TRAILER.unpack_from(data, end)
    if masked_crc32c(data[start : end + 1]) != checksum:
        raise ValueError(f"the checksum of the block at byte {start} does not hold")
    content = data[start:end]
    if kind == _SNAPPY:
        return _core.snappy_expand(bytes(content))
    if kind != _PLAIN:
        raise ValueError(f"unknown compression {kind}")
    return content


def _block_entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    (restarts,) = struct.unpack_from("<I", block, len(block) - 4)
    end = len(block) - 4 - 4 * restarts
    if end < 0:
        raise ValueError("a block counts more restarts than it has bytes")
    at, key = 0, b""
    while at < end:
        shared, at = read_varint(block, at)
        rest, at = read_varint(block, at)
        size, at = read_varint(block, at)
        if shared > len(key) or at + rest + size > end:
            raise ValueError("an entry reaches beyond its block")
        key = key[:shared] + block[at : at + rest]
        at += rest
        yield key, block[at : at + size]
        at += size
