"""The parameters of specs that programs define, as their `_serialize()` returns them: compared and joined.

Parameters are nested lists, tuples and dictionaries of specs, shapes, dtypes, arrays and plain values. The
order of a dictionary's keys says nothing: files have them sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow.framework.shapes import TensorShape


def key(value: Any) -> Any:
    """A hashable key for a parameter; equal parameters have equal keys."""
    if isinstance(value, dict):
        return dict, frozenset((name, key(item)) for name, item in value.items())
    if isinstance(value, tuple):
        return tuple(map(key, value))
    if isinstance(value, list):
        return list, tuple(map(key, value))
    if isinstance(value, np.ndarray):
        return np.ndarray, value.shape, key_of_array(value.tolist())
    return value


def key_of_array(value: object) -> Any:
    """The elements of an array in nested tuples."""
    return tuple(map(key_of_array, value)) if isinstance(value, list) else value


def fit(one: Any, other: Any, is_compatible: Callable[[Any, Any], bool]) -> bool:
    """Whether parameters are equal except for specs and shapes, which must be compatible."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(
            fit(a, b, is_compatible) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            fit(item, other[name], is_compatible) for name, item in one.items()
        )
    if isinstance(one, TensorShape) or hasattr(one, "most_specific_compatible_type"):
        return is_compatible(one, other)
    return bool(key(one) == key(other))


def joined(one: Any, other: Any) -> Any:
    """The narrowest parameters that describe the values of both.

    Raises:
        ValueError: if there are none.
    """
    if isinstance(one, TensorShape) and isinstance(other, TensorShape):
        return one.most_specific_compatible_shape(other)
    if hasattr(one, "most_specific_compatible_type"):
        return one.most_specific_compatible_type(other)
    if type(one) is type(other) and isinstance(one, list | tuple) and len(one) == len(other):
        items = [joined(a, b) for a, b in zip(one, other, strict=True)]
        return type(one)(*items) if hasattr(one, "_fields") else type(one)(items)
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return {name: joined(item, other[name]) for name, item in one.items()}
    if key(one) != key(other):
        raise ValueError(f"Types are not compatible: {one!r} vs {other!r}")
    return one
