"""Elements, specs and cursors' states as bytes, and back.

A value is a line of JSON that describes its structure, followed by the tensors' memory. Nothing in
it is executed when it is read.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.data.composites import REBUILD, to_parts
from eagerflow.data.dataset import Dataset
from eagerflow.data.structure import named_tuple
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import as_dtype
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import NoneTensorSpec, TensorSpec
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
stored_datasets = lazy.Module("eagerflow.data.stored_datasets")

Tensor = _core.Tensor
_PREFIX = struct.Struct("<QQ")


def encode(value: object) -> bytes:
    """The bytes of a value made of tuples, lists, dictionaries, plain values, tensors and specs.

    Raises:
        TypeError: if it holds something else.
        tf.errors.FailedPreconditionError: if it holds a dataset that cannot be stored.
    """
    blobs: list[bytes] = []
    text = json.dumps(_to_json(value, blobs)).encode()
    return b"".join([_PREFIX.pack(len(text), sum(map(len, blobs))), text, *blobs])


def decode(data: bytes) -> Any:
    """The value that `encode` encoded.

    Raises:
        tf.errors.DataLossError: if the bytes are damaged.
    """
    try:
        length, size = _PREFIX.unpack_from(data)
        start = _PREFIX.size
        text, blobs = data[start : start + length], data[start + length :]
        if len(text) != length or len(blobs) != size:
            raise ValueError("truncated")
        return _from_json(json.loads(text), memoryview(blobs), [0])
    except (
        struct.error,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        errors.OpError,
    ) as error:
        raise errors.DataLossError._of(f"Stored elements are damaged: {error}") from error


def _to_json(value: object, blobs: list[bytes]) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [_to_json(item, blobs) for item in value]
    if isinstance(value, tuple):
        items = [_to_json(item, blobs) for item in value]
        if hasattr(value, "_fields"):
            return {"named": [type(value).__name__, list(value._fields), items]}
        return {"tuple": items}
    if isinstance(value, Mapping):
        pairs = [[_to_json(k, blobs), _to_json(v, blobs)] for k, v in value.items()]
        return {"dict": pairs}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, (np.integer, np.floating)):
        return value.item()
    if isinstance(value, Tensor):
        return _tensor_to_json(value, blobs)
    if isinstance(value, TensorSpec):
        dims = None if value.shape.rank is None else value.shape.as_list()
        return {"spec": [dims, value.dtype.name]}
    if isinstance(value, NoneTensorSpec):
        return {"none": 0}
    if hasattr(value, "_to_parts"):
        name, parts = value._to_parts()
        return {"composite": [name, _to_json(parts, blobs)]}
    if isinstance(value, Dataset):
        return {"dataset": _to_json(stored_datasets.to_parts(value), blobs)}
    composite_parts = to_parts(value)
    if composite_parts is not None:
        return {"composite": [composite_parts[0], _to_json(composite_parts[1], blobs)]}
    raise TypeError(f"A {type(value).__name__} cannot be stored: {value!r:.100}")


def _tensor_to_json(tensor: Tensor, blobs: list[bytes]) -> Any:
    if tensor.dtype is dtypes.string:
        items = np.ravel(tensor.numpy()).tolist() if tensor.ndim else [tensor.numpy()]
        blobs.extend(items)
        shape = list(tensor._shape_tuple())
        return {"strings": [shape, [len(item) for item in items]]}
    data = np.asarray(tensor).tobytes()
    blobs.append(data)
    return {"tensor": [tensor.dtype.name, list(tensor._shape_tuple()), len(data)]}


def _from_json(value: object, blobs: memoryview, at: list[int]) -> Any:
    if isinstance(value, list):
        return [_from_json(item, blobs, at) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple([_from_json(item, blobs, at) for item in content])
    if kind == "named":
        name, fields, items = content
        return named_tuple(name, tuple(fields))(*[_from_json(item, blobs, at) for item in items])
    if kind == "dict":
        return {_from_json(k, blobs, at): _from_json(v, blobs, at) for k, v in content}
    if kind == "bytes":
        return base64.b64decode(content)
    if kind == "tensor":
        dtype, shape, size = content
        return _tensor(as_dtype(dtype), shape, _piece(blobs, at, size))
    if kind == "strings":
        shape, lengths = content
        items = np.empty(len(lengths), object)
        items[:] = [bytes(_piece(blobs, at, length)) for length in lengths]
        return _core.convert(items.reshape(shape), dtypes.string, None)
    if kind == "spec":
        return TensorSpec(TensorShape(content[0]), as_dtype(content[1]))
    if kind == "none":
        return NoneTensorSpec()
    if kind == "dataset":
        return stored_datasets.of_parts(_from_json(content, blobs, at))
    if kind == "composite":
        rebuild = _COMPOSITES.get(content[0])
        if rebuild is None:
            rebuild = REBUILD[content[0]]
        return rebuild(_from_json(content[1], blobs, at))
    raise ValueError(f"unknown kind {kind!r}")


# The functions that rebuild composite values, by the name that `_to_parts` returns.
_COMPOSITES: dict[str, Any] = {}


def register(name: str, rebuild: Callable[[Any], Any]) -> None:
    """Registers the function that rebuilds values whose `_to_parts` returns that name."""
    _COMPOSITES[name] = rebuild


def _piece(blobs: memoryview, at: list[int], size: int) -> memoryview:
    piece = blobs[at[0] : at[0] + size]
    if len(piece) != size:
        raise ValueError("a tensor is truncated")
    at[0] += size
    return piece


def _tensor(dtype: dtypes.DType, shape: list[int], data: memoryview) -> Tensor:
    array = np.frombuffer(data, dtype.as_numpy_dtype).reshape(shape)
    return _core.convert(array, dtype, None)
