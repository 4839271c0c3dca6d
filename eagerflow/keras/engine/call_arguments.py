"""The leaves of a call's arguments, which may be nested structures and slices."""

from __future__ import annotations

from typing import Any

from eagerflow import nest


def flatten_arguments(args: tuple, kwargs: dict[str, Any]) -> list[Any]:
    """All leaves of a call's arguments."""
    flat: list[Any] = []
    for value in (*args, *kwargs.values()):
        for leaf in nest.flatten(value):
            if isinstance(leaf, slice):
                flat.extend((leaf.start, leaf.stop, leaf.step))
            else:
                flat.append(leaf)
    return flat


def map_arguments(function: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[list, dict]:
    """The arguments of a call with `function` applied to every leaf."""

    def mapped(value: Any) -> Any:
        if isinstance(value, slice):
            return slice(function(value.start), function(value.stop), function(value.step))
        if nest.is_nested(value):
            return nest.map_structure(mapped, value)
        return function(value)

    return [mapped(value) for value in args], {key: mapped(value) for key, value in kwargs.items()}
