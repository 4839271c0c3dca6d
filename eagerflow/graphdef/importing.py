"""GraphDef and FunctionDef messages as nodes of the graph that is being built.

Each node is built by calling the rule of its operation. Functions of the library are built at their
calls. Variables, tables and other resources are Python objects, which are passed between nodes like
tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError, OpError
from eagerflow.graphdef import (
    attributes,
    custom_gradients,
    engine_functions,
    op_defs,
    rules,
    state_ops,
    version1_control_flow,
)
from eagerflow.graphdef.op_defs import Argument, OpDef
from eagerflow.util import lazy

Tensor = _core.Tensor

# Only recursive functions nest deeper.
_MAX_DEPTH = 48
# The limit of nodes for a file: nested calls could expand to any number.
_NODES_IN_ALL = 200_000
_TIMES_THE_FILE = 50

# The modules whose `HANDLERS` run operations that have no rule, besides `state_ops`. They are imported
# when there is a node of such an operation.
_MODULES = [
    lazy.Module("eagerflow.graphdef.tensor_array_ops"),
    lazy.Module("eagerflow.graphdef.training_ops"),
    lazy.Module("eagerflow.graphdef.example_ops"),
    lazy.Module("eagerflow.graphdef.checkpoint_ops"),
    lazy.Module("eagerflow.graphdef.iterator_ops"),
    lazy.Module("eagerflow.graphdef.called_python"),
]


@functools.cache
def handlers() -> dict[str, state_ops.Handler]:
    """What runs the operations that are no plain calls, by their names."""
    found = dict(state_ops.HANDLERS)
    for module in _MODULES:
        found.update(module.HANDLERS)
    return found


def handler_of(op: str) -> state_ops.Handler | None:
    """What runs an operation that is no plain call; None for others."""
    found = state_ops.HANDLERS.get(op)
    return found if found is not None or rules.is_mapped(op) else handlers().get(op)


_DAMAGE = (
    LookupError, TypeError, ValueError, AssertionError, AttributeError, ArithmeticError,
    RecursionError, StopIteration,
)  # fmt: skip


# Operations that call a function.
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")


def refused(text: str) -> InvalidArgumentError:
    """The error about graphs that cannot be built."""
    return InvalidArgumentError._of(text)


@contextmanager
def describing(what: str) -> Iterator[None]:
    """Converts errors of malformed graphs to the documented error."""
    try:
        yield
    except OpError:
        raise
    except _DAMAGE as error:
        raise refused(f"{what} cannot be built: {error}") from error


class Missing:
    """Replaces the results of a node that cannot run here, and raises when they are used.

    Args:
        error: why it cannot.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error


