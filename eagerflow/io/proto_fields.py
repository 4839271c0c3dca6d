"""Fields of protocol buffer messages as tensors, and messages from tensors."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import context, dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.io.files import write_file
from eagerflow.io.os_errors import path_text, translated
from eagerflow.io.raw import strings_of, strings_tensor
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.protos.example import MESSAGES
from eagerflow.protos.schema import protobuf
from eagerflow.typing import FilePath, TensorLike
from eagerflow.util.regular import read_regular

Tensor = _core.Tensor

_SIGNED = (dtypes.int32, dtypes.int64)
_UNSIGNED = (dtypes.uint32, dtypes.uint64)
# The dtypes that fields may have in tensors, by the number of the field's type.
_DTYPES: dict[int, tuple] = {
    1: (dtypes.float64,),
    2: (dtypes.float32, dtypes.float64),
    3: (dtypes.int64,),
    4: (dtypes.uint64,),
    5: _SIGNED,
    6: (dtypes.uint64,),
    7: _UNSIGNED,
    8: (dtypes.bool,),
    9: (dtypes.string,),
    10: (dtypes.string,),
    11: (dtypes.string,),
    12: (dtypes.string,),
    13: _UNSIGNED,
    14: (dtypes.int32,),
    15: _SIGNED,
    16: (dtypes.int64,),
    17: _SIGNED,
    18: (dtypes.int64,),
}
_MESSAGES = (10, 11)


def _invalid(message: str, op: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError._of(f"{message} [Op:{op}]")


@functools.lru_cache(maxsize=64)
def _message_class(message_type: str, source: bytes) -> Any:
    """The class of a message that descriptors in `source` declare; None if they do not."""
    descriptor_pool = protobuf("descriptor_pool")
    if source:
        files = protobuf("descriptor_pb2").FileDescriptorSet.FromString(source)
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)
    else:
        pool = descriptor_pool.Default()
    try:
        return protobuf("message_factory").GetMessageClass(pool.FindMessageTypeByName(message_type))
    except KeyError:
        return None


def _class_of(message_type: str, descriptor_source: Any, op: str) -> Any:
    source = descriptor_source
    message_class = None
    if source in ("", "local://", b"", b"local://"):
        package, _, name = message_type.partition(".")
        if package == "tensorflow" and name in ("Example", "SequenceExample", "Features"):
            return MESSAGES[name]
        message_class = _message_class(message_type, b"")
    else:
        raw = os.fsencode(source) if not isinstance(source, bytes) else source
        try:
            if raw.startswith(b"bytes://"):
                message_class = _message_class(message_type, raw[len(b"bytes://") :])
            else:
                path = path_text(raw)
                with translated(path):
                    message_class = _message_class(message_type, read_regular(path))
        except Exception as error:  # of files, and of the parser, which has its own
            raise _invalid(
                "Source does not represent serialized file descriptor set proto: "
                f"{descriptor_source!r}: {error}",
                op,
            ) from None
    if message_class is None:
        raise _invalid(f"No descriptor found for message type {message_type}", op)
    return message_class


def _fields(
    message: Any, message_type: str, names: Sequence[str], kinds: Sequence[Any], op: str
) -> list[Any]:
    """The descriptors of fields, checked against the dtypes of their tensors."""
    fields = []
    for name, dtype in zip(names, kinds, strict=True):
        field = message.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise _invalid(f"Unknown field: {name} in message type {message_type}", op)
        if dtype not in _DTYPES[field.type]:
            raise _invalid(
                f"Incompatible type for field {message_type}.{name}: it cannot be {dtype.name}", op
            )
        fields.append(field)
    return fields


def _repeated(field: Any) -> bool:
    repeated = getattr(field, "is_repeated", None)
    return field.label == 3 if repeated is None else bool(repeated)


def _items(message: Any, field: Any) -> tuple[list[Any], Any]:
    """The values of a field, and the default of missing values."""
    if _repeated(field):
        items = list(getattr(message, field.name))
    elif field.has_presence:
        items = [getattr(message, field.name)] if message.HasField(field.name) else []
    else:
        value = getattr(message, field.name)
        items = [value] if value != field.default_value else []
    if field.type in _MESSAGES:
        return [item.SerializePartialToString() for item in items], b""
    fallback: Any = b"" if field.type in (9, 12) else 0
    if not _repeated(field):
        fallback = field.default_value
    if field.type == 9:
        encoded = [item.encode() for item in items]
        return encoded, fallback.encode() if isinstance(fallback, str) else fallback
    return items, fallback


@composed_op(
    "DecodeProtoV2", bytes=Input("string"), output_types=list[DType], descriptor_source=str
)
def decode_proto(
    bytes: TensorLike,
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[object],
    descriptor_source: Any = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> tuple[Tensor, list[Tensor]]:
    """Fields of messages as tensors.

    Args:
        bytes: strings, each a message.
        message_type: the full name of the messages' type.
        field_names: the fields to decode.
        output_types: their dtypes; a message in a field becomes a string.
        descriptor_source: a file with a FileDescriptorSet, `b"bytes://..."` followed by one, or
            "local://" for the types that the program has loaded.
        message_format: "binary" or "text".

    Returns:
        `(sizes, values)`: how many values each message has of each field, int32
        `[..., fields]`, and for each field a tensor `[..., most]`, filled up with its default.

    Raises:
        tf.errors.InvalidArgumentError: if types or fields are unknown, or dtypes do not fit.
        tf.errors.DataLossError: if a message cannot be parsed.

    >>> example = tf.train.Example().SerializeToString()
    >>> sizes, _ = tf.io.decode_proto([example], "tensorflow.Example", ["features"], [tf.string])
    >>> sizes.numpy()
    array([[0]], dtype=int32)
    """
    text_format = protobuf("text_format")
    op = "DecodeProtoV2"
    names = list(field_names)
    kinds = [dtypes.as_dtype(kind) for kind in output_types]
    if len(names) != len(kinds):
        raise _invalid("field_names and output_types attributes must have the same length", op)
    if message_format not in ("binary", "text"):
        raise _invalid("format must be one of binary or text", op)
    kind = _class_of(message_type, descriptor_source, op)
    fields = _fields(kind, message_type, names, kinds, op)
    strings, shape = strings_of(bytes, op)
    sizes = np.zeros((len(strings), len(fields)), np.int32)
    columns: list[list[list[Any]]] = [[] for _ in fields]
    fallbacks: list[Any] = [0] * len(fields)
    for row, data in enumerate(strings):
        try:
            if message_format == "text":
                message = text_format.Parse(data, kind())
            else:
                message = kind.FromString(data)
        except (
            protobuf("message").DecodeError,
            text_format.ParseError,
            UnicodeDecodeError,
        ) as error:
            raise errors.DataLossError._of(
                f"Unable to parse message {row}: {error} [Op:{op}]"
            ) from None
        for k, field in enumerate(fields):
            items, fallbacks[k] = _items(message, field)
            sizes[row, k] = len(items)
            columns[k].append(items)
    values = []
    for k, (column, dtype) in enumerate(zip(columns, kinds, strict=True)):
        width = int(sizes[:, k].max(initial=0))
        width = max(width, 0 if _repeated(fields[k]) else 1) if strings else 0
        array: np.ndarray = np.full(
            (len(strings), width),
            fallbacks[k],
            object if dtype is dtypes.string else dtype.as_numpy_dtype,
        )
        for row, items in enumerate(column):
            array[row, : len(items)] = items
        if dtype is dtypes.string:
            values.append(strings_tensor(list(array.reshape(-1)), (*shape, width)))
        else:
            values.append(_core.convert(array.reshape(*shape, width), dtype, None))
    return _core.convert(sizes.reshape(*shape, len(fields)), dtypes.int32, None), values


@composed_op("EncodeProto", sizes=Input("int32"), descriptor_source=str)
def encode_proto(
    sizes: TensorLike,
    values: Sequence[TensorLike],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: Any = "local://",
    name: str | None = None,
) -> Tensor:
    """Messages from tensors that hold their fields.

    Args:
        sizes: int32 `[..., fields]`, how many values each message has of each field.
        values: for each field a tensor `[..., n]`.
        field_names: the fields.
        message_type: the full name of the messages' type.
        descriptor_source: as in `tf.io.decode_proto`.

    Returns:
        Strings `[...]`.

    Raises:
        tf.errors.InvalidArgumentError: if types or fields are unknown, or shapes or dtypes do not
            fit.

    >>> tf.io.encode_proto([[0]], [tf.constant([[""]])], ["features"], "tensorflow.Example")
    <tf.Tensor: shape=(1,), dtype=string, numpy=array([b''], dtype=object)>
    """
    DecodeError = protobuf("message").DecodeError
    op = "EncodeProto"
    counts = _core.convert(sizes, dtypes.int32, None).numpy()
    tensors = [_core.as_tensor(value) for value in values]
    names = list(field_names)
    if len(names) != len(tensors) or counts.ndim < 1 or counts.shape[-1] != len(names):
        raise _invalid(
            f"There are {len(names)} field names, {len(tensors)} values and sizes of shape "
            f"{list(counts.shape)}",
            op,
        )
    shape = counts.shape[:-1]
    kind = _class_of(message_type, descriptor_source, op)
    fields = _fields(kind, message_type, names, [tensor.dtype for tensor in tensors], op)
    for tensor in tensors:
        if tensor._shape_tuple()[:-1] != shape:
            raise _invalid(
                f"Values must have the shape {list(shape)} of sizes with one more axis, got "
                f"{tensor.shape}",
                op,
            )
    rows = int(np.prod(shape))
    arrays = [tensor.numpy().reshape(rows, -1) for tensor in tensors]
    counts = counts.reshape(rows, len(names))
    results = []
    for row in range(rows):
        parts = []
        for k in sorted(range(len(fields)), key=lambda k: fields[k].number):
            field, have = fields[k], arrays[k].shape[1]
            if not 0 <= counts[row, k] <= have:
                raise _invalid(
                    f"Size to write must not be larger than value tensor; but saw: "
                    f"{counts[row, k]} > {have} at message {row} field {k}",
                    op,
                )
            items = arrays[k][row, : counts[row, k]].tolist()
            try:
                parts.append(_encoded(kind, field, items))
            except (DecodeError, ValueError, TypeError, UnicodeDecodeError) as error:
                raise _invalid(f"Field {field.name} of message {row}: {error}", op) from None
        results.append(b"".join(parts))
    return strings_tensor(results, shape)


def _encoded(kind: Any, field: Any, items: list[Any]) -> bytes:
    """A message with one field; repeats a field that is not declared as repeated."""
    if field.type == 9:
        items = [item.decode() for item in items]
    if _repeated(field):
        message = kind()
        target = getattr(message, field.name)
        if field.type in _MESSAGES:
            for item in items:
                target.add().MergeFromString(item)
        else:
            target.extend(items)
        return message.SerializePartialToString()
    parts = []
    for item in items:
        message = kind()
        if field.type in _MESSAGES:
            target = getattr(message, field.name)
            target.SetInParent()
            target.MergeFromString(item)
        else:
            setattr(message, field.name, item)
        parts.append(message.SerializePartialToString())
    return b"".join(parts)


def write_graph(graph_or_graph_def: Any, logdir: FilePath, name: str, as_text: bool = True) -> str:
    """Writes a graph's message to a file.

    Args:
        graph_or_graph_def: a protocol buffer message, or an object with a method `as_graph_def`.
        logdir: the folder, which is made if it is missing.
        name: the file's name.
        as_text: whether to write text instead of the binary form.

    Returns:
        The path of the file.

    >>> import tempfile
    >>> path = tf.io.write_graph(tf.train.Example(), tempfile.mkdtemp(), "example.pbtxt")
    >>> path.endswith("/example.pbtxt")
    True
    """
    message = graph_or_graph_def
    if hasattr(message, "as_graph_def"):
        message = message.as_graph_def()
    path = os.path.join(path_text(logdir), path_text(name))
    text = protobuf("text_format").MessageToString(message) if as_text else None
    # The file is written now, also while a graph is being built.
    with context.running_eagerly():
        write_file(path, message.SerializeToString() if text is None else text)
    return path
