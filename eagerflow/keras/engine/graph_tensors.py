"""Keras's symbolic tensors in graphs: an input is a placeholder, a layer's call is nodes."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.framework import context
from eagerflow.graph.graph import Graph
from eagerflow.graph.placeholder import placeholder
from eagerflow.keras.engine.call_arguments import map_arguments


def tensor_of(symbol: Any, graph: Graph) -> Any:
    """The graph's tensor for a symbolic tensor of a model; made at its first use.

    Args:
        symbol: the symbolic tensor.
        graph: the graph.

    Raises:
        ValueError: if the tensor comes from no layer.
    """
    known = graph.keras_tensors
    if id(symbol) in known:
        return known[id(symbol)][1]
    if symbol._keras_history is None:
        raise ValueError(f"{symbol!r} comes from no layer: there is nothing to compute it with.")
    with context.building(graph), graph.name_scope(None), graph.control_dependencies(None):
        # Calls are added after those they depend on; models may be deeper than Python's stack.
        stack = [symbol]
        while stack:
            last = stack[-1]
            if id(last) in known:
                stack.pop()
                continue
            missing = [t for t in last.node.keras_inputs if id(t) not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            _add(last, known)
    return known[id(symbol)][1]


def _add(symbol: Any, known: dict[int, tuple[Any, Any]]) -> None:
    """Adds the nodes of the call that a symbolic tensor comes from."""
    node = symbol.node
    if node.is_input:
        given = placeholder(symbol.dtype, symbol.shape, symbol._keras_history.layer.name)
        known[id(symbol)] = symbol, given
        return

    def there(value: Any) -> Any:
        return known[id(value)][1] if id(value) in known else value

    args, kwargs = map_arguments(there, node.call_args, node.call_kwargs)
    results = nest.flatten(node.layer(*args, **kwargs))
    for made, result in zip(nest.flatten(node.outputs), results, strict=True):
        known[id(made)] = made, result
