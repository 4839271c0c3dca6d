"""Whether operations run when they are called, or become nodes of a graph."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow import _core

# The entry on a thread's stack of modes for eager execution.
_EAGER = object()


class _Modes(threading.local):
    def __init__(self) -> None:
        self.stack: list[Any] = []


class _Process:
    """State of all threads: the default mode, and whether graphs are used at all."""

    eager = True
    graphs_used = False
    # Whether functions draw random values as operations outside them do.
    functions_eager = False
    default_graph: Any = None
    # Makes a graph; set by `eagerflow.graph.graph`, imported only where graphs are built.
    make_graph: Callable[[], Any]


_modes = _Modes()
process = _Process()


def executing_eagerly() -> bool:
    """Whether operations run when they are called.

    False while a function is traced or a `tf.Graph` is being built.

    >>> tf.executing_eagerly()
    True
    """
    return _core.building() is None and building_graph() is None


def building_graph() -> Any:
    """The graph that operations of this thread are added to, or None if they run."""
    if not process.graphs_used:
        return None
    stack = _modes.stack
    if stack:
        return None if stack[-1] is _EAGER else stack[-1]
    return None if process.eager else default_graph()


def default_graph() -> Any:
    """The innermost graph that was made the default, or else the process's own."""
    for mode in reversed(_modes.stack):
        if mode is not _EAGER:
            return mode
    if process.default_graph is None:
        process.default_graph = process.make_graph()
    return process.default_graph


def set_eager(eager: bool) -> None:
    """Chooses what operations do outside of all graphs: run, or be added to the default graph."""
    process.eager = eager
    _core.record_calls_by_default(not eager)
    if not eager:
        process.graphs_used = True


def reset_default_graph() -> None:
    """Makes the next use of the process's graph start with an empty one.

    Raises:
        AssertionError: inside of `Graph.as_default()`.
    """
    if any(mode is not _EAGER for mode in _modes.stack):
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. "
            "If you need a cleared graph, exit the nesting and create a new graph."
        )
    process.default_graph = None


def _push(mode: Any) -> None:
    _modes.stack.append(mode)
    _core.record_calls(mode is not _EAGER)


def _pop() -> None:
    _modes.stack.pop()
    _core.record_calls(_modes.stack[-1] is not _EAGER if _modes.stack else None)


@contextmanager
def building(graph: Any) -> Iterator[Any]:
    """Adds the operations inside to a graph."""
    process.graphs_used = True
    _push(graph)
    try:
        yield graph
    finally:
        _pop()


@contextmanager
def running_eagerly() -> Iterator[None]:
    """Runs the operations inside when they are called."""
    _push(_EAGER)
    try:
        yield
    finally:
        _pop()


def inside_function() -> bool:
    """Whether a function is being traced, also within `tf.init_scope`.

    >>> tf.inside_function()
    False
    """
    return _core.inside_graph()


def get_logger() -> Any:
    """The logger of this package.

    >>> tf.get_logger().name
    'eagerflow'
    """
    import logging

    return logging.getLogger("eagerflow")
