"""Traces: which operations ran, on what, and from which lines of the program."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from eagerflow import _core
from eagerflow.debug.source_line import Line, calling_line


@dataclass(frozen=True)
class Step:
    """One operation that ran."""

    name: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    line: Line | None


class Trace:
    """Notes every operation of this thread inside of its `with` block, with the program's line.

    The tensors are kept as long as the trace is.

    >>> with tf.debug.trace() as trace:
    ...     y = tf.exp(tf.constant(1.0)) + 1.0
    >>> [step.name for step in trace.steps]
    ['Exp', 'AddV2']
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._thread = 0

    def _note(self, name: str, inputs: tuple[Any, ...], outputs: tuple[_core.Tensor, ...]) -> None:
        if threading.get_ident() == self._thread:
            # In a traced function, the line that was traced.
            source = _core.running_source()
            line = calling_line() if source is None else Line(*source)
            self.steps.append(Step(name, tuple(inputs), tuple(outputs), line))

    def __enter__(self) -> Trace:
        self._thread = threading.get_ident()
        self._observer = self._note
        _core.add_observer(self._observer)
        _active.traces.append(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _core.remove_observer(self._observer)
        _active.traces.remove(self)
        _active.last = self


class _Active(threading.local):
    def __init__(self) -> None:
        self.traces: list[Trace] = []
        self.last: Trace | None = None


_active = _Active()


def trace() -> Trace:
    """A context manager that notes operations, for `explain_gradient`, `show_tape`, `draw_tape`."""
    return Trace()


def current_trace() -> Trace | None:
    """The innermost trace, or else the one that ended last."""
    return _active.traces[-1] if _active.traces else _active.last


def trace_or_error(given: Trace | None) -> Trace:
    """The argument, or else the current trace.

    Raises:
        ValueError: if there is none.
    """
    recorded = given or current_trace()
    if recorded is None:
        raise ValueError(
            "Nothing has been traced: put the computation inside of `with eagerflow.debug.trace():`."
        )
    return recorded


class Keys:
    """Identifies values as one tape does: a variable equals the values read from it."""

    def __init__(self, tape: Any) -> None:
        self._tape = tape

    def __call__(self, value: Any) -> Any:
        """A key that is equal for all values that the tape treats as one."""
        entry = self._tape._entry(value)
        return ("entry", entry) if entry else ("id", value._id)

    def recorded(self, value: object) -> bool:
        """Whether the tape has an entry for the value."""
        return bool(self._tape._entry(value))
