"""Specs of elements as TensorFlow's saved datasets hold them: a StructuredValue message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eagerflow import errors
from eagerflow.data.structure import named_tuple
from eagerflow.extension_types.extension_type import ExtensionTypeSpec
from eagerflow.framework import spec_names, type_spec
from eagerflow.framework.dtypes import DType, as_dtype
from eagerflow.framework.indexed_slices import IndexedSlicesSpec
from eagerflow.framework.shapes import TensorShape, fill_message
from eagerflow.framework.type_spec import NoneTensorSpec, TensorSpec, TypeSpec, spec_of_message
from eagerflow.protos.schema import protobuf
from eagerflow.protos.structure import MESSAGES
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.sparse.tensor import SparseTensorSpec
from eagerflow.typing import Structure
from eagerflow.util import lazy

# Imported when it is first used: saved datasets have none of its specs.
iterators = lazy.Module("eagerflow.data.iterator")

# The ids of the spec classes.
_SPARSE, _SLICES, _RAGGED, _ITERATOR, _OTHER, _EXTENSION = 1, 2, 3, 6, 12, 13
_NONE = "tf.NoneTensorSpec"
# They have numbers of their own, also where a program gives them names.
_BUILT_IN = (RaggedTensorSpec, SparseTensorSpec, IndexedSlicesSpec)


def encode_spec(spec: Structure) -> bytes:
    """The message for a structure of specs.

    Raises:
        TypeError: if it holds what saved datasets cannot hold.
    """
    value = MESSAGES["StructuredValue"]()
    fill_value(value, spec)
    return value.SerializeToString()


def decode_spec(data: bytes) -> Any:
    """The structure of specs that a message describes.

    Raises:
        tf.errors.DataLossError: if the message is damaged.
    """
    DecodeError = protobuf("message").DecodeError
    try:
        return read_value(MESSAGES["StructuredValue"].FromString(data))
    except (DecodeError, ValueError, TypeError, IndexError) as error:
        raise errors.DataLossError._of(
            f"The specs of a saved dataset are damaged: {error}"
        ) from error


def fill_value(value: Any, spec: Structure) -> None:
    """Sets a StructuredValue to a structure of specs."""
    if isinstance(spec, TensorSpec):
        type_spec.fill_message(value.tensor_spec_value, spec)
    elif isinstance(spec, tuple) and hasattr(spec, "_fields"):
        value.named_tuple_value.name = type(spec).__name__
        for key, item in zip(spec._fields, spec, strict=True):
            fill_value(value.named_tuple_value.values.add(key=key).value, item)
    elif isinstance(spec, tuple):
        value.tuple_value.SetInParent()
        for item in spec:
            fill_value(value.tuple_value.values.add(), item)
    elif isinstance(spec, Mapping):
        value.dict_value.SetInParent()
        for key, item in spec.items():
            if not isinstance(key, str):
                raise TypeError(f"Only strings can be keys in a saved dataset, got {key!r}.")
            fill_value(value.dict_value.fields[key], item)
    elif isinstance(spec, NoneTensorSpec):
        _fill_class(value, _OTHER, _NONE, 0, [])
    elif type(spec) not in _BUILT_IN and spec_names.is_named(type(spec)):
        kind = _EXTENSION if isinstance(spec, ExtensionTypeSpec) else _OTHER
        components = len(spec._parts_of_values())
        _fill_class(value, kind, spec_names.get_name(type(spec)), components, spec._serialized())
    else:
        _fill_composite(value, spec)


def _fill_composite(value: object, spec: Structure) -> None:
    if isinstance(spec, RaggedTensorSpec):
        rank = spec.ragged_rank
        state = [TensorShape(spec.shape), spec.dtype, rank, spec.row_splits_dtype]
        _fill_class(value, _RAGGED, "RaggedTensorSpec", 1 + rank, state)
    elif isinstance(spec, SparseTensorSpec):
        _fill_class(value, _SPARSE, "SparseTensorSpec", 3, [TensorShape(spec.shape), spec.dtype])
    elif isinstance(spec, IndexedSlicesSpec):
        state = list(spec._serialize())
        _fill_class(value, _SLICES, "IndexedSlicesSpec", 2 + (state[3] is not None), state)
    elif isinstance(spec, iterators.IteratorSpec):
        _fill_class(value, _ITERATOR, "IteratorSpec", 1, [spec.element_spec])
    elif isinstance(spec, TypeSpec):
        raise TypeError(
            f"Elements with {spec!r} cannot be saved: the type has no name in files. Extension types "
            "have an attribute `__name__`, such as 'package.Name', for it."
        )
    else:
        raise TypeError(f"Elements with {spec!r} cannot be saved.")


def _fill_class(value: Any, kind: int, name: str, components: int, state: Sequence[Any]) -> None:
    message = value.type_spec_value
    message.type_spec_class = kind
    message.type_spec_class_name = name
    message.num_flat_components = components
    message.type_state.tuple_value.SetInParent()
    for part in state:
        _fill_part(message.type_state.tuple_value.values.add(), part)


def _fill_part(value: Any, part: Any) -> None:
    """Sets a StructuredValue to a part of a spec's state: specs, and what describes them."""
    if isinstance(part, TensorShape):
        fill_message(value.tensor_shape_value, part)
    elif part is None:
        value.none_value.SetInParent()
    elif isinstance(part, bool):
        value.bool_value = part
    elif isinstance(part, int):
        value.int64_value = part
    elif isinstance(part, float):
        value.float64_value = part
    elif isinstance(part, str):
        value.string_value = part
    elif isinstance(part, DType):
        value.tensor_dtype_value = part.as_datatype_enum
    elif type(part) is tuple:
        value.tuple_value.SetInParent()
        for item in part:
            _fill_part(value.tuple_value.values.add(), item)
    elif isinstance(part, Mapping):
        value.dict_value.SetInParent()
        for key, item in part.items():
            _fill_part(value.dict_value.fields[key], item)
    else:
        fill_value(value, part)


