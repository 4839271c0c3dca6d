"""Symbolic tensors of Keras's models among the arguments of a graph's functions."""

from __future__ import annotations

from typing import Any


def as_tensor(value: Any, graph: Any) -> Any:
    """The graph's tensor for a symbolic tensor of a model; other values as they are."""
    if getattr(type(value), "_is_keras_tensor", False):
        return value.in_graph(graph)
    return value


def as_tensors(value: Any, graph: Any) -> Any:
    """A structure with `as_tensor` applied to its leaves."""
    kind = type(value)
    if kind is list:
        return [as_tensors(item, graph) for item in value]
    if kind is dict:
        return {key: as_tensors(item, graph) for key, item in value.items()}
    if kind is tuple:
        return tuple([as_tensors(item, graph) for item in value])
    return as_tensor(value, graph)
