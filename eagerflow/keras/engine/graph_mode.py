"""Keras in programs of version 1: the graph lists the weights, a session has their values."""

from __future__ import annotations

import functools
import threading
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context, random_seed
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.graph import Graph
from eagerflow.graph.placeholder import placeholder
from eagerflow.graph.session import Session, get_default_session, provide_session
from eagerflow.graph.symbols import as_tensors
from eagerflow.graph.variables import GraphVariable, nodes_of
from eagerflow.keras import initializers
from eagerflow.keras.engine.calls import layer_call
from eagerflow.keras.engine.calls.arguments import flatten_arguments, map_arguments
from eagerflow.keras.engine.calls.context import apart
from eagerflow.keras.engine.calls.context import context as calls
from eagerflow.keras.engine.functional.graph_part import GraphPart
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor, symbolic_tensor
from eagerflow.keras.engine.functional.node import (
    call_symbolically,
    connect,
    is_default,
    of_number,
)
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
        initializer = _evaluating(
            _refreshed(
                default_initializer(dtype, name, others[-1]) if initializer is None else initializer
            )
        )
    source = None if graph is None else random_seed.as_nodes_of(graph)
    with context.running_eagerly(), random_seed.drawing(source):
        variable = make_weight(prefix, name, shape, dtype, initializer, *others)
    if graph is not None:
        nodes_of(variable, graph, listed)
    return variable


make_unlisted_weight = functools.partial(make_listed_weight, listed=False)


def _refreshed(initializer: Any) -> Any:
    """An initializer that draws as version 1's do, by the seeds of `tf.random`, in its behaviour."""
    initializer = initializers.get(initializer)
    if context.process.version_2:
        # Without eager execution alone, Keras's initializers are those of version 2.
        return initializer
    if getattr(initializer, "seed", 0) is None and hasattr(initializer, "_random_generator"):
        initializer._random_generator = RandomGenerator(None, "legacy_stateful")
        initializer._used = False
    return initializer


def _evaluating(initializer: Any) -> Any:
    """An initializer whose results have values: a program's own may return tensors of the graph."""
    if isinstance(initializer, initializers.Initializer):
        return initializer

    @functools.wraps(initializer)
    def evaluated(*args: Any, **kwargs: Any) -> Any:
        value = initializer(*args, **kwargs)
        return value_of(value) if is_symbolic(value) else value

    return evaluated


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
        inputs: tensors of the graph, or symbolic tensors, in any structure.
        outputs: what to compute, in any structure.
        updates: what to run as well: operations, or pairs of a variable and its new value.
    """
    graph = context.building_graph()
    fed = as_tensors(nest.flatten(inputs), graph)
    fetched = as_tensors(nest.flatten(outputs), graph)
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
        feeds = dict(zip(fed, nest.flatten(values), strict=True))
        values_fetched, _ = session.run([fetched, changes], feeds)
        return nest.pack_sequence_as(outputs, values_fetched)

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


def recording_graph() -> Graph | None:
    """The graph in which what layers are called with and return are tensors; None if there is none.

    That is the graph that a program builds, outside of layers and of functions.
    """
    if calls.layers or calls.inferring or calls.apart:
        return None
    graph: Any = _core.building()
    return None if graph is None or graph.building_function else graph


def call(graph: Graph, layer: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Calls a layer in a graph, and records the call if its arguments come from inputs of models."""
    given, given_kwargs = _mapped(lambda value: _shown(value, graph), args, kwargs)
    arguments, keywords = _mapped(lambda value: _symbol_or_same(value, graph), given, given_kwargs)
    if any(isinstance(value, KerasTensor) for value in flatten_arguments(given, given_kwargs)):
        # Symbolic composite values, and what is computed from them, have no tensors.
        return call_symbolically(layer, arguments[0], arguments[1:], keywords)
    outputs = layer_call.call_layer(layer, given, given_kwargs, recorded=True)
    taken = [value for value in flatten_arguments(arguments, keywords) if _is_symbol(value)]
    if not taken:
        return outputs
    flat = [_new(of_number(value), graph) for value in nest.flatten(outputs)]
    made = [_described(value) for value in flat]
    explicit = {key: value for key, value in keywords.items() if not is_default(key, value)}
    connect(layer, arguments, explicit, nest.pack_sequence_as(outputs, made))
    for symbol, value in zip(made, flat, strict=True):
        if isinstance(symbol, KerasTensor):
            _relate(graph, symbol, value)
    return nest.pack_sequence_as(outputs, flat)


