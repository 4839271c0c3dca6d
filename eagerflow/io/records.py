"""Files of records (TFRecord): each record with its length, both under checksums.

The format: a length (64 bits, little endian), its masked CRC-32C, the bytes, their masked CRC-32C.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from eagerflow import _core, errors
from eagerflow.io.os_errors import from_os_error, path_text, translated
from eagerflow.typing import FilePath
from eagerflow.util.expansion import expanded_at_most, inflater
from eagerflow.util.regular import open_regular

_HEADER = struct.Struct("<QI")
_CHECKSUM = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
_PIECE = 1 << 20
_NUMBERED = {0: "", 1: "ZLIB", 2: "GZIP"}  # as version 1 has them
_NOT_RECORDS = " (Is this even a TFRecord file?)"


def masked_crc32c(data: bytes | bytearray) -> int:
    """The checksum in the form that files hold: rotated, so that it can itself be summed."""
    return masked(_core.crc32c(data))


def masked(crc: int) -> int:
    """A checksum in that form."""
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def unmasked(crc: int) -> int:
    """The checksum that `masked_crc32c` changed."""
    crc = (crc - 0xA282EAD8) & 0xFFFFFFFF
    return ((crc >> 17) | (crc << 15)) & 0xFFFFFFFF


def framed(record: Any) -> bytes:
    """A record as files hold it."""
    length = _LENGTH.pack(len(record))
    return b"".join(
        (
            length,
            _CHECKSUM.pack(masked_crc32c(length)),
            record,
            _CHECKSUM.pack(masked_crc32c(record)),
        )
    )


def compression_name(kind: object) -> str:
    """A compression's name: "", "GZIP" or "ZLIB".

    Raises:
        ValueError: if it is another one.
    """
    if isinstance(kind, bytes):
        kind = kind.decode()
    if kind is None or kind == "NONE":
        return ""
    if isinstance(kind, int):
        kind = _NUMBERED.get(kind, kind)
    if kind not in ("", "GZIP", "ZLIB"):
        raise ValueError(f'compression_type must be "", "GZIP" or "ZLIB", got {kind!r}.')
    return kind


class _Inflating(io.RawIOBase):
    """Decompresses a GZIP or ZLIB file as far as it is read; GZIP members may follow each other."""

    def __init__(self, source: BinaryIO, kind: str, path: str, most: int | None) -> None:
        self._source = source
        self._kind = kind
        self._path = path
        self._most = most
        self._taken = self._given = 0  # bytes of the file, and bytes decompressed
        self._inflate = inflater(kind)
        self._pending = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._inflate.eof:
                rest = self._inflate.unused_data or self._pending
                self._pending = b""
                if not rest:
                    rest = self._source.read(_PIECE)
                if not rest:
                    return 0
                self._inflate = inflater(self._kind)
                self._pending = rest
            if not self._pending:
                self._pending = self._source.read(_PIECE)
                if not self._pending:
                    return 0
            try:
                data = self._inflate.decompress(self._pending, len(buffer))
            except zlib.error as error:
                raise errors.DataLossError._of(
                    f"{self._path}: {self._kind} data is corrupt: {error}"
                ) from None
            before, self._pending = len(self._pending), self._inflate.unconsumed_tail
            self._taken += before - len(self._pending)
            if data:
                self._given += len(data)
                most = expanded_at_most(self._taken, self._most)
                if self._given > most:
                    raise errors.ResourceExhaustedError._of(
                        f"{self._path}: {self._taken} bytes of {self._kind} data expand to more than "
                        f"{most} bytes; pass `max_expanded_bytes` if you trust the file"
                    )
                buffer[: len(data)] = data
                return len(data)

    def close(self) -> None:
        self._source.close()
        super().close()


def open_for_reading(
    path: FilePath,
    compression: str = "",
    buffer_size: int = _PIECE,
    max_expanded_bytes: int | None = None,
) -> BinaryIO:
    """A file's bytes, decompressed, as a buffered binary file.

    Args:
        path: the file.
        compression: "", "GZIP" or "ZLIB".
        buffer_size: how many bytes to read at once.
        max_expanded_bytes: how many bytes a compressed file may expand to; by default 128 MiB and 200
            times the bytes read.

    Raises:
        tf.errors.OpError: of the kind that fits, if the file cannot be opened; later, if it expands to
            more.
    """
    path = path_text(path)
    kind = compression_name(compression)
    size = max(int(buffer_size), 1 << 12)
    with translated(path):
        file = open_regular(path, size)
    if not kind:
        return file
    return io.BufferedReader(_Inflating(file, kind, path, max_expanded_bytes), size)


def read_claimed(file: BinaryIO, size: int) -> bytes:
    """Reads up to the declared number of bytes; memory grows with the actual number."""
    if size <= _PIECE:
        return file.read(size)
    pieces = []
    while size > 0:
        piece = file.read(min(size, _PIECE * 16))
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def read_record(file: BinaryIO, path: str, offset: int) -> bytes | None:
    """The record at the position of the file; None at its end.

    Raises:
        tf.errors.DataLossError: if the record is cut short or a checksum is wrong.
    """
    header = file.read(_HEADER.size)
    if not header:
        return None
    if len(header) < _HEADER.size:
        raise errors.DataLossError._of(f"{path}: truncated record at {offset}")
    length, length_crc = _HEADER.unpack(header)
    if masked_crc32c(header[:8]) != length_crc:
        raise errors.DataLossError._of(
            f"{path}: corrupted record at {offset}{_NOT_RECORDS if not offset else ''}"
        )
    record = read_claimed(file, length)
    footer = file.read(_CHECKSUM.size)
    if len(record) < length or len(footer) < _CHECKSUM.size:
        raise errors.DataLossError._of(f"{path}: truncated record at {offset}")
    if masked_crc32c(record) != _CHECKSUM.unpack(footer)[0]:
        raise errors.DataLossError._of(f"{path}: corrupted record at {offset}")
    return record


def read_records(path: Any, compression: str = "", buffer_size: int = _PIECE) -> Iterator[bytes]:
    """The records of a file in order.

    Args:
        path: the file.
        compression: "", "GZIP" or "ZLIB".
        buffer_size: how many bytes to read at once.

    Raises:
        tf.errors.NotFoundError: if there is no such file.
        tf.errors.DataLossError: at a record that is cut short or whose checksum is wrong.
    """
    text = path_text(path)
    with open_for_reading(text, compression, buffer_size) as file:
        offset = 0
        while True:
            try:
                record = read_record(file, text, offset)
            except OSError as error:
                raise from_os_error(error, text) from error
            if record is None:
                return
            yield record
            offset += len(record) + _HEADER.size + _CHECKSUM.size


class RecordWriter:
    """Appends records to a new file.

    Args:
        path: the file, which is replaced if it exists.
        compression: "", "GZIP" or "ZLIB".
        level: the compression's level, -1 for its default.
        buffer_size: how many bytes to collect before they are written.
        window_bits: the compression's window, as in zlib; by default the largest.
        memory_level: the compression's memory, as in zlib.
        strategy: the compression's strategy, as in zlib.

    Raises:
        tf.errors.OpError: of the kind that fits, if the file cannot be written.
    """

    def __init__(
        self,
        path: Any,
        compression: str = "",
        level: int = -1,
        buffer_size: int = 1 << 16,
        window_bits: int = 15,
        memory_level: int = 8,
        strategy: int = 0,
    ) -> None:
        self._path = path_text(path)
        kind = compression_name(compression)
        self._deflate: Any = None
        if kind:
            window = abs(window_bits) & 15 or 15
            self._deflate = zlib.compressobj(
                level,
                zlib.DEFLATED,
                window + 16 if kind == "GZIP" else window,
                memory_level,
                strategy,
            )
        with translated(self._path):
            self._file: BinaryIO | None = open(self._path, "wb", buffering=max(buffer_size, 1))

    def _open_file(self) -> BinaryIO:
        if self._file is None:
            raise errors.FailedPreconditionError._of(
                f"{self._path}: the writer is closed; open a new one to write."
            )
        return self._file

    def write(self, record: Any) -> None:
        """Appends one record, bytes."""
        data = framed(record)
        file = self._open_file()
        with translated(self._path):
            file.write(self._deflate.compress(data) if self._deflate else data)

    def flush(self) -> None:
        """Hands everything written so far to the operating system."""
        file = self._open_file()
        with translated(self._path):
            if self._deflate:
                file.write(self._deflate.flush(zlib.Z_SYNC_FLUSH))
            file.flush()

    def close(self) -> None:
        """Writes the buffer; may be called again."""
        if self._file is None:
            return
        file, self._file = self._file, None
        with translated(self._path):
            try:
                if self._deflate:
                    file.write(self._deflate.flush(zlib.Z_FINISH))
            finally:
                file.close()

    def sync(self) -> None:
        """Like `flush`, and waits until the data are on the disk."""
        self.flush()
        with translated(self._path):
            os.fsync(self._open_file().fileno())

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()
