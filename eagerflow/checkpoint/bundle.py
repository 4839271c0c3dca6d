"""Bundles: files of named tensors, an index beside the data, with checksums of everything."""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

import numpy as np

from eagerflow import _core, errors
from eagerflow import dtype as dtypes
from eagerflow.checkpoint.table import read_table, read_varint, table_bytes, varint
from eagerflow.io.os_errors import from_os_error, path_text, translated
from eagerflow.io.records import masked, masked_crc32c
from eagerflow.io.replacing import new_file_mode

_VERSION = 1
_MAX_RANK = 254


def _messages() -> Any:
    from eagerflow.protos.checkpoint import MESSAGES

    return MESSAGES


def data_path(prefix: str, shard: int, shards: int) -> str:
    """The file of one shard's tensors."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def index_path(prefix: str) -> str:
    """The file that says where each tensor is."""
    return f"{prefix}.index"


def _plain_lengths(lengths: Iterable[int]) -> bytes:
    """Lengths as plain numbers: their checksum is of these, not of their compact form."""
    return b"".join(struct.pack("<I" if n < 1 << 32 else "<Q", n) for n in lengths)


def _string_content(values: list[bytes]) -> tuple[bytes, int]:
    """Strings as files hold them: lengths, their checksum, bytes; and the checksum of all."""
    lengths = b"".join(varint(len(value)) for value in values)
    crc = _core.crc32c(_plain_lengths(map(len, values)))
    check = struct.pack("<I", masked(crc))
    content = b"".join(values)
    crc = _core.crc32c(content, _core.crc32c(check, crc))
    return lengths + check + content, masked(crc)


def _read_strings(data: Any, count: int, checksum: int) -> list[bytes]:
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


def write_bundle(prefix: Any, tensors: Mapping[str, Any]) -> None:
    """Writes named tensors as `PREFIX.index` and one data file.

    Nothing that was there is touched before the new files are complete: the renaming of the index
    makes them the valid ones. Where a bundle of that name exists, the new data go into a file of
    another name, and the old one is removed at the end.

    Args:
        prefix: the path of both files, without their endings.
        tensors: by name; tensors or arrays.

    Raises:
        tf.errors.OpError: of the kind that fits, if a file cannot be written.
    """
    prefix = path_text(prefix)
    messages = _messages()
    folder = os.path.dirname(prefix) or "."
    with translated(folder):
        os.makedirs(folder, exist_ok=True)
    shards = 2 if os.path.exists(data_path(prefix, 0, 1)) else 1
    header = messages["BundleHeaderProto"](num_shards=shards)
    header.version.producer = _VERSION
    items = [(b"", header.SerializeToString())]
    final_data = data_path(prefix, 0, shards)
    temporary: list[str] = []
    try:
        with _new_file(prefix, temporary) as file:
            offset = 0
            for name in sorted(tensors, key=lambda text: text.encode()):
                entry, offset = _write_tensor(file, tensors[name], offset, messages)
                items.append((name.encode(), entry))
        with _new_file(prefix, temporary) as file:
            file.write(table_bytes(items))
        os.replace(temporary[0], final_data)
        os.replace(temporary[1], index_path(prefix))
    except OSError as error:
        raise from_os_error(error, prefix) from error
    finally:
        for path in temporary:
            with contextlib.suppress(OSError):
                os.unlink(path)
    _remove_other_data(prefix, final_data)


def _new_file(prefix: str, created: list[str]) -> BinaryIO:
    folder, name = os.path.split(prefix)
    handle, path = tempfile.mkstemp(prefix=f"{name}.tempstate", dir=folder or ".")
    created.append(path)
    os.fchmod(handle, new_file_mode())
    return os.fdopen(handle, "wb", buffering=1 << 16)


def _write_tensor(file: BinaryIO, value: Any, offset: int, messages: Any) -> tuple[bytes, int]:
    tensor = _core.convert(value)
    entry = messages["BundleEntryProto"](dtype=tensor.dtype.as_datatype_enum, offset=offset)
    entry.shape.SetInParent()
    for size in tensor._shape_tuple():
        entry.shape.dim.add(size=size)
    content: Any
    if tensor.dtype == dtypes.string:
        content, entry.crc32c = _string_content(np.asarray(tensor).reshape(-1).tolist())
    else:
        content = np.asarray(tensor).reshape(-1).view(np.uint8).data
        entry.crc32c = masked_crc32c(content)
    file.write(content)
    entry.size = len(content)
    return entry.SerializeToString(), offset + len(content)


def _remove_other_data(prefix: str, keep: str) -> None:
    folder, name = os.path.split(prefix)
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            if entry.name.startswith(f"{name}.data-") and entry.name != os.path.basename(keep):
                os.unlink(entry.path)


def remove_bundle(prefix: str) -> None:
    """Deletes a bundle's files, the index first; files that are not there are no error."""
    with contextlib.suppress(OSError):
        os.unlink(index_path(prefix))
    _remove_other_data(prefix, "")


