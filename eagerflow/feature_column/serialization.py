"""Columns as plain values, for the configurations of layers."""

from __future__ import annotations

import types
from typing import Any

from eagerflow import _core
from eagerflow.feature_column.base import FeatureColumn
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
classes = lazy.Module("eagerflow.feature_column.classes")
# Imported when they are first used: few programs need them.
reachable = lazy.Module("eagerflow.keras.saving.reachable")
registration = lazy.Module("eagerflow.keras.saving.registration")


def serialize_feature_column(column: Any) -> Any:
    """A column as a dictionary of its class's name and configuration; names of features as they are.

    Raises:
        ValueError: if it is neither.
    """
    if isinstance(column, str):
        return column
    if isinstance(column, FeatureColumn):
        return {"class_name": type(column).__name__, "config": column.get_config()}
    raise ValueError(f"Instance: {column} is not a FeatureColumn")


def deserialize_feature_column(
    config: Any,
    custom_objects: dict[str, object] | None = None,
    columns_by_name: dict[Any, Any] | None = None,
) -> Any:
    """The column that a configuration describes.

    Args:
        config: what `serialize_feature_column` returned.
        custom_objects: a program's own functions and classes by name.
        columns_by_name: the existing columns; new columns are added.

    Raises:
        ValueError: if the class is unknown.
    """
    if isinstance(config, str):
        return config
    name = config["class_name"]
    cls: Any = (custom_objects or {}).get(name) or classes.CLASSES.get(name)
    if cls is None:
        raise ValueError(f"Unknown FeatureColumn: {name}")
    column = cls.from_config(
        dict(config["config"]), custom_objects=custom_objects, columns_by_name=columns_by_name
    )
    if columns_by_name is None:
        return column
    # The same column may occur several times.
    key = (name, column.name)
    known = columns_by_name.get(key)
    return columns_by_name.setdefault(key, column) if known is None or known == column else column


def serialize_function(function: object) -> Any:
    """A function's name, or an initializer's class and configuration; None for none.

    Raises:
        ValueError: if it has neither.
    """
    if function is None:
        return None
    if hasattr(function, "get_config"):
        return {"class_name": type(function).__name__, "config": function.get_config()}
    if hasattr(function, "__name__"):
        return function.__name__
    raise ValueError("Cannot serialize", function)


def deserialize_function(config: Any, custom_objects: dict[str, Any] | None, kind: str) -> Any:
    """The function that `serialize_function` has described.

    Args:
        config: a name, or a dictionary with a class's name.
        custom_objects: a program's own functions and classes by name.
        kind: the kind of function, for messages.

    Raises:
        ValueError: if it is not known.
    """
    if config is None or callable(config):
        return config
    known = registration.known_objects(custom_objects)
    if isinstance(config, str):
        if config in known:
            return known[config]
        raise ValueError(
            f"Unknown {kind}: {config}. Pass it in `custom_objects`, under this name: a "
            "configuration holds no functions."
        )
    name = config["class_name"]
    match: Any = known.get(name)
    if isinstance(match, types.FunctionType | _core.OpFunction):
        return match
    if match is None:
        # Initializers of version 1 have a dtype in their configurations.
        kinds = ["initializer", "initializer of version 1"]
        for each in kinds[::-1] if "dtype" in config["config"] else kinds:
            match = match or reachable.find_class(name, None, each)
    if match is None:
        raise ValueError(f"Unknown {kind}: {name}")
    return match.from_config(config["config"])


def with_tuples(config: dict[str, object]) -> dict[str, Any]:
    """A copy of a configuration, in which files have made lists of tuples."""
    return {
        key: tuple(value) if isinstance(value, list) else value for key, value in config.items()
    }
