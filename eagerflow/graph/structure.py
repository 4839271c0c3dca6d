"""Finding and replacing the graph tensors among a call's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.indexed_slices import IndexedSlices


def is_symbol(value: Any) -> bool:
    """Whether a value stands for a result of a graph's operation, or for a graph's variable."""
    return getattr(type(value), "_graph_tensor", False)


def replace(value: Any, function: Callable[[Any], Any]) -> Any:
    """The value with `function` applied to every graph tensor in it."""
    kind = type(value)
    if getattr(kind, "_graph_tensor", False):
        return function(value)
    if kind is list:
        return [replace(item, function) for item in value]
    if kind is dict:
        return {key: replace(item, function) for key, item in value.items()}
    if kind is slice:
        return slice(
            replace(value.start, function),
            replace(value.stop, function),
            replace(value.step, function),
        )
    if isinstance(value, tuple):
        items = [replace(item, function) for item in value]
        return kind(*items) if hasattr(value, "_fields") else kind(items)
    if kind is IndexedSlices:
        return IndexedSlices(
            replace(value.values, function),
            replace(value.indices, function),
            replace(value.dense_shape, function),
        )
    return value


def symbols(*values: Any) -> list[Any]:
    """The graph tensors in the values, in order."""
    found: list[Any] = []

    def note(symbol: Any) -> Any:
        found.append(symbol)
        return symbol

    for value in values:
        replace(value, note)
    return found