class Entry:
    """What the index says of one tensor."""

    __slots__ = ("checksum", "dtype", "offset", "parts", "shape", "shard", "size")

    def __init__(self, message: Any) -> None:
        self.dtype = dtypes.as_dtype(message.dtype)
        self.shape = tuple(dim.size for dim in message.shape.dim)
        self.shard = message.shard_id
        self.offset = message.offset
        self.size = message.size
        self.checksum = message.crc32c
        self.parts = len(message.slices)
        if any(size < 0 for size in self.shape) or len(self.shape) > _MAX_RANK:
            raise ValueError(f"the shape {self.shape} is impossible")
        if self.offset < 0 or self.size < 0:
            raise ValueError("an offset or size is negative")


class BundleReader:
    """Reads tensors by name from a bundle.

    Args:
        prefix: the path of its files, without their endings.

    Raises:
        tf.errors.NotFoundError: if there is no such bundle.
        tf.errors.DataLossError: if its index is damaged.
    """

    def __init__(self, prefix: Any) -> None:
        self.prefix = path_text(prefix)
        path = index_path(self.prefix)
        if not os.path.exists(path):
            raise errors.NotFoundError(
                None,
                None,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
                f"{self.prefix}",
            )
        with translated(path), open(path, "rb") as file:
            items = read_table(file.read(), path)
        messages = _messages()
        from google.protobuf.message import DecodeError

        try:
            if not items or items[0][0] != b"":
                raise ValueError("it has no header")
            header = messages["BundleHeaderProto"].FromString(items[0][1])
            if header.endianness != 0:
                raise ValueError("its numbers are big-endian")
            if header.version.min_consumer > _VERSION:
                raise ValueError("it was written by a newer version")
            entry_class = messages["BundleEntryProto"]
            self.entries = {
                key.decode("utf-8", "replace"): Entry(entry_class.FromString(value))
                for key, value in items[1:]
            }
        except (DecodeError, ValueError, TypeError) as error:
            raise errors.DataLossError(
                None, None, f"The index {path} of a checkpoint is damaged: {error}"
            ) from error
        self._shards = max(1, header.num_shards)
        self._maps: dict[int, Any] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def names(self) -> list[str]:
        """The names of all tensors, sorted."""
        return list(self.entries)

    def read(self, name: str) -> Any:
        """The tensor of that name; its memory is its own.

        Raises:
            tf.errors.NotFoundError: if there is none.
            tf.errors.DataLossError: if its bytes are damaged.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise errors.NotFoundError(None, None, f"Key {name} not found in checkpoint")
        if entry.parts:
            raise errors.UnimplementedError(
                None, None, f"The tensor {name!r} was saved in {entry.parts} parts."
            )
        if entry.dtype in (dtypes.variant, dtypes.resource):
            raise errors.UnimplementedError(
                None, None, f"{name!r} holds {entry.dtype.name}s, which only TensorFlow can read."
            )
        try:
            return self._value(entry)
        except (ValueError, IndexError) as error:
            path = data_path(self.prefix, entry.shard, self._shards)
            raise errors.DataLossError(
                None, None, f"The tensor {name!r} in {path} is damaged: {error}"
            ) from error

    def _bytes(self, entry: Entry) -> memoryview:
        data = self._maps.get(entry.shard)
        if data is None:
            path = data_path(self.prefix, entry.shard, self._shards)
            with translated(path), open(path, "rb") as file:
                empty = os.fstat(file.fileno()).st_size == 0
                data = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._maps[entry.shard] = data
        if entry.offset + entry.size > len(data):
            raise ValueError(f"it should end at byte {entry.offset + entry.size} of {len(data)}")
        return memoryview(data)[entry.offset : entry.offset + entry.size]

    def _value(self, entry: Entry) -> Any:
        content = self._bytes(entry)
        count = 1
        for size in entry.shape:
            count *= size
        if entry.dtype == dtypes.string:
            if count > len(content):
                raise ValueError("it has fewer bytes than strings")
            values = np.empty(count, object)
            values[:] = _read_strings(content, count, entry.checksum)
            return _core.convert(values.reshape(entry.shape), dtypes.string)
        if count * entry.dtype.size != len(content):
            raise ValueError(f"{len(content)} bytes are not {entry.shape} of {entry.dtype.name}")
        if masked_crc32c(content) != entry.checksum:
            raise ValueError("the checksum does not hold")
        array: Any = np.frombuffer(content, entry.dtype.as_numpy_dtype)
        return _core.convert(array.reshape(entry.shape))
