"""The slices that a traced function runs for, all at once, and the random values that they draw."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes

Tensor = _core.Tensor


class MappedSlices:
    """What the graph of a function of slices knows about them.

    Args:
        graph: the graph, each of whose inputs is a slice.
        count: how many slices there are: an integer, or a scalar of the graph outside.
        randomness: "different" values for each slice, the "same" for all, or "error".
        at_once: whether draws may count on running once for all slices.
    """

    def __init__(self, graph: Any, count: Any, randomness: str, at_once: bool = True) -> None:
        self.count = count
        self.randomness = randomness
        self.at_once = at_once
        self._graph = graph
        self._index: Tensor | None = None

    def index(self) -> Tensor:
        """Which slice it is: another input of the graph, whose slices are `indices()`."""
        if self._index is None:
            with self._graph.as_default():
                self._index = self._graph.placeholder(dtypes.int32, [], "slice")
        return self._index

    def indices(self) -> list[Tensor]:
        """The slices of the input of `index`, in a list that is empty if nothing has asked for it."""
        return [] if self._index is None else [_core.ops.range(0, self.count, 1)]


def drawing_at_once(graph: Any) -> list[MappedSlices]:
    """The maps that a draw in a graph is to serve at once, one axis of values for each, the outer first."""
    maps: list[MappedSlices] = []
    while graph is not None:
        slices = graph.slices
        if slices is not None:
            if slices.randomness != "different" or not slices.at_once:
                break
            maps.insert(0, slices)
        elif not graph.is_control_flow_graph:
            break
        graph = graph.outer
    return maps
