"""Keras's layers on tensors of a graph: their weights are variables of the graph, calls are nodes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow import _core, context, nest
from eagerflow.graph.recording import record
from eagerflow.graph.structure import symbols
from eagerflow.graph.variables import GraphVariable


class _State(threading.local):
    building = False


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
    from eagerflow.v1.variable_scope import initial_value

    graph = context.building_graph()
    full = f"{layer.name}/{name or 'variable'}"
    with graph.name_scope(None):
        value, dtype = initial_value(full, shape, dtype, initializer)
        return GraphVariable(value, trainable, name=full, dtype=dtype, constraint=constraint)


def call(layer: Any, inputs: Any, rest: tuple, kwargs: dict[str, Any]) -> Any:
    """What a layer gives for tensors of the graph.

    Args:
        layer: the layer; it is built if it is not yet.
        inputs: its first argument.
        rest: further arguments.
        kwargs: keyword arguments.
    """
    graph = context.building_graph()
    _, rest, kwargs = layer._with_training(layer._call_spec, inputs, rest, kwargs)
    with _building():
        if not layer.built:
            layer._build_for(inputs)
        inputs = nest.map_structure(lambda value: _cast(graph, layer, value), inputs)
        if len(list(layer._flatten_layers())) > 1:
            # The layers inside make their own nodes.
            return layer.call(inputs, *rest, **kwargs)
    return record(graph, layer.call, (inputs, *rest), kwargs, kind=type(layer).__name__)


def _cast(graph: Any, layer: Any, value: Any) -> Any:
    """An input in the dtype that the layer computes in."""
    compute = layer._dtype_policy.compute
    dtype = getattr(value, "dtype", None)
    if not layer._autocast or compute is None or dtype is None or not dtype.is_floating:
        return value
    return value if dtype == compute else record(graph, _core.ops.cast, (value, compute))