def _mapped(function: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    arguments, keywords = map_arguments(function, args, kwargs)
    return tuple(arguments), keywords


def _is_symbol(value: object) -> bool:
    return isinstance(value, KerasTensor)


def _new(value: Any, graph: Graph) -> Any:
    """A layer's result, another tensor than all that are known: layers may return their inputs."""
    if not is_symbolic(value) or _port(value) not in graph.keras_symbols:
        return value
    result = _core.ops.identity(value)
    if value._keras_mask is not None:
        result._keras_mask = value._keras_mask
    return result


def _described(value: Any) -> Any:
    """A symbolic tensor without a history for a layer's result."""
    if isinstance(value, CompositeTensor):
        return symbolic_tensor(value._type_spec)
    if not isinstance(value, _core.Tensor):
        return value
    return KerasTensor(value.shape, value.dtype)


def _relate(graph: Graph, symbol: KerasTensor, value: Any) -> None:
    """Notes which tensor of a graph a symbolic tensor is."""
    graph.keras_tensors[id(symbol)] = symbol, value
    if is_symbolic(value):
        graph.keras_symbols[_port(value)] = symbol
        value._keras_history = symbol._keras_history


def _port(tensor: _core.Tensor) -> tuple[int, int]:
    return _core.node_of(tensor).id, tensor.value_index


def shown(values: Any) -> Any:
    """Symbolic tensors as tensors of the graph that a program builds; unchanged without one."""
    graph = recording_graph()
    if graph is None:
        return values
    return nest.map_structure(lambda value: _shown(value, graph), values)


def _shown(value: Any, graph: Graph) -> Any:
    if not isinstance(value, KerasTensor) or not _has_tensor(value, graph):
        return value
    return tensor_of(value, graph)


def _has_tensor(symbol: KerasTensor, graph: Graph) -> bool:
    """Whether a symbolic tensor can be a tensor of a graph: it comes from inputs that are tensors."""
    stack, seen = [symbol], set()
    while stack:
        last = stack.pop()
        if id(last) in seen or id(last) in graph.keras_tensors:
            continue
        seen.add(id(last))
        if last._keras_history is None or last._composite_spec is not None:
            return False
        stack.extend(last.node.keras_inputs)
    return True


def symbols(values: Any) -> Any:
    """The reverse of `shown`; what is computed from such tensors is a layer's result then."""
    graph = context.building_graph()
    if graph is None:
        return values
    return nest.map_structure(lambda value: _symbol_or_same(value, graph), values)


def is_known(value: Any) -> bool:
    """Whether a value is the tensor of a symbolic tensor in the graph that a program builds."""
    graph = context.building_graph()
    return graph is not None and _in(graph, value) and _port(value) in graph.keras_symbols


def give(symbol: KerasTensor, value: Any) -> bool:
    """Takes a value in the graph as that of a new input, unless it comes from another input.

    Returns:
        Whether the input is fed: what is no placeholder has a value.
    """
    graph = recording_graph()
    if graph is None:
        return True
    if isinstance(value, _core.Variable):
        value = value.read_value()
    if not _in(graph, value) or _symbol_or_same(value, graph) is not value:
        return True
    graph.keras_free.clear()
    _relate(graph, symbol, value)
    return value.op.type.startswith("Placeholder")


def _in(graph: Graph, value: Any) -> bool:
    return is_symbolic(value) and value.graph is graph


def _symbol_or_same(value: Any, graph: Graph) -> Any:
    """The symbolic tensor for a tensor of a graph that depends on inputs of models."""
    if not _in(graph, value):
        return value
    symbol = graph.keras_symbols.get(_port(value))
    if symbol is None:
        feeds = _feeds(value, graph)
        if not feeds:
            return value
        part = GraphPart(graph, [graph.keras_tensors[id(feed)][1] for feed in feeds], value)
        symbol = KerasTensor(value.shape, value.dtype)
        connect(part, (feeds[0] if len(feeds) == 1 else feeds,), {}, symbol)
        _relate(graph, symbol, value)
    return symbol


def _feeds(tensor: _core.Tensor, graph: Graph) -> list[KerasTensor]:
    """The symbolic tensors that a graph's tensor is computed from; none if others are needed, too."""
    found: dict[int, KerasTensor] = {}
    stack, seen = [tensor], set()
    while stack:
        last = stack.pop()
        symbol = graph.keras_symbols.get(_port(last))
        if symbol is not None:
            found[id(symbol)] = symbol
            continue
        node = _core.node_of(last)
        if node.id in seen or node.id in graph.keras_free:
            continue
        if node.type == "Placeholder":
            return []
        seen.add(node.id)
        stack.extend(node.inputs)
        if node.taped_run is not None:  # runs again, for its tape, although its results are known
            stack.extend(node.taped_run[0].inputs)
    if not found:
        graph.keras_free |= seen
    return list(found.values())


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
    scope = graph.name_scope(None)
    with context.building(graph), scope, graph.control_dependencies(None), apart():
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
            _add(last, graph)
    return known[id(symbol)][1]


def _add(symbol: Any, graph: Graph) -> None:
    """Adds the nodes of the call that a symbolic tensor comes from."""
    node, known = symbol.node, graph.keras_tensors
    if node.is_input:
        given = placeholder(symbol.dtype, symbol.shape, symbol._keras_history.layer.name)
        _relate(graph, symbol, given)
        return

    def there(value: object) -> Any:
        return known[id(value)][1] if id(value) in known else value

    args, kwargs = map_arguments(there, node.call_args, node.call_kwargs)
    results = nest.flatten(node.layer(*args, **kwargs))
    for made, result in zip(nest.flatten(node.outputs), results, strict=True):
        _relate(graph, made, _new(result, graph))
