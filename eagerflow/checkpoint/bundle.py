"""Bundles: files of named tensors, with an index file, a data file and checksums of everything."""

from __future__ import annotations

import contextlib
import math
import os
import struct
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.checkpoint.table import read_table, table_bytes
from eagerflow.framework import dtypes
from eagerflow.framework.tensor import items
from eagerflow.io.os_errors import from_os_error, make_folder, path_text, translated
from eagerflow.io.records import masked
from eagerflow.io.replacing import beside
from eagerflow.protos.checkpoint import MESSAGES
from eagerflow.util.descriptors import AT_ONCE, OWN
from eagerflow.util.regular import check_regular, read_regular
from eagerflow.util.varints import read_varint, varints

_VERSION = 1
_MAX_RANK = 254


def data_path(prefix: str, shard: int, shards: int) -> str:
    """The file of one shard's tensors."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def index_path(prefix: str) -> str:
    """The file with the offset of each tensor."""
    return f"{prefix}.index"


def _plain_lengths(lengths: Iterable[int]) -> bytes:
    """Lengths as plain integers: the checksum covers these, not their compact form."""
    return b"".join([struct.pack("<I" if n < 1 << 32 else "<Q", n) for n in lengths])


def _string_content(values: list[bytes]) -> tuple[bytes, int]:
    """Strings as files hold them: lengths, their checksum, bytes; and the checksum of all."""
    lengths = varints(*map(len, values))
    crc = _core.crc32c(_plain_lengths(map(len, values)))
    check = struct.pack("<I", masked(crc))
    content = b"".join(values)
    crc = _core.crc32c(content, _core.crc32c(check, crc))
    return lengths + check + content, masked(crc)


def _read_strings(data: memoryview[int], count: int, checksum: int) -> list[bytes]:
    lengths, at = [], 0
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths.append(length)
    crc = _core.crc32c(_plain_lengths(lengths))
    check = bytes(data[at : at + 4])
    if len(check) < 4 or struct.unpack("<I", check)[0] != masked(crc):
        raise ValueError("the checksum of the lengths does not hold")
    at += 4
    if at + sum(lengths) != len(data):
        raise ValueError("the lengths do not add up to its size")
    if masked(_core.crc32c(bytes(data[at:]), _core.crc32c(check, crc))) != checksum:
        raise ValueError("the checksum does not hold")
    values = []
    for length in lengths:
        values.append(bytes(data[at : at + length]))
        at += length
    return values


def write_bundle(prefix: str, tensors: Mapping[str, _core.Tensor]) -> None:
    """Writes named tensors as `PREFIX.index` and one data file.

    An existing bundle stays valid until the new files are complete: renaming the index switches to
    them. The new data file has another name than that of the existing bundle, which is removed at
    the end.

    Args:
        prefix: the path of both files, without their endings.
        tensors: by name; tensors or arrays.

    Raises:
        tf.errors.OpError: of the kind that fits, if a file cannot be written.
    """
    prefix = path_text(prefix)
    folder = os.path.dirname(prefix) or "."
    make_folder(folder)
    shards = _free_shards(prefix)
    header = MESSAGES["BundleHeaderProto"](num_shards=shards)
    header.version.producer = _VERSION
    final_data = data_path(prefix, 0, shards)
    with translated(prefix), beside(prefix) as own:
        new_data, new_index = os.path.join(own, "data"), os.path.join(own, "index")
        with _NewFile(new_data) as file:
            entries = _write_tensors(file, tensors)
        entries[b""] = header.SerializeToString()
        with _NewFile(new_index) as file:
            file.write(table_bytes(sorted(entries.items())))
        os.replace(new_data, final_data)
        os.replace(new_index, index_path(prefix))
    _remove_other_data(prefix, final_data)


def _free_shards(prefix: str) -> int:
    """The number of shards, one or two, whose data file the existing bundle does not use."""
    one, two = os.path.exists(data_path(prefix, 0, 1)), os.path.exists(data_path(prefix, 0, 2))
    if one and two:
        # A killed save left both the old and the new data file.
        with contextlib.suppress(errors.OpError):
            return 2 if BundleReader(prefix)._shards == 1 else 1
    return 2 if one else 1


class _NewFile:
    """A file being written; small pieces are collected."""

    _COLLECTED = 1 << 20

    def __init__(self, path: str) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OWN, 0o666)
        self._pending = bytearray()
        self._written = 0

    def __enter__(self) -> _NewFile:
        return self

    def __exit__(self, kind: Any, *rest: object) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            os.close(self._handle)

    def tell(self) -> int:
        """Where the next piece will be."""
        return self._written + len(self._pending)

    def write(self, content: Any) -> int:
        """Appends bytes and returns their CRC-32C."""
        if len(content) < self._COLLECTED:
            self._pending += content
            if len(self._pending) >= self._COLLECTED:
                self._flush()
            return _core.crc32c(content)
        self._flush()
        crc = _core.write_checked(self._handle, self._written, content)
        self._written += len(content)
        return crc

    def _flush(self) -> None:
        if self._pending:
            _core.write_checked(self._handle, self._written, self._pending)
            self._written += len(self._pending)
            self._pending = bytearray()


def _write_tensors(file: _NewFile, tensors: Mapping[str, _core.Tensor]) -> dict[bytes, bytes]:
    """The index's entries by name; the tensors are in the file."""
    converted = [(name.encode(), _core.as_tensor(value)) for name, value in tensors.items()]
    # The widest dtypes first: without gaps, all lie at multiples of their size, as maps need it.
    converted.sort(key=lambda item: (-item[1].dtype.size, item[0]))
    entry_class = MESSAGES["BundleEntryProto"]
    entries = {}
    for name, tensor in converted:
        entry = entry_class(dtype=tensor.dtype.as_datatype_enum, offset=file.tell())
        entry.shape.SetInParent()
        for size in tensor._shape_tuple():
            entry.shape.dim.add(size=size)
        content: Any
        if tensor.dtype is dtypes.string:
            content, entry.crc32c = _string_content(items(tensor))
            file.write(content)
        else:
            content = np.asarray(tensor).reshape(-1).view(np.uint8).data
            entry.crc32c = masked(file.write(content))
        entry.size = len(content)
        entries[name] = entry.SerializeToString()
    return entries


