"""Keras in programs of version 1: the graph lists the weights, a session has their values."""

from __future__ import annotations

import functools
import threading
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.graph import Graph
from eagerflow.graph.placeholder import placeholder
from eagerflow.graph.session import Session, get_default_session, provide_session
from eagerflow.graph.symbols import as_tensors
from eagerflow.graph.variables import GraphVariable, nodes_of
from eagerflow.keras import initializers
from eagerflow.keras.engine.calls.arguments import map_arguments
from eagerflow.keras.engine.weights import default_initializer, make_weight
from eagerflow.keras.random_generator import RandomGenerator


def make_listed_weight(
    prefix: str,
    name: str | None,
    shape: Any,
    dtype: Any,
    initializer: Any,
    *others: Any,
    listed: bool = True,
) -> Any:
    """A layer's new weight; see `make_weight`. A program's graph lists it among its variables.

    The weight has a value at once, which all sessions share with what trains models without them.
    """
    graph = context.surrounding_graph()
    if graph is not None:
        initializer = _refreshed(
            default_initializer(dtype, name, others[-1]) if initializer is None else initializer
        )
    with context.running_eagerly():
        variable = make_weight(prefix, name, shape, dtype, initializer, *others)
    if graph is not None:
        nodes_of(variable, graph, listed)
    return variable


make_unlisted_weight = functools.partial(make_listed_weight, listed=False)


def _refreshed(initializer: Any) -> Any:
    """An initializer that draws as version 1's do: by the seeds of `tf.random`."""
    initializer = initializers.get(initializer)
    if getattr(initializer, "seed", 0) is None and hasattr(initializer, "_random_generator"):
        initializer._random_generator = RandomGenerator(None, "legacy_stateful")
        initializer._used = False
    return initializer


def initialize_variables(graph: Graph) -> None:
    """Initializes the variables of a graph that have no value in Keras's session."""
    session = get_session()
    missing = [
        variable.initializer
        for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        if isinstance(variable, GraphVariable) and not session._store.initialized(variable)
    ]
    if missing:
        session.run(missing)


def value_of(tensor: Any) -> Any:
    """The value of a graph's tensor or variable in Keras's session."""
    initialize_variables(tensor.graph)
    return get_session().run(tensor)


def function_of(inputs: Any, outputs: Any, updates: Any = None) -> Any:
    """A function that computes outputs from inputs in Keras's session.

    Args:
        inputs: tensors of the graph, or symbolic tensors.
        outputs: what to compute.
        updates: what to run as well: operations, or pairs of a variable and its new value.
    """
    graph = context.building_graph()
    fed = as_tensors(list(inputs), graph)
    single = not isinstance(outputs, list | tuple)
    fetched = as_tensors([outputs] if single else list(outputs), graph)
    changes = []
    for update in updates or []:
        if isinstance(update, tuple):
            variable, value = as_tensors(list(update), graph)
            variable.assign(value)
            update = graph.last_operation()
        changes.append(update)

    def run(values: Any) -> Any:
        session = get_session()
        initialize_variables(graph)
        values_fetched, _ = session.run([fetched, changes], dict(zip(fed, values, strict=True)))
        return values_fetched[0] if single else values_fetched

    return run


def set_value(variable: Any, value: object) -> None:
    """Assigns a value to a variable of a graph in Keras's session."""
    variable.load(value, get_session())


class _Local(threading.local):
    session: Any = None


_local = _Local()


def set_session(session: object) -> None:
    """Sets the session that `get_session` returns."""
    _local.session = session


def get_session(op_input_list: object = ()) -> Any:
    """The default session, else the session that was set, else a new one for the default graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.keras.backend.get_session() is session
    True
    """
    session = get_default_session()
    if session is None:
        session = _local.session
    if session is None or session.graph is not context.default_graph():
        session = _local.session = Session()
    return session


provide_session(get_session)


def tensor_of(symbol: Any, graph: Graph) -> _core.Tensor:
    """The graph's tensor for a symbolic tensor of a model; made at its first use.

    Args:
        symbol: the symbolic tensor.
        graph: the graph.

    Raises:
        ValueError: if the tensor comes from no layer.
    """
    known = graph.keras_tensors
    if id(symbol) in known:
        return known[id(symbol)][1]
    if symbol._keras_history is None:
        raise ValueError(f"{symbol!r} comes from no layer: there is nothing to compute it with.")
    with context.building(graph), graph.name_scope(None), graph.control_dependencies(None):
        # Calls follow their dependencies; a list, since models may be deeper than Python's stack.
        stack = [symbol]
        while stack:
            last = stack[-1]
            if id(last) in known:
                stack.pop()
                continue
            missing = [t for t in last.node.keras_inputs if id(t) not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            _add(last, known)
    return known[id(symbol)][1]


def _add(symbol: Any, known: dict[int, tuple[Any, Any]]) -> None:
    """Adds the nodes of the call that a symbolic tensor comes from."""
    node = symbol.node
    if node.is_input:
        given = placeholder(symbol.dtype, symbol.shape, symbol._keras_history.layer.name)
        known[id(symbol)] = symbol, given
        return

    def there(value: object) -> Any:
        return known[id(value)][1] if id(value) in known else value

    args, kwargs = map_arguments(there, node.call_args, node.call_kwargs)
    results = nest.flatten(node.layer(*args, **kwargs))
    for made, result in zip(nest.flatten(node.outputs), results, strict=True):
        known[id(made)] = made, result
