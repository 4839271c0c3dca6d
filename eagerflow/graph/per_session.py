"""PerSession: objects of version 1 whose contents each session has for itself, such as queues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.framework import context
from eagerflow.graph.nodes import python_node
from eagerflow.graph.session import running_session


class PerSession:
    """An object whose operations are nodes of a graph, and whose contents are in sessions.

    Eagerly the object has the contents itself. A subclass defines `_new`.
    """

    def _place(self, name: str) -> None:
        """Gives it a name of its own in the graph that is being built, or contents."""
        self._graph = context.building_graph()
        self._name = name if self._graph is None else self._graph.unique_name(name)
        if self._graph is None:
            self._eager_contents = self._new()

    def _new(self) -> Any:
        """Empty contents, with a method `end` for the session's close."""
        raise NotImplementedError

    def _contents(self) -> Any:
        if self._graph is None:
            return self._eager_contents
        session = running_session()
        contents = session._storage.setdefault(id(self), self._new())
        if session._closed:
            # Another thread has closed the session during this run: nothing will come any more.
            contents.end()
        return contents

    def _run_or_record(
        self,
        kind: str,
        function: Callable[..., object],
        args: tuple,
        outputs: Any = None,
        name: str | None = None,
    ) -> Any:
        """Calls a function, or adds a node that does; its name is made of the kind by default."""
        if self._graph is None:
            return function(*args)
        name = name or f"{self._name}_{kind}"
        return python_node(function, *args, kind=kind, name=name, outputs=outputs)

    @property
    def name(self) -> str:
        """Its name, which no other object in the graph has."""
        return self._name
