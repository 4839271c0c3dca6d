"""Cases run inside a graph: their tensors are placeholders, and the graph then gets the values."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.framework import func_graph


class NoTensor(Exception):
    """A result of a case without known sizes that cannot be compared."""


class Placeholders:
    """The package, with a `constant` that makes inputs of the graph that is being built."""

    def __init__(self, tf: Any, graph: func_graph.FuncGraph, known: str) -> None:
        self._tf = tf
        self._graph = graph
        self._known = known
        self.values: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tf, name)

    def constant(self, value: Any, dtype: Any = None, shape: Any = None, name: str = "x") -> Any:
        """A placeholder for the constant."""
        with func_graph.eagerly():
            tensor = self._tf.constant(value, dtype, shape)
        self.values.append(tensor)
        sizes: Any = tensor.shape
        if self._known != "sizes":
            sizes = [None] * len(sizes) if self._known == "ranks" else None
        return self._graph.placeholder(tensor.dtype, sizes, name)


class InGraph:
    """A case whose result is computed by a graph.

    Args:
        case: what is run while the graph is built.
        known: what is known of the shapes of the placeholders: "sizes", "ranks" or "nothing".
    """

    def __init__(self, case: Any, known: str) -> None:
        self._case = case
        self._known = known

    def __getattr__(self, name: str) -> Any:
        return getattr(self._case, name)

    def run(self, tf: Any) -> Any:
        """The case's result."""
        graph = func_graph.FuncGraph("case")
        placeholders = Placeholders(tf, graph, self._known)
        with graph.as_default():
            result = self._case.run(placeholders)
            leaves = nest.flatten(result, expand_composites=True)
            tensors = [k for k, leaf in enumerate(leaves) if isinstance(leaf, tf.Tensor)]
            if len(tensors) < len(leaves) and self._known != "sizes":
                raise NoTensor("What is no tensor tells of sizes that are unknown.")
            graph.finish([graph.capture(leaves[k]) for k in tensors])
        for k, value in zip(tensors, graph.run(placeholders.values), strict=True):
            leaves[k] = value
        return nest.pack_sequence_as(result, leaves, expand_composites=True)