def _remove_other_data(prefix: str, keep: str) -> None:
    folder, name = os.path.split(prefix)
    kept = os.path.basename(keep)
    with contextlib.suppress(OSError):
        for other in os.listdir(folder or "."):
            if other.startswith(f"{name}.data-") and other != kept:
                os.unlink(os.path.join(folder, other))


def remove_bundle(prefix: str) -> None:
    """Deletes a bundle's files, the index first; missing files are not an error."""
    with contextlib.suppress(OSError):
        os.unlink(index_path(prefix))
    _remove_other_data(prefix, "")


class Entry:
    """The entry of one tensor in the index."""

    __slots__ = ("checksum", "dtype", "offset", "parts", "shape", "shard", "size")

    def __init__(self, message: Any) -> None:
        self.dtype = dtypes.as_dtype(message.dtype)
        self.shape = tuple(dim.size for dim in message.shape.dim)
        self.shard = message.shard_id
        self.offset = message.offset
        self.size = message.size
        self.checksum = message.crc32c
        # The begin and the length of the parts along each axis; a length of -1 is the full axis.
        self.parts = [
            [
                (extent.start, extent.length if extent.HasField("length") else -1)
                for extent in part.extent
            ]
            for part in message.slices
        ]
        if any(size < 0 for size in self.shape) or len(self.shape) > _MAX_RANK:
            raise ValueError(f"the shape {self.shape} is impossible")
        if self.offset < 0 or self.size < 0:
            raise ValueError("an offset or size is negative")


def part_key(name: str, extents: Sequence[tuple[int, int]]) -> bytes:
    """The key of a part of a tensor in the index, in TensorFlow's encoding that keeps the order.

    Args:
        name: the name of the tensor.
        extents: where the part begins and how long it is, along each axis.
    """
    text = name.encode().replace(b"\0", b"\0\xff")
    numbers = b"".join(_ordered(number) for extent in extents for number in extent)
    return b"\0" + text + b"\0\1" + b"\1" + bytes([len(extents)]) + numbers


def _ordered(number: int) -> bytes:
    """A signed integer as bytes that sort like the integers: leading bits hold the length."""
    size = (number if number >= 0 else ~number).bit_length() // 7 + 1
    lead = ((1 << size) - 1) << (8 * size - size)  # as many ones as there are bytes
    return ((number & ((1 << 8 * size) - 1)) ^ lead).to_bytes(size, "big")


