"""The containers of a model's inputs and outputs that JSON does not keep.

Like Keras, files have lists in place of tuples, and strings in place of other keys. They also have
this description, which other programs ignore.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from eagerflow import nest
from eagerflow.data.structure import named_tuple
from eagerflow.typing import Structure

_TUPLE, _NAMED, _DICT, _ORDERED = "tuple", "namedtuple", "dict", "OrderedDict"


def described(structure: Structure) -> Any:
    """A structure's containers as lists and dictionaries, with None for each leaf.

    Returns:
        None if JSON keeps the structure: it consists of lists, and dictionaries with strings as keys.
    """
    return _described(structure) if _is_lossy(structure) else None


def _is_lossy(structure: Structure) -> bool:
    if not nest.is_nested(structure):
        return False
    if isinstance(structure, Mapping):
        plain = type(structure) is not OrderedDict and all(isinstance(k, str) for k in structure)
        return not plain or any(map(_is_lossy, structure.values()))
    return not isinstance(structure, list) or any(map(_is_lossy, structure))


def _described(structure: Structure) -> Any:
    if not nest.is_nested(structure):
        return None
    if isinstance(structure, Mapping):
        kind = _ORDERED if isinstance(structure, OrderedDict) else _DICT
        return {kind: [[key, _described(item)] for key, item in structure.items()]}
    items = [_described(item) for item in structure]
    if hasattr(structure, "_fields"):
        return {_NAMED: [type(structure).__name__, list(structure._fields), items]}
    return {_TUPLE: items} if isinstance(structure, tuple) else items


def restored(structure: Structure, description: object) -> Any:
    """A structure that was read from JSON, with the containers that it had.

    Args:
        structure: lists and dictionaries.
        description: what `described` returned. Parts that do not match `structure`, which a
            program may have changed, have no effect.
    """
    kind, parts = _TUPLE, description
    if isinstance(description, dict) and len(description) == 1:
        kind, parts = next(iter(description.items()))
    if not isinstance(parts, list | tuple):
        return structure
    if kind in (_DICT, _ORDERED):
        return _restored_mapping(structure, kind, parts)
    name, fields = "", ()
    if kind == _NAMED:
        if len(parts) != 3:
            return structure
        name, fields, parts = parts
    if not isinstance(structure, list | tuple) or len(structure) != len(parts):
        return structure
    items = [restored(*pair) for pair in zip(structure, parts, strict=True)]
    if kind == _NAMED:
        return named_tuple(name, tuple(fields))(*items)
    return items if parts is description else tuple(items)


def _restored_mapping(structure: Structure, kind: str, parts: Any) -> Any:
    if not isinstance(structure, Mapping) or len(structure) != len(parts):
        return structure
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in parts):
        return structure
    made = OrderedDict() if kind == _ORDERED else {}
    for key, description in parts:
        known = key if key in structure else str(key)
        if known not in structure:
            return structure
        made[key] = restored(structure[known], description)
    return made