def read_value(value: Any) -> Any:
    """The structure of specs in a StructuredValue."""
    kind = value.WhichOneof("kind")
    if kind is None:
        raise ValueError("a value is missing")
    content = getattr(value, kind)
    if kind == "tensor_spec_value":
        return spec_of_message(content)
    if kind == "tuple_value":
        return tuple(read_value(item) for item in content.values)
    if kind == "list_value":
        return [read_value(item) for item in content.values]
    if kind == "dict_value":
        return {key: read_value(item) for key, item in sorted(content.fields.items())}
    if kind == "named_tuple_value":
        made = named_tuple(content.name, tuple(pair.key for pair in content.values))
        return made(*(read_value(pair.value) for pair in content.values))
    if kind == "tensor_shape_value":
        return TensorShape(content)
    if kind == "tensor_dtype_value":
        return as_dtype(content)
    if kind == "type_spec_value":
        return _read_class(content)
    return None if kind == "none_value" else content


def _read_class(message: Any) -> TypeSpec:
    if message.type_spec_class == _OTHER and message.type_spec_class_name == _NONE:
        return NoneTensorSpec()
    kinds = {_RAGGED: RaggedTensorSpec, _SLICES: IndexedSlicesSpec, _SPARSE: SparseTensorSpec}
    if message.type_spec_class == _ITERATOR:
        return iterators.IteratorSpec(*read_value(message.type_state))
    if message.type_spec_class in (_EXTENSION, _OTHER):
        named: Any = spec_names.lookup(message.type_spec_class_name)
        return named._deserialize(read_value(message.type_state))
    if message.type_spec_class not in kinds:
        raise ValueError(f"specs of the class {message.type_spec_class_name!r} cannot be read")
    return kinds[message.type_spec_class](*read_value(message.type_state))
