"""Runs of a session in parts: each computes what it fetches from all that was fed so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eagerflow import _core, nest
from eagerflow.errors import InvalidArgumentError, UnimplementedError
from eagerflow.framework import dtypes
from eagerflow.graph.graph import Operation

if TYPE_CHECKING:
    from eagerflow.graph.session import BaseSession

# What only the operations of one run can pass to each other.
_NOT_KEPT = (dtypes.resource, dtypes.variant)


class PartialRun:
    """A run whose fetches and feeds come in parts; no operation runs twice.

    Args:
        session: the session.
        fetches: what the parts will fetch.
        feeds: the tensors that the parts will feed.
    """

    def __init__(self, session: BaseSession, fetches: Any, feeds: Any) -> None:
        self._session = session
        self._pending = dict.fromkeys(map(self._name, self._elements(fetches)))
        fed = [part for key in feeds for part in session._fed_elements(key)]
        self._unfed = dict.fromkeys(tensor.name for tensor in fed)
        self._all = frozenset(self._pending), frozenset(self._unfed)
        # The values of tensors by name, and the names of the operations that have run.
        self._known: dict[str, Any] = {}
        self._done: set[str] = set()

    def _elements(self, fetches: Any) -> list[Any]:
        leaves = nest.flatten(fetches, expand_composites=True)
        return [self._session._element(leaf) for leaf in leaves]

    @staticmethod
    def _name(element: Any) -> str:
        return element.name

    @property
    def is_complete(self) -> bool:
        """Whether everything has been fetched."""
        return not self._pending

    def run(self, fetches: Any, feed_dict: Any) -> Any:
        """One part; see `BaseSession.partial_run`."""
        elements = self._elements(fetches)
        for name in map(self._name, elements):
            _check("fetch", name, self._pending, self._all[0], "fetched")
        fed = {}
        for key, value in (feed_dict or {}).items():
            for tensor, part in zip(
                self._session._fed_elements(key),
                nest.flatten(value, expand_composites=True) if nest.is_nested(key) else [value],
                strict=True,
            ):
                _check("feed", tensor.name, self._unfed, self._all[1], "fed")
                fed[tensor.name] = part
        unfed = self._unfed.keys() - fed.keys()
        visited, frontier = self._needed(elements, unfed, {**self._known, **fed})
        kept = [
            tensor
            for operation in visited
            for tensor in operation.outputs
            if tensor.dtype not in _NOT_KEPT
        ]
        results, values = self._session.run((fetches, kept), frontier)
        self._known.update(fed)
        self._known.update(zip(map(self._name, kept), values, strict=True))
        self._done.update(operation.name for operation in visited)
        for name in map(self._name, elements):
            self._pending.pop(name, None)
        for name in fed:
            del self._unfed[name]
        return results

    def _needed(
        self, elements: list[Any], unfed: Any, known: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """The operations that have to run, and the known values that they are computed from."""
        visited: dict[str, Any] = {}
        frontier: dict[str, Any] = {}
        queue = list(elements)
        while queue:
            element = queue.pop()
            if isinstance(element, _core.Tensor):
                if element.name in known:
                    frontier[element.name] = known[element.name]
                    continue
                if element.name in unfed:
                    raise InvalidArgumentError._of(
                        f"Fetch {element.name} can't be computed from the feeds that have been fed "
                        "so far."
                    )
            operation = element if isinstance(element, Operation) else element.op
            if operation.name in visited:
                continue
            visited[operation.name] = operation
            queue += operation.inputs
            for before in operation.control_inputs:
                if before.name in self._done:
                    raise UnimplementedError._of(
                        f"Operation {operation.name} has to run after {before.name}, which has run "
                        "in an earlier part of this run."
                    )
                queue.append(before)
        return list(visited.values()), frontier


def _check(kind: str, name: str, pending: Any, every: frozenset[str], done: str) -> None:
    if name in pending:
        return
    if name in every:
        raise InvalidArgumentError._of(f"The {kind} {name} has already been {done}.")
    raise InvalidArgumentError._of(f"The {kind} {name} was not specified in partial_run_setup.")
