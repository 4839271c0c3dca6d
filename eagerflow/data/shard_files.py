"""The files of saved datasets: records, compressed or not, in a folder for each shard."""

from __future__ import annotations

import os
import struct
import time
import uuid
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from eagerflow import _core, errors
from eagerflow.data.arguments import integer
from eagerflow.data.cursor import Cursor
from eagerflow.data.files import RecordCursor
from eagerflow.data.snappy_file import open_snappy
from eagerflow.data.stored_records import ElementDecoder, ElementEncoder
from eagerflow.data.stored_spec import decode_spec
from eagerflow.io.os_errors import from_os_error, make_folder, translated
from eagerflow.io.records import framed
from eagerflow.io.replacing import replaced
from eagerflow.protos.schema import protobuf
from eagerflow.protos.structure import MESSAGES
from eagerflow.typing import Structure
from eagerflow.util.regular import read_regular

SPEC_FILE, METADATA_FILE = "dataset_spec.pb", "snapshot.metadata"
_WINDOWS = {"GZIP": 31, "ZLIB": 15}
_BUFFER = 1 << 18
_LENGTH = struct.Struct(">I")


class ShardFile:
    """A file that records are appended to.

    Args:
        path: the file.
        compression: "GZIP", "ZLIB", "SNAPPY"; anything else means none.
        at: how many bytes of an existing file to keep; by default the file is new.
    """

    def __init__(self, path: str, compression: str, at: int = 0) -> None:
        self._path = path
        self._compression = compression
        self._deflate: Any = None
        self._collected = bytearray()
        with translated(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self._file: BinaryIO = open(path, "r+b" if at else "wb")
            self._file.truncate(at)
            self._file.seek(at)

    def write(self, record: bytes) -> None:
        """Appends a record."""
        data = framed(record)
        with translated(self._path):
            if self._compression == "SNAPPY":
                self._collected += data
                while len(self._collected) >= _BUFFER:
                    self._write_block()
                return
            if self._compression in _WINDOWS:
                if self._deflate is None:
                    window = _WINDOWS[self._compression]
                    self._deflate = zlib.compressobj(-1, zlib.DEFLATED, window)
                data = self._deflate.compress(data)
            self._file.write(data)

    def _write_block(self) -> None:
        # Readers do not accept larger blocks.
        block = _core.snappy_compress(bytes(self._collected[:_BUFFER]))
        self._file.write(_LENGTH.pack(len(block)))
        self._file.write(block)
        del self._collected[:_BUFFER]

    def sync(self) -> int:
        """Flushes everything to the file, so that reading and writing can resume; its size."""
        with translated(self._path):
            if self._collected:
                self._write_block()
            if self._deflate is not None:
                self._file.write(self._deflate.flush(zlib.Z_FINISH))
                self._deflate = None
            self._file.flush()
            return self._file.tell()

    def close(self) -> None:
        """Writes what is left and closes the file."""
        try:
            self.sync()
        finally:
            self._file.close()

    def discard(self) -> None:
        """Closes the file and removes it."""
        self._file.close()
        if os.path.exists(self._path):
            os.remove(self._path)


class Shards:
    """A directory that elements are written into; it is valid once it is complete.

    Args:
        directory: the directory.
        shard_func: returns the index of the file that an element goes into, or None.
        compression: see `ShardFile`.
        state: where a former run stopped, as `state` returned it.
    """

    def __init__(
        self,
        directory: str,
        shard_func: Callable[[Any], Any] | None,
        compression: str,
        state: Any = None,
    ) -> None:
        self._directory = directory
        self._shard = shard_func
        self._compression = compression
        self._encoder = ElementEncoder()
        self._files: dict[int, ShardFile] = {}
        self._count = 0
        self._run = str(uuid.uuid4().int >> 65)
        # Whether to keep the files although they are incomplete.
        self._kept = False
        make_folder(directory)
        if state is not None:
            self._run, self._count, self._kept = state["run"], state["count"], True
            for number, size in state["sizes"]:
                self._files[number] = ShardFile(self._path(number), compression, size)

    def add(self, element: Structure) -> None:
        """Appends an element to its shard."""
        number = 0 if self._shard is None else integer(self._shard(element), "shard_func")
        file = self._files.get(number)
        if file is None:
            if number < 0:
                raise errors.InvalidArgumentError._of(
                    f"`shard_func` must not return negative numbers, got {number}."
                )
            file = self._files[number] = ShardFile(self._path(number), self._compression)
        for record in self._encoder.records(element):
            file.write(record)
        self._count += 1

    def _path(self, number: int) -> str:
        folder = os.path.join(self._directory, self._run, f"{number:08d}.shard")
        return os.path.join(folder, "00000000.snapshot")

    def state(self) -> object:
        """The position of writing; from here on the files are kept."""
        self._kept = True
        sizes = [[number, file.sync()] for number, file in self._files.items()]
        return {"run": self._run, "count": self._count, "sizes": sizes}

    def complete(self, spec: Structure) -> None:
        """Closes the files and makes the directory a saved dataset.

        Args:
            spec: the encoded specs of the elements.
        """
        for file in self._files.values():
            file.close()
        self._files = {}
        record = MESSAGES["SnapshotMetadataRecord"](
            run_id=self._run,
            creation_timestamp=int(time.time() * 1e6),
            version=2,
            num_elements=self._count,
            finalized=True,
        )
        self._replace(SPEC_FILE, spec)
        self._replace(METADATA_FILE, record.SerializeToString())

    def _replace(self, name: str, content: bytes) -> None:
        path = os.path.join(self._directory, name)
        with replaced(path) as temporary, translated(path), open(temporary, "wb") as file:
            file.write(content)

    def abandon(self) -> None:
        """Removes the written files, unless they are complete or to be resumed."""
        files, self._files = self._files, {}
        for file in files.values():
            if self._kept:
                file.close()
            else:
                file.discard()
        if files and not self._kept:
            run = os.path.join(self._directory, self._run)
            for folder in os.listdir(run):
                os.rmdir(os.path.join(run, folder))
            os.rmdir(run)


class SavedDirectory:
    """The contents of a complete directory.

    Args:
        path: the directory.

    Raises:
        tf.errors.NotFoundError: if it holds no saved dataset.
        tf.errors.DataLossError: if its description is damaged.
    """

    def __init__(self, path: str) -> None:
        DecodeError = protobuf("message").DecodeError
        try:
            record = MESSAGES["SnapshotMetadataRecord"].FromString(_content(path, METADATA_FILE))
        except DecodeError as error:
            raise errors.DataLossError._of(
                f"{os.path.join(path, METADATA_FILE)} is damaged: {error}"
            ) from error
        if not record.finalized:
            raise errors.NotFoundError._of(
                f"The dataset in {path} has not been written to its end."
            )
        self.count = record.num_elements
        run = os.path.join(path, record.run_id)
        self.shards: list[list[str]] = []
        if os.path.isdir(run):
            for folder in sorted(os.listdir(run)):
                if folder.endswith(".shard"):
                    shard_folder = os.path.join(run, folder)
                    names = [n for n in sorted(os.listdir(shard_folder)) if n.endswith(".snapshot")]
                    self.shards.append([os.path.join(shard_folder, name) for name in names])


def is_complete(path: str) -> bool:
    """Whether a directory holds a complete dataset."""
    try:
        SavedDirectory(path)
    except errors.NotFoundError:
        return False
    return True


def read_spec(path: str) -> Any:
    """The specs of a saved dataset's elements.

    Raises:
        tf.errors.NotFoundError: if there is none.
    """
    return decode_spec(_content(path, SPEC_FILE))


def _content(directory: str, name: str) -> bytes:
    path = os.path.join(directory, name)
    try:
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise errors.NotFoundError._of(
            f"There is no saved dataset in {directory}: {path} not found."
        ) from error
    except OSError as error:
        raise from_os_error(error, path) from error


class ShardRecords(RecordCursor):
    """The records of a shard's file, whose last one must be complete."""

    __slots__ = ()

    def _opened(self) -> BinaryIO:
        if self._compression != "SNAPPY":
            return super()._opened()
        return open_snappy(self._path)

    def _record(self, file: BinaryIO) -> bytes:
        try:
            return super()._record(file)
        except StopIteration:
            if self._buffer[self._place :]:
                raise self._damaged("truncated") from None
            raise

    def _element(self, record: bytes) -> bytes:
        return record


class ShardCursor(Cursor):
    """The elements of a shard, in one file or several."""

    __slots__ = ("_at", "_compression", "_decoder", "_paths", "_place", "_records", "_spec")

    def __init__(self, paths: list[str], spec: Any, compression: str) -> None:
        self._paths = paths
        self._spec = spec
        self._compression = compression
        self._place = 0
        self._at = 0
        self._records: Iterator[bytes] | None = None
        self._decoder: ElementDecoder | None = None

    def __next__(self) -> Structure:
        while self._place < len(self._paths):
            if self._records is None or self._decoder is None:
                path = self._paths[self._place]
                kind = self._compression if self._compression in (*_WINDOWS, "SNAPPY") else ""
                self._records = ShardRecords(path, kind, _BUFFER)
                self._decoder = ElementDecoder(self._spec, path)
            try:
                element = self._decoder.element(self._records)
            except StopIteration:
                self._place += 1
                self._at = 0
                self._records = None
                continue
            self._at += 1
            return element
        raise StopIteration

    def state(self) -> Any:
        return [self._place, self._at]

    def restore(self, state: Any) -> None:
        self._place, at = state
        self.skip(at)