class Builder:
    """Builds the nodes of one file.

    Args:
        library: its functions, FunctionDef messages.
        resource: creates the object of a node such as VarHandleOp, from the node and its attributes.
        size: the number of the file's nodes outside of functions.
        allowed: operations that may run although they reach files.
        keeps_messages: whether operations of graphs look as the nodes of the file.
    """

    def __init__(
        self,
        library: Iterable[Any] = (),
        resource: Callable[[Any, dict[str, Any]], Any] | None = None,
        size: int = 0,
        allowed: Iterable[str] = (),
        keeps_messages: bool = False,
    ) -> None:
        self.keeps_messages = keeps_messages
        self.functions = {message.signature.name: message for message in library}
        self.resource = resource
        self.allowed = frozenset(allowed)
        # The custom gradients of nodes, by the names that these have for them.
        self.gradients: dict[str, custom_gradients.LoadedGradient] = {}
        # Files that belong to the graph, and may be read.
        self.files: frozenset[str] = frozenset()
        # The nodes of a function are counted when it is first called.
        self._left = _NODES_IN_ALL + _TIMES_THE_FILE * size
        self._depth = 0
        # The graph of the node that is being built, and the name scope for the nodes of the function
        # that it calls.
        self._scope: tuple[Any, str] | None = None
        # The id of the last node that was named.
        self._last = -1
        self._orders: dict[str, list[Any]] = {}

    def call(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        """The results of a function of the library.

        Args:
            name: the function.
            arguments: tensors and resources, one for each parameter.

        Raises:
            InvalidArgumentError: if there is no such function, if it calls itself, or if a node of
                it cannot be built.
            UnimplementedError: if it has an operation that eagerflow does not have.
        """
        message = self.functions.get(name)
        if message is None:
            raise refused(f"There is no function '{name}' in the library of the graph.")
        if self._depth == _MAX_DEPTH:
            raise refused(
                f"Function '{name}' is called by functions {_MAX_DEPTH} deep: it calls itself."
            )
        signature = message.signature
        if len(arguments) != len(signature.input_arg):
            raise refused(
                f"Function '{name}' takes {len(signature.input_arg)} tensors, got {len(arguments)}."
            )
        operation = engine_functions.operation_of(message)
        if operation is not None and not self.keeps_messages:
            with describing(f"Function '{name}'"):
                return engine_functions.run(message, operation, arguments)
        self._depth += 1
        before = self._scope
        try:
            values: dict[str, Any] = {
                arg.name: _Results(None, [value])
                for arg, value in zip(signature.input_arg, arguments, strict=True)
            }
            where = f" of function '{name}'"
            graph = _core.building()
            scope = self._scope[1] if self._scope is not None and self._scope[0] is graph else ""
            nodes = self._order(message)
            # The names of the file come before those of the nodes that an operation consists of here.
            kept = [
                "" if graph is None else _core.Graph.unique_name(graph, scope + node.name, False)
                for node in nodes
            ]
            for node, name_here in zip(nodes, kept, strict=True):
                self._scope = (graph, f"{name_here}/")
                start = 0 if graph is None else len(graph)
                results = values[node.name] = self._built(node, values, where)
                if graph is not None:
                    _rename_new(graph, start, results.flat(), name_here)
            return [_found(values, message.ret[arg.name], where) for arg in signature.output_arg]
        finally:
            self._depth -= 1
            self._scope = before

    def _order(self, message: Any) -> list[Any]:
        """The nodes of a function that its results and effects need, sorted."""
        name = message.signature.name
        if name not in self._orders:
            self._left += _TIMES_THE_FILE * len(message.node_def)
            nodes = {
                node.name: self._after_what_is_taken(node)
                for node in self._structured(message.node_def, name)
            }
            needed = [text.partition(":")[0] for text in message.ret.values()]
            needed += message.control_ret.values()
            needed += [node.name for node in nodes.values() if _has_effects(node, self)]
            wanted = set(_reached(nodes, needed))
            order = [node for node in nodes if node in wanted]
            self._orders[name] = [nodes[key] for key in _sorted(nodes, order, name)]
        return self._orders[name]

    def _after_what_is_taken(self, node: Any) -> Any:
        """The node, with control inputs from the nodes whose tensors its custom gradient captures."""
        gradient = custom_gradients.of_node(self.gradients, node)
        if gradient is None:
            return node
        return _WithInputs(node, [f"^{x}" for x in custom_gradients.names_taken(gradient, node)])

    def _structured(self, nodes: Iterable[Any], name: str) -> Iterable[Any]:
        """Nodes without version 1's control flow; its functions are added to the library."""
        if not version1_control_flow.is_used(nodes):
            return nodes
        with describing(f"The control flow of '{name}'"):
            found, functions = version1_control_flow.structured(nodes, f"{name}/")
        self.functions.update((message.signature.name, message) for message in functions)
        return found

    def graph(
        self,
        nodes: Iterable[Any],
        given: Mapping[str, object],
        placeholder: Callable[[str, Any, Any], Any],
        fetches: Iterable[str] | None = None,
        prefix: str | None = None,
    ) -> dict[str, list[Any]]:
        """The results of a GraphDef's nodes, by name.

        Args:
            nodes: the NodeDef messages.
            given: values that take the place of tensors, by name and index, as "x:0".
            placeholder: creates an input from a name, a dtype and a shape.
            fetches: the names of the nodes to build; all by default. Nodes that cannot be built
                become `Missing` then.
            prefix: the name scope in the graph that is being built; None if nodes need not keep their
                names. A program's graph also keeps the control inputs of the file, and has an
                operation for each node.
        """
        graph = _core.building()
        program = None if graph is None or prefix is None or graph.building_function else graph
        made: dict[str, list[int]] = {}
        by_name = {node.name: node for node in self._structured(nodes, "graph")}
        replaced = {key.rpartition(":")[0] for key in given}
        names = list(by_name if fetches is None else _reached(by_name, fetches, replaced))
        values: dict[str, Any] = {}
        # The names of the file come before those of the nodes that an operation consists of here.
        kept: dict[str, str] = {}
        if graph is not None and prefix is not None:
            kept = {
                key: _core.Graph.unique_name(graph, f"{prefix}{key}", False)
                for key in names
                if by_name[key].op != "Placeholder" and key not in replaced
            }
        for key in _sorted(by_name, names, "graph", replaced):
            node = by_name[key]
            replacements = [given.get(f"{key}:{k}") for k in range(1 if key in replaced else 0)]
            if replacements and replacements[0] is not None:
                values[key] = _Results(None, replacements)
            elif node.op == "Placeholder":
                dtype = attributes.value_of(node.attr["dtype"], "type")
                # Asking for an attribute adds it.
                known = node.attr["shape"].shape if "shape" in node.attr else _UnknownRank
                shape = attributes.shape_of(known)
                values[key] = _Results(None, [placeholder(key, dtype, shape)])
            elif program is not None:
                values[key] = self._program_node(program, node, values, made, kept[key])
            else:
                values[key] = self._graph_node(node, values, lenient=fetches is None)
                if key in kept:
                    self._rename(values[key].flat(), kept[key])
        return {key: results.flat() for key, results in values.items()}

    def _program_node(
        self, graph: Any, node: Any, values: dict[str, Any], made: dict[str, list[int]], name: str
    ) -> _Results:
        """Builds a node of a program's graph, with its control inputs.

        Args:
            graph: the graph.
            node: the NodeDef message.
            values: the results of nodes by name.
            made: for each node of the file the nodes of the graph that are its control outputs.
            name: the name that the operation gets.
        """
        awaited = [
            number
            for text in node.input
            if text.startswith("^")
            for number in made.get(text[1:], ())
        ]
        start = len(graph)
        graph.begin_controls(awaited, False)
        try:
            results = self._graph_node(node, values, lenient=True)
            if node.op == "NoOp" and not (results.flat()):
                _core.no_op_node(node.name)
        finally:
            graph.end_controls()
        effects = [k for k in range(start, len(graph)) if graph.node(k).has_effects]
        if len(effects) > 1:
            results = _after(graph, effects, results)
        new = [graph.node(number) for number in range(start, len(graph))]
        made[node.name] = [one.id for one in new if one.has_effects or one is new[-1]]
        if not new:
            made[node.name] = awaited
        self._rename(results.flat(), name)
        if new and name not in (one.name for one in new) and not _gives_tensors(results):
            graph.rename(new[-1].id, name)
        return results

    def _rename(self, results: list[Tensor | Missing], name: str) -> None:
        """Renames the node of results, if it has just been built."""
        graph = _core.building()
        if graph is None or not results or not isinstance(results[0], Tensor):
            return
        if _core.is_symbolic(results[0]) and _core.graph_of(results[0]) is graph:
            node = _core.node_of(results[0])
            if node.id > self._last:
                self._last = node.id
                if node.name != name:
                    graph.rename(node.id, name)

    def _graph_node(self, node: Any, values: dict[str, Any], lenient: bool) -> _Results:
        for text in node.input:
            name, _, index = text.lstrip("^").partition(":")
            found = values[name].flat() if name in values else []
            if found and isinstance(found[0], Missing):
                return _Results(None, [found[0]])
            if not text.startswith("^") and int(index or 0) >= max(len(found), 1):
                raise refused(f"Node '{node.name}' has no input '{text}'.")
        try:
            return self._built(node, values, "")
        except OpError as error:
            if not lenient or isinstance(error, InvalidArgumentError):
                raise
            return _Results(None, [Missing(error)])

    def _built(self, node: Any, values: Mapping[str, object], where: str) -> _Results:
        self._left -= 1
        if self._left < 0:
            raise refused("The functions of the graph call each other too often to be built.")
        with describing(f"Node '{node.name}' ({node.op}){where}"):
            inputs = [
                _found(values, text, where) for text in node.input if not text.startswith("^")
            ]
            gradient = custom_gradients.of_node(self.gradients, node)
            if gradient is not None:
                own = {**values, node.name: _Results(None, inputs)}
                found = custom_gradients.add_node(
                    self.call, gradient, inputs, lambda text: _found(own, text, where)
                )
                return _Results(op_defs.find(node.op), [found])
            graph = _core.building() if self.keeps_messages else None
            if graph is None or node.op in ("Const", *_CALLS) or node.op in self.functions:
                return self._run(node, inputs, where)
            start = len(graph)
            results = _owned(self._run(node, inputs, where), graph, start)
            made = [graph.node(number) for number in range(start, len(graph))]
            graph.note_imported(node, made, inputs, results.flat())
            return results

    def _run(self, node: Any, inputs: list[Any], where: str) -> _Results:
        if node.op in self.functions:
            return _Results(None, self.call(node.op, inputs))
        if node.op in version1_control_flow.OPERATIONS:
            raise version1_control_flow.unreachable(node)
        definition = op_defs.find(node.op)
        handler = handler_of(node.op)
        if definition is None or not (handler or rules.is_mapped(node.op)):
            raise rules.unknown(node.op, f" in node '{node.name}'{where}")
        attrs = attributes_of(node, definition)
        arguments = _arguments(definition, inputs, attrs)
        if node.op not in self.allowed and state_ops.reaches_files(node.op, attrs):
            state_ops.check_files(self, node, arguments, where)
        if handler is not None:
            return _Results(definition, handler(self, node, arguments, attrs))
        return _Results(definition, rules.call(definition, {**attrs, **arguments}))


def _rename_new(graph: Any, start: int, results: list[Tensor], name: str) -> None:
    """Renames the node of results, unless it is among the first `start` nodes."""
    if results and isinstance(results[0], Tensor) and _core.is_symbolic(results[0]):
        node = _core.node_of(results[0])
        if _core.graph_of(results[0]) is graph and node.id >= start and node.name != name:
            graph.rename(node.id, name)


class _Results:
    """The results of a node, one for each output that its operation declares."""

    def __init__(self, definition: OpDef | None, values: list[Any]) -> None:
        self.definition = definition
        self.values = values

    def flat(self) -> list[Any]:
        """All values; an output may be several."""
        definition = self.definition
        if definition is None or all(argument.is_single for argument in definition.outputs):
            return self.values
        found: list[Any] = []
        for argument, value in zip(definition.outputs, self.values, strict=True):
            found += [value] if argument.is_single else value
        return found

    def find(self, text: str) -> Tensor:
        """A value by what follows the node's name: an index, or an output and an index."""
        name, _, index = text.rpartition(":")
        if not name:
            return self.flat()[int(index or 0)]
        if self.definition is None:
            return self.values[int(index)]
        for argument, value in zip(self.definition.outputs, self.values, strict=True):
            if argument.name == name:
                return value if argument.is_single else value[int(index)]
        raise KeyError(text)


def _owned(results: _Results, graph: _core.Graph, start: int) -> _Results:
    """The results of a node of several outputs, each a tensor of its own.

    An output that is an input here, or another output, goes through an identity: programs that read
    the imported graph take tensors of one name for one tensor.

    Args:
        results: the results.
        graph: the graph that is being built.
        start: the number of nodes that were there before.
    """
    if len(results.flat()) < 2:
        return results
    seen: set[int] = set()

    def own(value: object) -> object:
        if isinstance(value, list):
            return [own(part) for part in value]
        if not isinstance(value, Tensor) or not _core.is_symbolic(value):
            return value
        if _core.graph_of(value) is graph and (
            _core.node_of(value).id < start or id(value) in seen
        ):
            value = _core.ops.identity(value)
        seen.add(id(value))
        return value

    return _Results(results.definition, [own(value) for value in results.values])


def _after(graph: Any, effects: list[int], results: _Results) -> _Results:
    """The results of nodes, each of which depends on all `effects`."""
    graph.begin_controls(effects, False)
    try:
        values = results.flat()
        if not any(isinstance(value, Tensor) for value in values):
            _core.no_op_node("effects")
            return results
        passed = [_core.ops.identity(v) if isinstance(v, Tensor) else v for v in values]
        return _Results(None, passed)
    finally:
        graph.end_controls()


def _gives_tensors(results: _Results) -> bool:
    return any(isinstance(value, Tensor | Missing) for value in results.flat())


class _WithInputs:
    """A node with further inputs.

    Args:
        node: the NodeDef message.
        more: the inputs.
    """

    def __init__(self, node: Any, more: list[str]) -> None:
        self._node = node
        self.input = [*node.input, *more]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


class _UnknownRank:
    unknown_rank = True


def _found(values: Mapping[str, Any], text: str, where: str) -> Any:
    name, _, rest = text.partition(":")
    if name not in values:
        raise refused(f"There is no node '{name}'{where}.")
    return values[name].find(rest)


def attributes_of(node: Any, definition: OpDef) -> dict[str, Any]:
    """The attributes of a node, including those with default values."""
    found = {}
    for name, attribute in definition.attributes.items():
        if name in node.attr:
            found[name] = attributes.value_of(node.attr[name], attribute.kind)
        elif not attribute.required:
            found[name] = rules.default(attribute.kind, attribute.default)
    return found


def _arguments(definition: OpDef, inputs: list[Any], attrs: dict[str, Any]) -> dict[str, Any]:
    """The inputs by the names that the operation declares."""
    found = {}
    remaining = iter(inputs)
    for argument in definition.inputs:
        if argument.is_single:
            found[argument.name] = _as_input(next(remaining), argument, attrs)
            continue
        count = len(attrs[argument.type]) if argument.is_list else attrs[argument.number]
        if count > len(inputs):
            raise ValueError(f"it has {len(inputs)} inputs and needs {count}")
        found[argument.name] = [_as_input(next(remaining), argument, attrs) for _ in range(count)]
    return found


def _as_input(value: Tensor, argument: Argument, attrs: Mapping[str, object]) -> Any:
    """Reads a variable if the operation's input is a value."""
    if isinstance(value, Missing):
        raise value.error
    if not isinstance(value, _core.Variable) or argument.is_ref or argument.type == "resource":
        return value
    declared = attrs.get(argument.type)
    for dtype in declared if isinstance(declared, list) else [declared]:
        if getattr(dtype, "name", "") == "resource":
            return value
    return _core.as_tensor(value)


def _has_effects(node: Any, builder: Builder) -> bool:
    if node.op in builder.functions:
        return builder.functions[node.op].signature.is_stateful
    definition = op_defs.find(node.op)
    return definition is not None and definition.has_state and node.op not in state_ops.READS


def _inputs_of(node: Any) -> Iterator[str]:
    for text in node.input:
        yield text.lstrip("^").partition(":")[0]


def _reached(
    nodes: Mapping[str, Any], names: Iterable[str], stops: Iterable[str] = ()
) -> list[str]:
    """The nodes that nodes depend on, and these."""
    found: dict[str, None] = {}
    waiting = [name for name in names if name in nodes]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = None
        if name not in stops:
            waiting += [other for other in _inputs_of(nodes[name]) if other in nodes]
    return list(found)


def _sorted(
    nodes: Mapping[str, Any], names: Sequence[str], where: str, stops: Iterable[str] = ()
) -> Iterator[str]:
    """Names in topological order, otherwise in the order of the file.

    Raises:
        InvalidArgumentError: if nodes depend on each other in a circle.
    """
    done: set[str] = set()
    open_: set[str] = set()
    for start in names:
        waiting = [start]
        while waiting:
            name = waiting[-1]
            if name in done:
                waiting.pop()
                continue
            inputs = () if name in stops else _inputs_of(nodes[name])
            missing = [other for other in inputs if other in nodes and other not in done]
            if not missing:
                waiting.pop()
                open_.discard(name)
                done.add(name)
                yield name
                continue
            if name in open_:
                raise refused(f"Node '{name}' of '{where}' depends on itself.")
            open_.add(name)
            waiting += reversed(missing)
