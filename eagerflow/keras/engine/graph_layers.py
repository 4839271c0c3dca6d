"""Keras in programs of version 1: weights are listed in the graph, values are those of a session."""

from __future__ import annotations

from typing import Any

from eagerflow.framework import context
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.symbols import as_tensors
from eagerflow.graph.variables import GraphVariable, nodes_of
from eagerflow.keras import initializers
from eagerflow.keras.engine.graph_session import get_session
from eagerflow.keras.engine.weights import default_initializer, make_weight
from eagerflow.keras.random_generator import RandomGenerator


def make_listed_weight(
    prefix: str,
    name: str | None,
    shape: Any,
    dtype: Any,
    initializer: Any,
    trainable: bool,
    constraint: Any,
    synchronization: Any,
    aggregation: Any,
    cast: bool,
    layer_name: str,
) -> Any:
    """A layer's new weight; see `make_weight`. A program's graph lists it among its variables.

    The weight has a value at once, which all sessions share with what trains models without them.
    """
    graph = context.surrounding_graph()
    if graph is not None:
        initializer = _refreshed(
            default_initializer(dtype, name, layer_name) if initializer is None else initializer
        )
    with context.running_eagerly():
        variable = make_weight(
            prefix,
            name,
            shape,
            dtype,
            initializer,
            trainable,
            constraint,
            synchronization,
            aggregation,
            cast,
            layer_name,
        )
    if graph is not None:
        nodes_of(variable, graph)
    return variable


def _refreshed(initializer: Any) -> Any:
    """An initializer that draws as version 1's do: by the seeds of `tf.random`."""
    initializer = initializers.get(initializer)
    if getattr(initializer, "seed", 0) is None and hasattr(initializer, "_random_generator"):
        initializer._random_generator = RandomGenerator(None, "legacy_stateful")
        initializer._used = False
    return initializer


def initialize_variables(graph: Any) -> None:
    """Gives those variables of a graph that have no value in Keras's session their initial ones."""
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
    """A function from values of inputs to those of outputs, which runs in Keras's session.

    Args:
        inputs: tensors of the graph, or symbolic ones.
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


def set_value(variable: Any, value: Any) -> None:
    """Gives a variable of a graph a value, in Keras's session."""
    variable.load(value, get_session())
