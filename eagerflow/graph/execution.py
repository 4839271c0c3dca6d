"""Running the operations that fetches need."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from eagerflow import _core, context, errors, nest
from eagerflow.graph import inference
from eagerflow.graph.graph import Operation
from eagerflow.graph.structure import replace
from eagerflow.tape import GradientTape


class _State(threading.local):
    run: Run | None = None


_state = _State()


def current_run() -> Run | None:
    """The run of a session that this thread is in, or None."""
    return _state.run


def resolve(symbol: Any) -> Any:
    """What stands for a graph tensor now: its value in a run, or a tensor to infer shapes with.

    Raises:
        TypeError: outside of both.
    """
    choice = inference.inferring()
    if choice is not None:
        return inference.stand_in(symbol, choice)
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
    """One call of a session's `run`: values that are fed, and those computed so far.

    Args:
        session: holds the variables' values.
        feeds: values by the identity of the tensor that they stand for.
        watched: the tensors whose gradients will be asked for.
    """

    def __init__(self, session: Any, feeds: dict[int, Any], watched: Iterable[Any]) -> None:
        self.session = session
        self._feeds = feeds
        self._watched = {id(symbol) for symbol in watched}
        self._results: dict[int, list[Any]] = {}
        self.tape: GradientTape | None = None
        if self._watched:
            self.tape = GradientTape(persistent=True, watch_accessed_variables=False)

    def fetch(self, elements: list[Any]) -> list[Any]:
        """The values of tensors, and None for operations."""
        outer, _state.run = _state.run, self
        try:
            with context.running_eagerly():
                if self.tape is None:
                    return [self._element(element) for element in elements]
                with self.tape:
                    for value in self._feeds_to_watch():
                        self.tape.watch(value)
                    return [self._element(element) for element in elements]
        finally:
            _state.run = outer

    def _feeds_to_watch(self) -> list[Any]:
        return [value for key, value in self._feeds.items() if key in self._watched]

    def _element(self, element: Any) -> Any:
        if isinstance(element, Operation):
            self._run(element)
            return None
        value = self.value(element)
        return value.read_value() if isinstance(value, _core.Variable) else value

    def value(self, symbol: Any) -> Any:
        """A tensor's value, or the variable that holds a graph variable's."""
        fed = self._feeds.get(id(symbol))
        if fed is not None:
            return fed
        variable = getattr(symbol, "_storage_in", None)
        if variable is not None:
            found = variable(self.session)
            if self.tape is not None and id(symbol) in self._watched:
                self.tape.watch(found)
            return found
        self._run(symbol.op)
        return self._results[id(symbol.op)][symbol.value_index]

    def _run(self, operation: Operation) -> None:
        """Runs an operation after all that it needs."""
        results = self._results
        stack = [operation]
        while stack:
            top = stack[-1]
            if id(top) in results:
                stack.pop()
                continue
            needed = [op for op in self._needed(top) if id(op) not in results]
            if needed:
                stack.extend(reversed(needed))
                continue
            stack.pop()
            self._execute(top)

    def _needed(self, operation: Operation) -> list[Operation]:
        if operation.pending is not None:
            chosen = operation.pending(self)
            return [*operation.control_inputs, *chosen]
        return [*operation.control_inputs, *self.producers(operation.inputs)]

    def producers(self, inputs: Iterable[Any]) -> list[Operation]:
        """The operations that have to run for tensors to have values."""
        feeds = self._feeds
        return [
            symbol.op
            for symbol in inputs
            if id(symbol) not in feeds and not hasattr(symbol, "_storage_in")
        ]

    def has(self, symbol: Any) -> bool:
        """Whether a tensor's value is there already."""
        return id(symbol) in self._feeds or id(symbol.op) in self._results

    def _execute(self, operation: Operation) -> None:
        args = replace(operation.args, self.value)
        kwargs = replace(operation.kwargs, self.value)
        try:
            result = operation.function(*args, **kwargs)
        except Exception as error:
            _name_culprit(error, operation)
            raise
        outputs = operation.outputs
        if len(outputs) == 1 and not nest.is_nested(result):
            values = [result]
        elif outputs:
            values = [
                leaf
                for leaf, shown in zip(
                    nest.flatten(result), nest.flatten(operation.structure), strict=True
                )
                if hasattr(shown, "dtype") and hasattr(shown, "shape")
            ]
        else:
            values = []
        if self.tape is not None:
            for symbol, value in zip(outputs, values, strict=True):
                if id(symbol) in self._watched:
                    self.tape.watch(value)
        self._results[id(operation)] = values


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


def reachable(elements: Iterable[Any]) -> list[Operation]:
    """All operations that may have to run for some tensors and operations."""
    found: dict[int, Operation] = {}
    stack = [element if isinstance(element, Operation) else element.op for element in elements]
    while stack:
        operation = stack.pop()
        if operation is None or id(operation) in found:
            continue
        found[id(operation)] = operation
        stack.extend(operation.control_inputs)
        stack.extend(symbol.op for symbol in operation.inputs)
    return list(found.values())