class BundleReader:
    """Reads tensors by name from a bundle.

    Args:
        prefix: the path of its files, without their endings.

    Raises:
        tf.errors.NotFoundError: if there is no such bundle.
        tf.errors.DataLossError: if its index is damaged.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = path_text(prefix)
        path = index_path(self.prefix)
        if not os.path.exists(path):
            raise errors.NotFoundError._of(
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
                f"{self.prefix}"
            )
        with translated(path):
            items = read_table(read_regular(path), path)
        try:
            if not items or items[0][0] != b"":
                raise ValueError("it has no header")
            header = MESSAGES.reader("BundleHeaderProto")(items[0][1])
            if header.endianness != 0:
                raise ValueError("its numbers are big-endian")
            if header.version.min_consumer > _VERSION:
                raise ValueError("it was written by a newer version")
            read_entry = MESSAGES.reader("BundleEntryProto")
            self.entries: dict[str, Entry] = {}
            self._parts: dict[bytes, Entry] = {}  # of tensors that were saved in several
            for key, value in items[1:]:
                entry = Entry(read_entry(value))
                if key.startswith(b"\0"):
                    self._parts[key] = entry
                else:
                    self.entries[key.decode("utf-8", "replace")] = entry
        except (ValueError, TypeError) as error:
            raise errors.DataLossError._of(
                f"The index {path} of a checkpoint is damaged: {error}"
            ) from error
        self._shards = max(1, header.num_shards)
        self._files: dict[int, _DataFile] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def names(self) -> list[str]:
        """The names of all tensors, sorted."""
        return list(self.entries)

    def read(self, name: str) -> Any:
        """The tensor of that name.

        A large array in a file without write permission (`chmod a-w`) is mapped from the file, and
        read on use. Other arrays own their memory.

        Raises:
            tf.errors.NotFoundError: if there is none.
            tf.errors.DataLossError: if its bytes are damaged.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise errors.NotFoundError._of(f"Key {name} not found in checkpoint")
        if entry.parts:
            return self._joined(name, entry)
        if entry.dtype in (dtypes.variant, dtypes.resource):
            raise errors.UnimplementedError._of(
                f"{name!r} holds {entry.dtype.name}s, which only TensorFlow can read."
            )
        return self._read(name, entry)

    def _joined(self, name: str, entry: Entry) -> _core.Tensor:
        """A tensor that was saved in parts, as variables of version 1 are that a partitioner cuts."""
        keys = [part_key(name, extents) for extents in entry.parts]
        parts = [np.asarray(self._read(name, self._parts[k])) for k in keys if k in self._parts]
        problem = len(parts) < len(keys) or sum(p.size for p in parts) != math.prod(entry.shape)
        if not problem:
            # The parts have been read, so the file contains all the data that the shape requires.
            value = np.empty(entry.shape, entry.dtype.as_numpy_dtype)
            for part, extents in zip(parts, entry.parts, strict=True):
                slices = tuple(
                    slice(start, None if size < 0 else start + size) for start, size in extents
                )
                problem = len(slices) != value.ndim or value[slices].shape != part.shape
                if problem:
                    break
                value[slices] = part
        if problem:
            raise errors.DataLossError._of(
                f"The parts of the tensor {name!r} in {self.prefix} do not fit it."
            )
        return _core.convert(value, entry.dtype)

    def _read(self, name: str, entry: Entry) -> _core.Tensor:
        path = data_path(self.prefix, entry.shard, self._shards)
        try:
            return self._value(entry, path)
        except (ValueError, IndexError) as error:
            raise errors.DataLossError._of(
                f"The tensor {name!r} in {path} is damaged: {error}"
            ) from error
        except OSError as error:
            raise from_os_error(error, path) from error

    def close(self) -> None:
        """Closes the data files; `read` would open them again."""
        self._files.clear()

    def _value(self, entry: Entry, path: str) -> _core.Tensor:
        file = self._files.get(entry.shard)
        if file is None:
            file = self._files[entry.shard] = _open_data(path)
        end = entry.offset + entry.size
        if end > file.size:
            raise ValueError(f"it should end at byte {end} of {file.size}")
        count = math.prod(entry.shape)
        if entry.dtype == dtypes.string:
            if count > entry.size:
                raise ValueError("it has fewer bytes than strings")
            bytes_tensor, _ = _core.read_checked(
                file.handle, entry.offset, dtypes.uint8, (entry.size,)
            )
            content = np.asarray(bytes_tensor).data
            values = np.empty(count, object)
            values[:] = _read_strings(content, count, entry.checksum)
            return _core.convert(values.reshape(entry.shape), dtypes.string)
        if count * entry.dtype.size != entry.size:
            raise ValueError(f"{entry.size} bytes are not {entry.shape} of {entry.dtype.name}")
        tensor, crc = _core.read_checked(file.handle, entry.offset, entry.dtype, entry.shape)
        if masked(crc) != entry.checksum:
            raise ValueError("the checksum does not hold")
        return tensor


class _DataFile:
    """An open file with its size."""

    __slots__ = ("__weakref__", "handle", "size")

    def __init__(self, path: str) -> None:
        self.handle = -1
        self.handle = os.open(path, os.O_RDONLY | AT_ONCE | OWN)
        status = os.fstat(self.handle)
        check_regular(path, status.st_mode)
        self.size = status.st_size

    def __del__(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)


# Readers of one file share its descriptor: many objects may be restored later from one checkpoint.
_data_files: weakref.WeakValueDictionary[Any, _DataFile] = weakref.WeakValueDictionary()


def _open_data(path: str) -> _DataFile:
    status = os.stat(path)
    # A replaced file has another key.
    key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    file = _data_files.get(key)
    if file is None:
        file = _data_files[key] = _DataFile(path)
    return file
