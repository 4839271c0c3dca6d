"""Arguments and results of saved functions: structures of specs and Python values as messages."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from eagerflow.framework import dtypes, shapes, type_spec
from eagerflow.framework.dtypes import DType
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.graphdef import attributes
from eagerflow.util import lazy

# Imported when they are first used: most signatures have tensors only.
stored_spec = lazy.Module("eagerflow.data.stored_spec")
structure = lazy.Module("eagerflow.data.structure")


def fill(message: Any, value: object) -> None:
    """Sets a StructuredValue.

    Raises:
        TypeError: if the value is nothing that it can hold.
    """
    if value is None:
        message.none_value.SetInParent()
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int):
        message.int64_value = value
    elif isinstance(value, float):
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, DType):
        message.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorShape):
        shapes.fill_message(message.tensor_shape_value, value)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        message.named_tuple_value.name = type(value).__name__
        for key, item in zip(value._fields, value, strict=True):
            fill(message.named_tuple_value.values.add(key=key).value, item)
    elif isinstance(value, list | tuple):
        kind = "list_value" if isinstance(value, list) else "tuple_value"
        items = getattr(message, kind)
        items.SetInParent()
        for item in value:
            fill(items.values.add(), item)
    elif isinstance(value, TensorSpec):
        type_spec.fill_message(message.tensor_spec_value, value)
    elif isinstance(value, TypeSpec):
        stored_spec.fill_value(message, value)
    elif isinstance(value, dict | Mapping):
        message.dict_value.SetInParent()
        for key, item in value.items():
            fill(message.dict_value.fields[str(key)], item)
    else:
        raise TypeError(f"{value!r} cannot be part of a saved function's signature.")


def read(message: Any, depth: int = 0) -> Any:
    """The value of a StructuredValue.

    Raises:
        ValueError: if it is nested too deeply, or of an unknown kind.
    """
    if depth > 64:
        raise ValueError("a signature is nested more than 64 deep")
    kind = message.WhichOneof("kind")
    content: Any = getattr(message, kind) if kind else None
    if kind in (None, "none_value"):
        return None
    if kind == "list_value":
        return [read(item, depth + 1) for item in content.values]
    if kind == "tuple_value":
        return tuple(read(item, depth + 1) for item in content.values)
    if kind == "dict_value":
        return {key: read(item, depth + 1) for key, item in sorted(content.fields.items())}
    if kind == "named_tuple_value":
        keys = tuple(pair.key for pair in content.values)
        made = (
            inspect.FullArgSpec
            if keys == inspect.FullArgSpec._fields
            else structure.named_tuple(content.name, keys)
        )
        return made(*(read(pair.value, depth + 1) for pair in content.values))
    if kind == "tensor_dtype_value":
        return dtypes.as_dtype(content)
    if kind == "tensor_shape_value":
        return attributes.shape_of(content)
    if kind == "tensor_spec_value":
        return type_spec.spec_of_message(content)
    if kind == "type_spec_value":
        return stored_spec.read_value(message)
    return content
