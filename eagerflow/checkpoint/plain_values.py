"""Nested plain values and tensors as text, for the states of iterators in checkpoints."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.io.serialization import parse_tensor, serialize_tensor

_KIND = "kind"


def encoded(value: Any) -> bytes:
    """None, booleans, numbers, text, bytes, tensors, arrays, and lists, tuples and dictionaries.

    Raises:
        TypeError: for anything else.
    """
    return json.dumps(_encode(value)).encode()


def decoded(data: bytes) -> Any:
    """What `encoded` was given; arrays come back as tensors.

    Raises:
        ValueError: if the data are not what it made.
    """
    try:
        return _decode(json.loads(data))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the state cannot be read: {error}") from error


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [_encode(item) for item in value]
    if isinstance(value, bytes):
        return {_KIND: "bytes", "value": _text(value)}
    if isinstance(value, tuple):
        return {_KIND: "tuple", "value": [_encode(item) for item in value]}
    if isinstance(value, dict):
        pairs = [[_encode(key), _encode(item)] for key, item in value.items()]
        return {_KIND: "dict", "value": pairs}
    if isinstance(value, (np.generic, np.ndarray, _core.Tensor)):
        content = serialize_tensor(_core.convert(value)).numpy()
        return {_KIND: "tensor", "dtype": _core.convert(value).dtype.name, "value": _text(content)}
    raise TypeError(f"A state cannot hold {type(value).__name__}.")


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind, content = value[_KIND], value["value"]
    if kind == "bytes":
        return base64.b64decode(content)
    if kind == "tuple":
        return tuple(_decode(item) for item in content)
    if kind == "dict":
        return {_decode(key): _decode(item) for key, item in content}
    return parse_tensor(base64.b64decode(content), value["dtype"])
