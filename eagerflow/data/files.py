"""Datasets of the records of files: TFRecords, lines of text, records of a fixed length."""

from __future__ import annotations

import io
import os
import struct
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, BinaryIO

from eagerflow import _core, errors
from eagerflow.data.arguments import AUTOTUNE, UNKNOWN, integer, invalid
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset, DatasetSpec, UnaryDataset
from eagerflow.data.functions import HostFunction
from eagerflow.data.nested import FlatMapDataset, interleaved
from eagerflow.data.sources import TensorSliceDataset
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.io.os_errors import from_os_error, translated
from eagerflow.io.records import open_for_reading, read_claimed, unmasked
from eagerflow.typing import Structure, TensorLike

crc32c = _core.crc32c
_BUFFER = 1 << 18


def filenames_dataset(filenames: TensorLike | Dataset) -> Dataset:
    """A dataset of file names from a name, several, or a dataset of them.

    Raises:
        TypeError: if they are not strings.
    """
    if isinstance(filenames, Dataset):
        spec = filenames.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.string:
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements. Got a dataset of "
                f"{spec} elements."
            )
        if spec.shape.rank not in (0, None):
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. "
                f"scalars). Got a dataset of element shape {spec.shape}."
            )
        return filenames
    if isinstance(filenames, os.PathLike):
        filenames = os.fspath(filenames)
    elif isinstance(filenames, (list, tuple)):
        filenames = [os.fspath(n) if isinstance(n, os.PathLike) else n for n in filenames]
        if not filenames:
            return TensorSliceDataset(_core.ops.zeros([0], dtypes.string))
    names = _core.as_tensor(filenames)
    if names.dtype is not dtypes.string:
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements. Got "
            f"`{names.dtype!r}` elements."
        )
    return TensorSliceDataset(_core.ops.reshape(names, [-1]))


def path_of(name: Any) -> str:
    """A file's path from a tensor."""
    return os.fsdecode(name.numpy())


class FileCursor(Cursor):
    """The base of cursors over one file, which is opened at its first record."""

    __slots__ = ("_at", "_file", "_path")

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._at = 0

    @abstractmethod
    def _opened(self) -> BinaryIO:
        """The file, at its first record."""

    @abstractmethod
    def _record(self, file: BinaryIO) -> bytes:
        """The next record.

        Raises:
            StopIteration: at the end.
        """

    def _element(self, record: bytes) -> Structure:
        return _core.convert(record, dtypes.string, None)

    def __next__(self) -> Structure:
        file = self._file
        if file is None:
            file = self._file = self._opened()
        try:
            record = self._record(file)
        except OSError as error:
            raise from_os_error(error, self._path) from error
        except StopIteration:
            file.close()
            raise
        self._at += 1
        return self._element(record)

    def skip(self, count: int) -> None:
        for _ in range(count):
            if self._file is None:
                self._file = self._opened()
            try:
                self._record(self._file)
            except StopIteration:
                return
            self._at += 1

    def state(self) -> int:
        return self._at

    def restore(self, state: Any) -> None:
        self.skip(state)

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()


class OneFileDataset(Dataset):
    """The records of one file."""

    def __init__(self, make: Callable[[str], FileCursor], path: str) -> None:
        super().__init__()
        self._make = make
        self._path = path

    def _cursor(self, context: Context) -> Cursor:
        return self._make(self._path)

    def _make_spec(self) -> TensorSpec:
        return TensorSpec([], dtypes.string)

    def _count(self) -> int:
        return UNKNOWN


class ReaderDataset(UnaryDataset):
    """The records of several files, one file after the other or several at a time."""

    def __init__(self, filenames: Any, num_parallel_reads: Any) -> None:
        names = filenames_dataset(filenames)
        one_file = HostFunction(self._one_file, DatasetSpec(self._make_spec()))
        if num_parallel_reads is None:
            source: Dataset = FlatMapDataset(names, one_file)
        else:
            reads = integer(num_parallel_reads, "num_parallel_reads")
            if reads < 1 and reads != AUTOTUNE:
                raise invalid("num_parallel_reads must be greater than zero.")
            cycle = None if reads == AUTOTUNE else reads
            source = interleaved(names, one_file, cycle, 1, reads, None)
        super().__init__(source)
        self._filenames = names

    def _one_file(self, name: str) -> Dataset:
        return OneFileDataset(self._open, path_of(name))

    @abstractmethod
    def _open(self, path: str) -> FileCursor:
        """A cursor over the records of one file."""

    def _make_spec(self) -> TensorSpec:
        return TensorSpec([], dtypes.string)

    def _count(self) -> int:
        return UNKNOWN


