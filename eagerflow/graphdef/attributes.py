"""Attributes of nodes: AttrValue messages as Python values, and back."""

from __future__ import annotations

from typing import Any, NamedTuple

from eagerflow.framework import dtypes, shapes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.shapes import TensorShape
from eagerflow.io.serialization import fill_message, tensor_of_message
from eagerflow.protos.schema import protobuf


class FunctionName(NamedTuple):
    """A function of the library, as an attribute."""

    name: str


def shape_of(message: Any) -> TensorShape:
    """The shape in a TensorShapeProto.

    Raises:
        ValueError: if it has too many sizes, or sizes below -1.
    """
    if message.unknown_rank:
        return TensorShape(None)
    sizes = [dim.size for dim in message.dim]
    if len(sizes) > 254 or any(size < -1 for size in sizes):
        raise ValueError(f"the shape {sizes} is none")
    return TensorShape([None if size < 0 else size for size in sizes])


def dtype_of(number: int) -> DType:
    """The dtype of a DataType; those of references are the dtypes that they refer to."""
    return dtypes.as_dtype(number - 100 if number > 100 else number)


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def value_of(message: Any, kind: str) -> Any:
    """The value of an AttrValue of a kind such as `type` or `list(shape)`."""
    if kind.startswith("list("):
        kind, items = kind[5:-1], message.list
        field = {"int": "i", "float": "f", "bool": "b", "string": "s"}.get(kind, kind)
        return [_item(kind, item) for item in getattr(items, field)]
    field = {"int": "i", "float": "f", "bool": "b", "string": "s"}.get(kind, kind)
    return _item(kind, getattr(message, field))


def _item(kind: str, value: Any) -> Any:
    if kind == "string":
        return _text(value)
    if kind == "type":
        return dtype_of(value)
    if kind == "shape":
        return shape_of(value)
    if kind == "tensor":
        return tensor_of_message(value)
    if kind == "func":
        return FunctionName(value.name)
    return value


# The fields of numbers, which hold them as they are.
_FIELDS = {"int": "i", "float": "f", "bool": "b"}


def fill(message: Any, kind: str, value: Any) -> None:
    """Sets an AttrValue to a value of a kind."""
    field = _FIELDS.get(kind)
    if field is not None:
        setattr(message, field, value)
        return
    if kind == "type":
        dtype = value if isinstance(value, DType) else dtypes.as_dtype(value)
        message.type = dtype.as_datatype_enum
        return
    if kind == "string":
        message.s = value.encode() if isinstance(value, str) else value
        return
    if kind == "shape":
        shapes.fill_message(
            message.shape, value if type(value) is TensorShape else TensorShape(value)
        )
        return
    if kind == "tensor":
        fill_message(message.tensor, value)
        return
    if kind == "func":
        message.func.name = value.name
        return
    kind, items = kind[5:-1], message.list
    items.SetInParent()
    for item in value:
        if kind == "shape":
            shapes.fill_message(
                items.shape.add(), item if type(item) is TensorShape else TensorShape(item)
            )
        elif kind == "func":
            items.func.add(name=item.name)
        elif kind == "tensor":
            fill_message(items.tensor.add(), item)
        elif kind == "type":
            dtype = item if isinstance(item, DType) else dtypes.as_dtype(item)
            items.type.append(dtype.as_datatype_enum)
        elif kind == "string":
            items.s.append(item.encode() if isinstance(item, str) else item)
        else:
            getattr(items, _FIELDS[kind]).append(item)


# The kinds of plain values; booleans are integers, too.
_PLAIN: dict[str, Any] = {"bool": bool, "int": int, "float": float, "string": (str, bytes)}


def fill_as(message: Any, value: object) -> None:
    """Sets an AttrValue to a value of the kind that its type tells; nothing for values of others."""
    for kind, types in _PLAIN.items():
        if isinstance(value, types):
            fill(message, kind, value)
            return
    if isinstance(value, DType):
        fill(message, "type", value)
    elif isinstance(value, TensorShape):
        fill(message, "shape", value)
    elif isinstance(value, list):
        fill(message, "list(int)", [-1 if item is None else item for item in value])
    elif hasattr(value, "SerializeToString"):
        message.ParseFromString(value.SerializeToString())


def fill_name(message: Any, text: str) -> None:
    """Sets an AttrValue to the name of a function, or to the NameAttrList that a text is."""
    if ":" in text:
        text_format = protobuf("text_format")
        try:
            text_format.Parse(text, message.func)
            return
        except text_format.ParseError:
            message.Clear()
    message.s = text.encode()
