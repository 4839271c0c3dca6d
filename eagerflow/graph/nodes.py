"""Nodes of a program's graph that call Python functions when a session runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.framework.host_call import host_call
from eagerflow.framework.operation import last_operation


def python_node(
    function: Callable[..., object],
    *args: object,
    kind: str,
    name: str | None = None,
    outputs: Any = None,
) -> Any:
    """Adds a node that calls a function with the values of its arguments.

    Args:
        function: the function, which a session calls.
        *args: its arguments: structures in which tensors of the graph have values then.
        kind: the kind of operation.
        name: the node's name; by default the kind.
        outputs: the structure of TypeSpecs of its result; None if it returns nothing.

    Returns:
        The result with tensors of the graph, or, if there is none, the operation.
    """
    result = host_call(function, outputs, args, name=name or kind, kind=kind, effects=True)
    if outputs is not None:
        return result
    return last_operation()
