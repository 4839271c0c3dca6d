"""Keras's layers on tensors of a graph: their weights are variables of the graph, calls are nodes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.outside import as_symbols
from eagerflow.graph.recording import record
from eagerflow.graph.shared_variables import call_of
from eagerflow.graph.structure import is_symbol, symbols
from eagerflow.graph.variables import GraphVariable
from eagerflow.keras.engine import layer_call
from eagerflow.keras.engine.graph_session import get_session
from eagerflow.util import lazy

# Imported when it is first used: it imports Keras.
variable_scope = lazy.Module("eagerflow.v1.variable_scope")


class _State(threading.local):
    building = False
    names = ""  # the names of the layers around, which prefix those of new weights


_state = _State()


def applies(inputs: Any) -> bool:
    """Whether a layer is called on tensors of the graph that is being built."""
    return context.building_graph() is not None and bool(symbols(inputs))


@contextmanager
def _building() -> Iterator[None]:
    outer, _state.building = _state.building, True
    try:
        yield
    finally:
        _state.building = outer


def makes_weights() -> bool:
    """Whether weights that are made now belong to a graph."""
    return _state.building and context.building_graph() is not None


def make_weight(
    layer: Any,
    name: str | None,
    shape: Any,
    dtype: Any,
    initializer: Any,
    trainable: bool,
    constraint: Any,
) -> Any:
    """A weight of a layer as a variable of the graph."""
    graph = context.building_graph()
    own = "" if _state.names.endswith(f"{layer.name}/") else f"{layer.name}/"
    full = f"{_state.names}{own}{name or 'variable'}"
    with graph.name_scope(None):
        value, dtype = variable_scope.initial_value(full, shape, dtype, initializer)
        return GraphVariable(value, trainable, name=full, dtype=dtype, constraint=constraint)


def session_variables(variables: list[Any]) -> list[Any]:
    """The variables with the values of a graph's variables in Keras's session.

    Those that have none yet get their initial values.
    """
    session = get_session()
    missing = [
        v
        for v in variables
        if is_symbol(v) and not hasattr(v, "_shared") and id(v) not in session._storage
    ]
    if missing:
        session.run([variable.initializer for variable in missing])
    return [v._storage_in(session) if is_symbol(v) else v for v in variables]


def value_of(tensor: Any) -> Any:
    """The value of a graph's tensor in Keras's session."""
    graph = tensor.graph
    session_variables(list(graph.get_collection(GraphKeys.GLOBAL_VARIABLES)))
    return get_session().run(tensor)


def function_of(inputs: Any, outputs: Any, updates: Any = None) -> Any:
    """A function from values of inputs to those of outputs, which runs in Keras's session.

    Args:
        inputs: tensors of the graph, or symbolic ones.
        outputs: what to compute.
        updates: what to run as well: operations, or pairs of a variable and its new value.
    """
    graph = context.building_graph()
    fed = as_symbols(list(inputs), graph)
    single = not isinstance(outputs, list | tuple)
    fetched = as_symbols([outputs] if single else list(outputs), graph)
    changes = []
    for update in updates or []:
        if isinstance(update, tuple):
            variable, value = as_symbols(list(update), graph)
            update = variable.assign(value)
        changes.append(update)

    def run(values: Any) -> Any:
        session = get_session()
        session_variables(list(graph.get_collection(GraphKeys.GLOBAL_VARIABLES)))
        values_fetched, _ = session.run([fetched, changes], dict(zip(fed, values, strict=True)))
        return values_fetched[0] if single else values_fetched

    return run


def values_of(variables: list[Any]) -> list[Any]:
    """The values of variables of a graph, arrays."""
    return [variable.numpy() for variable in session_variables(variables)]


def call(layer: Any, inputs: Any, rest: tuple, kwargs: dict[str, Any]) -> Any:
    """The outputs of a layer for tensors of the graph.

    Args:
        layer: the layer; it is built if it is not yet.
        inputs: its first argument.
        rest: further arguments.
        kwargs: keyword arguments.
    """
    graph = context.building_graph()
    _, rest, kwargs = layer_call.resolve_training(layer._call_spec, inputs, rest, kwargs)
    outer = _state.names
    inside = len(list(layer._flatten_layers())) > 1
    if inside:
        _state.names = f"{outer}{layer.name}/"
    try:
        with _building():
            if not layer.built and _builds(layer):
                layer._build_for(inputs)
            inputs = nest.map_structure(lambda value: _cast(graph, layer, value), inputs)
            if inside and not _is_whole(layer):
                # The layers inside make their own nodes.
                outputs = layer.call(inputs, *rest, **kwargs)
                layer.built = True
                return outputs
    finally:
        _state.names = outer
    function = call_of(layer, graph)
    return record(graph, function, (inputs, *rest), kwargs, kind=type(layer).__name__)


def _builds(layer: Any) -> bool:
    """Whether a layer is built before it is called: subclassed models need not be."""
    return not layer._is_model or layer._layers_are_ordered


def _is_whole(layer: Any) -> bool:
    """Whether a layer of layers is one node, as wrappers and recurrent layers, but not models, are."""
    return not layer._is_model and all(inner.built for inner in layer._flatten_layers())


def _cast(graph: Any, layer: Any, value: Any) -> Any:
    """An input in the dtype that the layer computes in."""
    compute = layer._dtype_policy.compute
    dtype = getattr(value, "dtype", None)
    if not layer._autocast or compute is None or dtype is None or not dtype.is_floating:
        return value
    return value if dtype == compute else record(graph, _core.ops.cast, (value, compute))
