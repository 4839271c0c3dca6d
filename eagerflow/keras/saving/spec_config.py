"""Specs of extension types, and those that programs define, in configurations."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from typing import Any

from eagerflow.extension_types.extension_type import ExtensionTypeSpec
from eagerflow.framework.dtypes import DType
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec, TypeSpec

MARK = "__typespec__"


def encoded(spec: TypeSpec) -> dict[str, Any]:
    """A spec as plain values, in Keras's form."""
    state = spec._serialized()
    kind = type(spec)
    fields = isinstance(spec, ExtensionTypeSpec)
    return {
        "class_name": MARK,
        "spec_name": kind.__qualname__ if fields else kind.__name__,
        "module": kind.__module__,
        "config": _plain(dict(state) if fields else state),
        "registered_name": None,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, TypeSpec):
        return encoded(value)
    if isinstance(value, DType):
        return value.name
    if isinstance(value, TensorShape):
        return None if value.rank is None else value.as_list()
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def decoded(config: dict[str, Any]) -> TypeSpec:
    """The spec that `encoded` encoded.

    Raises:
        ValueError: if the program has no such class of specs.
    """
    state = config["config"]
    if config["spec_name"] == "TensorSpec":
        return TensorSpec(*state)
    kind = _class(config["module"], config["spec_name"])
    if isinstance(state, dict):
        return kind._deserialize([(name, _part(part)) for name, part in state.items()])
    return kind._deserialize(tuple(map(_part, state)))


def _part(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_part, value))
    if not isinstance(value, dict):
        return value
    if value.get("class_name") == MARK:
        return decoded(value)
    return {key: _part(part) for key, part in value.items()}


def _class(module: str, name: str) -> Any:
    """A class of a module that the program has imported."""
    try:
        kind: Any = functools.reduce(getattr, name.split("."), sys.modules[module])
    except (AttributeError, KeyError):
        kind = None
    if not isinstance(kind, type) or not issubclass(kind, TypeSpec):
        raise ValueError(f"The program has no class of specs {name!r} in the module {module!r}.")
    return kind
