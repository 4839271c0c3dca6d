"""Eager variables in graphs: Keras's weights, which models also train outside of sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow.framework import context
from eagerflow.graph.graph import Graph
from eagerflow.graph.outside import is_eager
from eagerflow.graph.variables import GraphVariable


class SharedVariable(GraphVariable):
    """A variable of a graph whose value is that of an eager one, in all sessions.

    Args:
        variable: the eager variable.
        listed: whether it is among the graph's variables, which an initializer sets.
    """

    def __init__(self, variable: Any, listed: bool = True) -> None:
        self._shared = variable
        name = variable.name.partition(":")[0]
        super().__init__(
            variable.read_value(),
            bool(variable.trainable),
            None if listed else [],
            name,
            variable.dtype,
            variable.shape.is_fully_defined(),
            getattr(variable, "constraint", None),
        )

    def _storage_in(self, session: Any) -> Any:
        return self._shared

    def numpy(self) -> Any:
        """The value, in a session or outside of one."""
        return self._shared.numpy()


def share(variable: Any, graph: Graph | None = None, listed: bool = True) -> Any:
    """The graph's node for an eager variable; it is made by the first call.

    Args:
        variable: the variable.
        graph: the graph; by default the one that is being built.
        listed: whether a new node is among the graph's variables.
    """
    graph = graph or context.building_graph()
    assert graph is not None
    known = graph.shared_variables.get(id(variable))
    if known is None:
        with context.building(graph), graph.name_scope(None):
            known = SharedVariable(variable, listed)
        graph.shared_variables[id(variable)] = known
    return known


class WithNodes:
    """A layer's call in which its variables are replaced by the graph's, so that they are its inputs.

    Args:
        layer: a layer.
        graph: the graph.
    """

    def __init__(self, layer: Any, graph: Graph) -> None:
        self._layer = layer
        self._graph = graph
        self.__name__ = "call"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._replaced():
            return self._layer.call(*args, **kwargs)

    @contextmanager
    def _replaced(self) -> Iterator[None]:
        own = []
        for layer in self._layer._flatten_layers():
            for name, value in list(vars(layer).items()):
                if is_eager(value):
                    own.append((vars(layer), name, value))
        for attributes, name, value in own:
            attributes[name] = share(value, self._graph, listed=False)
        try:
            yield
        finally:
            for attributes, name, value in own:
                attributes[name] = value


def call_of(layer: Any, graph: Graph) -> Callable[..., Any]:
    """The function that a node for a layer runs."""
    layers = layer._flatten_layers()
    if any(is_eager(value) for inner in layers for value in vars(inner).values()):
        return WithNodes(layer, graph)
    return layer.call
