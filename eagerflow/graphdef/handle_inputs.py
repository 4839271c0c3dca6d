"""The placeholders that stand for a function's variables in its messages, as inputs of it."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.variable import ResourceHandle
from eagerflow.graphdef.exporting import placeholder_names, placeholder_tensors, used_variables
from eagerflow.graphdef.writer import GraphWriter


class HandleInput(ResourceHandle):
    """The handle of a variable inside of a function, whose graph reads the variable itself.

    Args:
        variable: the variable.
        graph: the function's graph.
        name: the name of the placeholder in the graph's message.
    """

    def __init__(self, variable: Any, graph: Any, name: str) -> None:
        super().__init__(variable)
        self.graph = graph
        self.op = HandlePlaceholder(self, name)

    @property
    def name(self) -> str:
        """The name of its placeholder, with ":0"."""
        return f"{self.op.name}:0"

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape=() dtype=resource>"


class HandlePlaceholder:
    """The operation of a `HandleInput`, which only messages of the graph have.

    Args:
        handle: what it returns.
        name: its name.
    """

    type = "Placeholder"
    inputs = ()
    control_inputs = ()

    def __init__(self, handle: HandleInput, name: str) -> None:
        self.outputs = [handle]
        self.name = name
        self.graph = handle.graph

    @property
    def node_def(self) -> Any:
        """The message of the operation."""
        return next(node for node in self.graph.as_graph_def().node if node.name == self.name)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute: `dtype` or `shape`.

        Raises:
            ValueError: if it has no such attribute.
        """
        if name not in ("dtype", "shape"):
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}.")
        return getattr(self.outputs[0], name)


def of(graph: Any) -> list[HandleInput]:
    """The handles of the variables that a function uses, with their names in its message."""
    tensors, items = placeholder_tensors(graph), used_variables(graph)
    names = placeholder_names(tensors, items, GraphWriter([], False).unique)
    named = dict(zip(map(id, items), names[len(tensors) :], strict=True))
    return [
        HandleInput(variable, graph, named.get(id(variable), "resource"))
        for variable in graph.variables
    ]