def reader_options(compression_type: str | None, buffer_size: Any) -> tuple[str, int]:
    """The compression and the number of bytes to read at once."""
    if compression_type is not None and not isinstance(compression_type, (str, bytes)):
        compression_type = compression_type.numpy()
    if isinstance(compression_type, bytes):
        compression_type = compression_type.decode()
    kind = compression_type or ""
    if kind not in ("", "GZIP", "ZLIB"):
        raise invalid("Unsupported compression_type.")
    size = _BUFFER if buffer_size is None else integer(buffer_size, "buffer_size")
    if size < 0:
        raise invalid("`buffer_size` must be >= 0 (0 == default)")
    return kind, size or _BUFFER


class TFRecordDataset(ReaderDataset):
    """The records of TFRecord files, as scalar strings.

    Args:
        filenames: a file name, several, or a dataset of them.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: how many bytes to read at once.
        num_parallel_reads: how many files are read at the same time, by threads; their records come
            by turns then.
        max_expanded_bytes: how many bytes a compressed file may expand to; by default 128 MiB and 200
            times the bytes read.

    Raises:
        TypeError: if the names are not strings.
        tf.errors.NotFoundError: in the iteration, if there is no such file.
        tf.errors.DataLossError: in the iteration, if a record is damaged or truncated.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "records")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    _public_name = "TFRecordDatasetV2"

    def __init__(
        self,
        filenames: TensorLike,
        compression_type: Any = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
        *,
        max_expanded_bytes: int | None = None,
    ) -> None:
        self._most = max_expanded_bytes
        self._compression, self._buffer = reader_options(compression_type, buffer_size)
        super().__init__(filenames, num_parallel_reads)

    def _open(self, path: str) -> FileCursor:
        return RecordCursor(path, self._compression, self._buffer, self._most)


_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")


class RecordCursor(FileCursor):
    """Reads blocks of a file and splits them into records."""

    __slots__ = ("_buffer", "_compression", "_most", "_offset", "_place", "_size")

    def __init__(self, path: str, compression: str, size: int, most: int | None = None) -> None:
        super().__init__(path)
        self._most = most
        self._compression = compression
        self._size = size
        self._buffer: bytes = b""
        self._place = 0
        self._offset = 0

    def _opened(self) -> BinaryIO:
        return open_for_reading(self._path, self._compression, self._size, self._most)

    def _record(self, file: BinaryIO) -> bytes:
        buffer, position = self._buffer, self._place
        if len(buffer) - position < 12:
            buffer, position = self._more(file, 12), 0
            if len(buffer) < 12:
                # As in TensorFlow, a file may end within a record's head.
                raise StopIteration
        length, check = _HEADER.unpack_from(buffer, position)
        if crc32c(buffer[position : position + 8]) != unmasked(check):
            note = "" if self._offset else " (Is this even a TFRecord file?)"
            raise self._damaged("corrupted", note)
        start, end = position + 12, position + 12 + length
        if len(buffer) < end + 4:
            buffer, start, end = self._more(file, length + 16), 12, 12 + length
            if len(buffer) < end + 4:
                raise self._damaged("truncated")
        record = buffer[start:end]
        if crc32c(record) != unmasked(_FOOTER.unpack_from(buffer, end)[0]):
            raise self._damaged("corrupted")
        self._place = end + 4
        self._offset += length + 16
        return record

    def _more(self, file: BinaryIO, wanted: int) -> bytes:
        """The buffer from this offset on, with at least `wanted` bytes if the file has them."""
        pieces = [self._buffer[self._place :]]
        available = len(pieces[0])
        while available < wanted:
            # A damaged length must not allocate more memory than the file has bytes.
            piece = file.read(max(self._size, min(wanted - available, 1 << 24)))
            if not piece:
                break
            pieces.append(piece)
            available += len(piece)
        self._buffer, self._place = b"".join(pieces), 0
        return self._buffer

    def _damaged(self, how: str, note: str = "") -> errors.DataLossError:
        text = f"{self._path}: {how} record at {self._offset}{note}"
        # Records after a damaged one cannot be located.
        self._buffer, self._place = b"", 0
        if self._file is not None:
            self._file.close()
            self._file = io.BytesIO()
        return errors.DataLossError._of(text)


class TextLineDataset(ReaderDataset):
    """The lines of text files, as scalar strings without their ends.

    Args:
        filenames: a file name, several, or a dataset of them.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: how many bytes to read at once.
        num_parallel_reads: how many files are read at the same time, by threads; their lines come by
            turns then.
        max_expanded_bytes: how many bytes a compressed file may expand to; by default 128 MiB and 200
            times the bytes read.

    Raises:
        TypeError: if the names are not strings.
        tf.errors.NotFoundError: in the iteration, if there is no such file.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "lines.txt")
    >>> tf.io.write_file(path, "one\\ntwo")
    >>> list(tf.data.TextLineDataset(path).skip(1).as_numpy_iterator())
    [b'two']
    """

    _public_name = "TextLineDatasetV2"

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: TensorLike | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
        *,
        max_expanded_bytes: int | None = None,
    ) -> None:
        self._most = max_expanded_bytes
        self._compression, self._buffer = reader_options(compression_type, buffer_size)
        super().__init__(filenames, num_parallel_reads)

    def _open(self, path: str) -> FileCursor:
        return LineCursor(path, self._compression, self._buffer, self._most)


class LineCursor(FileCursor):
    """Reads lines."""

    __slots__ = ("_compression", "_most", "_size")

    def __init__(self, path: str, compression: str, size: int, most: int | None = None) -> None:
        super().__init__(path)
        self._most = most
        self._compression = compression
        self._size = size

    def _opened(self) -> BinaryIO:
        return open_for_reading(self._path, self._compression, self._size, self._most)

    def _record(self, file: BinaryIO) -> bytes:
        line = next(file)
        if line.endswith(b"\n"):
            return line[:-2] if line.endswith(b"\r\n") else line[:-1]
        return line.removesuffix(b"\r")


class FixedLengthRecordDataset(ReaderDataset):
    """The records of files in which all records have the same length, as scalar strings.

    Args:
        filenames: a file name, several, or a dataset of them.
        record_bytes: the length of a record.
        header_bytes: how many bytes to skip at the start of a file.
        footer_bytes: how many bytes to leave at its end.
        buffer_size: how many bytes to read at once.
        compression_type: "", "GZIP" or "ZLIB".
        num_parallel_reads: how many files are read at the same time, by threads.
        max_expanded_bytes: how many bytes a compressed file may expand to; by default 128 MiB and 200
            times the bytes read.

    Raises:
        TypeError: if the names are not strings.
        tf.errors.InvalidArgumentError: if a length is negative; in the iteration, if a file is not
            made of complete records.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> tf.io.write_file(path, "#aabbcc")
    >>> list(tf.data.FixedLengthRecordDataset(path, 2, header_bytes=1).as_numpy_iterator())
    [b'aa', b'bb', b'cc']
    """

    _public_name = "FixedLengthRecordDatasetV2"

    def __init__(
        self,
        filenames: TensorLike,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: TensorLike | None = None,
        compression_type: str | None = None,
        num_parallel_reads: TensorLike | None = None,
        name: str | None = None,
        *,
        max_expanded_bytes: int | None = None,
    ) -> None:
        self._most = max_expanded_bytes
        self._compression, self._buffer = reader_options(compression_type, buffer_size)
        self._length = integer(record_bytes, "record_bytes")
        self._header = integer(header_bytes or 0, "header_bytes")
        self._footer = integer(footer_bytes or 0, "footer_bytes")
        if self._length <= 0:
            raise invalid("`record_bytes` must be > 0")
        if self._header < 0:
            raise invalid("`header_bytes` must be >= 0")
        if self._footer < 0:
            raise invalid("`footer_bytes` must be >= 0")
        super().__init__(filenames, num_parallel_reads)

    def _open(self, path: str) -> FileCursor:
        return FixedLengthCursor(path, self)


class FixedLengthCursor(FileCursor):
    """Reads records, as many as fit between header and footer."""

    __slots__ = ("_ahead", "_left", "_owner")

    def __init__(self, path: str, owner: FixedLengthRecordDataset) -> None:
        super().__init__(path)
        self._owner = owner
        self._left = 0
        self._ahead = b""

    def _opened(self) -> BinaryIO:
        owner = self._owner
        file = open_for_reading(self._path, owner._compression, owner._buffer, owner._most)
        if not owner._compression:
            with translated(self._path):
                body = os.fstat(file.fileno()).st_size - owner._header - owner._footer
            if body < 0 or body % owner._length:
                file.close()
                raise invalid(
                    f"Excluding the header ({owner._header} bytes) and footer ({owner._footer} "
                    f'bytes), input file "{self._path}" has body length {body} bytes, which is not '
                    f"an exact multiple of the record length ({owner._length} bytes)."
                )
            self._left = body // owner._length
        read_claimed(file, owner._header)
        return file

    def _record(self, file: BinaryIO) -> bytes:
        owner = self._owner
        if not owner._compression:
            if not self._left:
                raise StopIteration
            self._left -= 1
            return file.read(owner._length)
        # The size of compressed files is unknown: the footer is read ahead.
        wanted = owner._length + owner._footer
        self._ahead += read_claimed(file, wanted - len(self._ahead))
        if len(self._ahead) < wanted:
            rest = len(self._ahead) - owner._footer
            if rest == 0:
                raise StopIteration
            raise invalid(
                f'Excluding the footer ({owner._footer} bytes), input file "{self._path}" ends with '
                f"{rest} bytes, which is not a complete record of {owner._length} bytes."
            )
        record, self._ahead = self._ahead[: owner._length], self._ahead[owner._length :]
        return record
