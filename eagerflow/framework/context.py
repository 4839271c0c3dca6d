"""Whether operations run when they are called, or become nodes of a graph."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow import _core
from eagerflow.framework import name_scope


class _Graphs(threading.local):
    def __init__(self) -> None:
        self.stack: list[Any] = []  # graphs that `as_default` has entered, outermost first


class _Process:
    """State of all threads: the default mode, and whether graphs are used at all."""

    eager = True
    graphs_used = False
    # Whether a session, or a model of Keras, has run a part of a graph.
    graphs_run = False
    # Whether loops in graphs return structures as they do in version 2.
    control_flow_v2 = True
    # Whether assignments to graphs' variables return the variables, and not their values.
    resource_variables = True
    # Whether programs use version 2, where histories name metrics as programs passed them.
    version_2 = True
    # Whether Keras's layers compute in Keras's float type, and not in that of their first input.
    v2_dtypes = True
    # Whether functions draw random values as operations outside them do.
    functions_eager = False
    default_graph: Any = None
    # Creates a graph; set by `eagerflow.graph.graph`, imported only where graphs are built.
    make_graph: Callable[[], Any]


_graphs = _Graphs()
process = _Process()


def executing_eagerly() -> bool:
    """Whether operations run when they are called.

    False while a function is traced or a `tf.Graph` is being built.

    >>> tf.executing_eagerly()
    True
    """
    return _core.building() is None


def building_graph() -> Any:
    """The `tf.Graph` being built, also by a function that is traced in it, or None."""
    if not process.graphs_used:
        return None
    graph = _core.building()
    while graph is not None and graph.building_function:
        graph = graph.outer
    return graph


def surrounding_graph() -> Any:
    """The innermost `tf.Graph`, also while operations inside it run eagerly, or None."""
    if not process.graphs_used:
        return None
    if _graphs.stack:
        return _graphs.stack[-1]
    return None if process.eager else process.default_graph


def default_graph() -> Any:
    """The innermost graph that was made the default, or else the process's own."""
    if _graphs.stack:
        return _graphs.stack[-1]
    if process.default_graph is None:
        process.default_graph = process.make_graph()
    return process.default_graph


def set_eager(eager: bool) -> None:
    """Chooses whether operations outside of all graphs run or are added to the default graph."""
    process.eager = eager
    if not eager:
        process.graphs_used = True
        if process.default_graph is None:
            process.default_graph = process.make_graph()
    _core.set_default_graph(None if eager else process.default_graph)


def has_nested_graphs() -> bool:
    """Whether this is inside of `Graph.as_default()`."""
    return bool(_graphs.stack)


# Called when the process's graph is replaced, such as by what counts names.
at_reset: list[Callable[[], object]] = []


def reset_default_graph() -> None:
    """Replaces the process's graph by an empty one, in which names are free again.

    Raises:
        AssertionError: inside of `Graph.as_default()`.
    """
    if _graphs.stack:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. "
            "If you need a cleared graph, exit the nesting and create a new graph."
        )
    process.default_graph = None
    set_eager(process.eager)
    for forget in at_reset:
        forget()


@contextmanager
def building(graph: _core.Graph) -> Iterator[Any]:
    """Adds the operations inside to a graph."""
    process.graphs_used = True
    # If this graph is already being built, its name scope stays open and tapes keep recording.
    is_building = _core.building() is graph
    prefix = name_scope.current_prefix() if is_building else ""
    _graphs.stack.append(graph)
    if not is_building:
        graph.enter()
    try:
        with name_scope.name_scope(prefix):
            yield graph
    finally:
        if not is_building:
            graph.exit()
        _graphs.stack.pop()


@contextmanager
def running_eagerly() -> Iterator[None]:
    """Runs the operations inside immediately."""
    _core.begin_eager()
    try:
        yield
    finally:
        _core.end_eager()


def at_once(function: Callable[..., object]) -> Callable[..., Any]:
    """Wraps a function so that it runs eagerly even while a `tf.Graph` is being built."""

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        if building_graph() is None:
            return function(*args, **kwargs)
        with running_eagerly():
            return function(*args, **kwargs)

    return call


class _AsNodes(threading.local):
    """Whether this thread's calls of NumPy functions fail as nodes of graphs do."""

    active = False


as_nodes = _AsNodes()


@contextmanager
def calling_as_nodes(active: bool) -> Iterator[None]:
    """Has NumPy functions that are called inside raise what they raise in graphs.

    TensorFlow computes the rows of a Jacobian in a graph, although it was asked for eagerly.
    """
    before, as_nodes.active = as_nodes.active, active
    try:
        yield
    finally:
        as_nodes.active = before


@contextmanager
def outside_functions() -> Iterator[None]:
    """Adds the operations inside to the `tf.Graph` around all functions; runs them without one."""
    graph = building_graph()
    if graph is None:
        with running_eagerly():
            yield
        return
    with building(graph), graph.control_dependencies(None), _core.stop_recording():
        yield


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
