"""Graph tensors for eager variables and symbolic Keras tensors among the arguments of a graph's functions."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
shared_variables = lazy.Module("eagerflow.graph.shared_variables")


def is_eager(value: Any) -> bool:
    """Whether a value is an eager variable."""
    return issubclass(type(value), _core.Variable)


def as_symbol(value: Any, graph: Any) -> Any:
    """The graph tensor for an eager variable or a symbolic Keras tensor; other values as they are."""
    if is_eager(value):
        return shared_variables.share(value, graph, listed=False)
    if getattr(type(value), "_is_keras_tensor", False):
        return value.in_graph(graph)
    return value


def as_symbols(value: Any, graph: Any) -> Any:
    """A structure with `as_symbol` applied to its leaves."""
    kind = type(value)
    if kind is list:
        return [as_symbols(item, graph) for item in value]
    if kind is dict:
        return {key: as_symbols(item, graph) for key, item in value.items()}
    if kind is tuple:
        return tuple([as_symbols(item, graph) for item in value])
    return as_symbol(value, graph)
