"""Runs the operations that fetched tensors need."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from eagerflow import _core, errors, nest
from eagerflow.framework import context, random_seed
from eagerflow.graph import inference
from eagerflow.graph.graph import Operation, ports
from eagerflow.graph.structure import replace


class _State(threading.local):
    run: Run | None = None


_state = _State()


def current_run() -> Run | None:
    """The run of a session that this thread is in, or None."""
    return _state.run


def resolve(symbol: Any) -> Any:
    """The value of a graph tensor in this run, or the symbolic value that shapes are inferred with.

    Raises:
        TypeError: outside of both.
    """
    choice = inference.inferring()
    if choice is not None:
        return inference.symbolic_value(symbol, choice)
    run = _state.run
    if run is None:
        raise TypeError(
            f"{symbol!r} belongs to a graph and has no value: let a session run it, or enable eager "
            "execution."
        )
    return run.value(symbol)


def resolve_all(value: Any) -> Any:
    """A value with all graph tensors in it resolved."""
    return replace(value, resolve)


class Run:
    """One call of a session's `run`: what functions written in Python get to see of it.

    Args:
        session: holds the variables' values.
        fed: the identities of the tensors that have been given values.
    """

    def __init__(self, session: Any, fed: tuple[int, ...]) -> None:
        self.session = session
        self._fed = fed
        self._feeds: list[Any] = []
        self._symbols: list[Any] = []
        self._running: Any = None
        self._late_values: dict[int, Any] = {}

    def execute(
        self, plan: Any, symbols: list[Any], feeds: list[Any], fetched: Sequence[Any] = ()
    ) -> list[Any]:
        """The values that a plan fetches.

        Args:
            plan: an engine's plan.
            symbols: the tensors that are fed.
            feeds: their values.
            fetched: the variables among what is fetched.
        """
        outer, _state.run = _state.run, self
        self._symbols, self._feeds = symbols, feeds
        try:
            with context.running_eagerly():
                return plan.run(self.session._store, feeds, self)
        except errors.FailedPreconditionError as error:
            # A variable that is fetched itself is read by no operation.
            for variable in fetched:
                if id(variable) not in self.session._storage:
                    _name_culprit(error, variable.op)
            raise
        finally:
            _state.run = outer

    def value(self, symbol: Any) -> Any:
        """A tensor's value, or the variable that holds a graph variable's."""
        variable = getattr(symbol, "_storage_in", None)
        if variable is not None and id(symbol) not in self._fed:
            result = variable(self.session)
            # The engine has its tape watch variables that it is asked for.
            self._running.value(symbol.op._node, symbol.value_index)
            return result
        result = self._running.value(symbol.op._node, symbol.value_index)
        return self._value_of_no_dependency(symbol) if result is None else result

    def _value_of_no_dependency(self, symbol: Any) -> Any:
        """The value of a tensor that is no dependency of what was fetched, computed in a run of its own."""
        value = self._late_values.get(id(symbol))
        if value is None:
            graph = symbol.graph
            plan = _core.SessionPlan(graph._native, ports([symbol]), [], ports(self._symbols))
            inner = Run(self.session, self._fed)
            (value,) = inner.execute(plan, self._symbols, self._feeds)
            self._late_values[id(symbol)] = value
        return value

    # The engine calls these.

    def run_node(self, running: Any, node: int) -> list[Any]:
        """Runs an operation that is a Python function; returns a value for each of its outputs."""
        self._running = running
        operation = self.session.graph._by_node[node]
        args = replace(operation.args, self.value)
        kwargs = replace(operation.kwargs, self.value)
        with random_seed.drawing(self.session._op_seeds_of(operation).draw):
            result = operation.function(*args, **kwargs)
        outputs = operation.outputs
        if not outputs:
            return []
        if len(outputs) == 1 and not nest.is_nested(result):
            return [result]
        return [
            leaf
            for leaf, shown in zip(
                nest.flatten(result), nest.flatten(operation.structure), strict=True
            )
            if hasattr(shown, "dtype") and hasattr(shown, "shape")
        ]

    def explain(self, error: Exception, node: int) -> None:
        """Adds to an error which operation it comes from."""
        _name_culprit(error, self.session.graph._by_node[node])


def _name_culprit(error: Exception, operation: Operation) -> None:
    """Adds the operation, and where the program made it, to an error's message."""
    if getattr(error, "_graph_operation", None) is not None:
        return
    note = f"\n\nIn operation '{operation.name}' of type {operation.type}, made at:\n"
    note += operation.where()
    if isinstance(error, errors.OpError):
        error._message = f"{error.message}{note}"
        error.args = (error._message, *error.args[1:])
    elif error.args and isinstance(error.args[0], str):
        error.args = (error.args[0] + note, *error.args[1:])
    error._graph_operation = operation  # type: ignore[attr-defined]
