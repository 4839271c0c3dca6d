"""Graphs of traced functions as GraphDef and FunctionDef messages that TensorFlow runs."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from eagerflow import _core
from eagerflow.errors import UnimplementedError
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graphdef import (
    attributes,
    custom_gradients,
    emitters,
    function_gradients,
    node_functions,
)
from eagerflow.graphdef.function_gradients import WrittenRun
from eagerflow.graphdef.table_nodes import table_handle
from eagerflow.graphdef.writer import GraphWriter, Ref
from eagerflow.protos.graph import MESSAGES

if TYPE_CHECKING:
    from eagerflow.protos.graph import FunctionDef, GraphDef

# The version of graphs that TensorFlow 2.21 writes, and the first that it still reads.
_PRODUCER = 2474
_MIN_CONSUMER = 12

_numbers = itertools.count()


class CustomGradient(NamedTuple):
    """The function of a custom gradient.

    Args:
        kind: what nodes that have it call it.
        function: its name.
        specs: the specs of the gradients that are its arguments.
        has_gradients: for each of them whether it returns a gradient.
        holder: the name of the function with the node.
        captured: tensors of that function that follow the gradients.
        variables: the variables whose handles follow.
    """

    kind: str
    function: str
    specs: list[TensorSpec]
    has_gradients: list[bool]
    holder: str
    captured: list[Ref]
    variables: list[Any]


class Exporter:
    """Collects the functions that graphs call.

    Args:
        strict: whether a node that TensorFlow cannot run is an error; else it keeps our name.
        add_shapes: whether nodes have the shapes of their outputs in `_output_shapes`.
        frozen: whether variables that are read are constants with their values.
        skips: whether nodes of a program's graph that TensorFlow cannot run are left out, with
            their consumers; `Body.file_name` raises for them.
        custom_gradients: whether functions keep their custom gradients.
    """

    def __init__(
        self, strict: bool = True, add_shapes: bool = False, frozen: bool = False,
        skips: bool = False, custom_gradients: bool = False,
    ) -> None:  # fmt: skip
        self.strict = strict
        self.custom_gradients = custom_gradients
        self.frozen = frozen
        self.skips = skips
        self.add_shapes = add_shapes
        self.functions: list[Any] = []
        # The graphs of `functions` that are those of traced functions, by name.
        self.graphs: dict[str, _core.Graph] = {}
        self.gradients: list[CustomGradient] = []
        self._written: dict[Any, str] = {}
        self._names: set[str] = set()
        self._variables: dict[int, list[Any]] = {}
        # Graphs are known by their ids, and have to live as long.
        self._kept: list[object] = []

    def variables_of(self, *graphs: object) -> list[Any]:
        """The variables and tables that graphs use, each once."""
        found: dict[int, Any] = {}
        for graph in graphs:
            if id(graph) not in self._variables:
                self._variables[id(graph)] = used_variables(graph)
                self._kept.append(graph)
            for item in self._variables[id(graph)]:
                if not (self.frozen and isinstance(item, _core.Variable)):
                    found.setdefault(id(item), item)
        return list(found.values())

    def name_of(self, graph: Any) -> str:
        """The name of the function that a graph is: the same in every file that has it once."""
        name = graph.function_name or self._new_name(graph)
        if name in self._names:  # the same graph with other arguments, or another file's function
            name = self._new_name(graph)
        else:
            graph.function_name = name
        self._names.add(name)
        return name

    def _new_name(self, graph: Any) -> str:
        if graph.is_control_flow_graph:  # it has the name of the node that runs it
            return f"{graph.name}_{next(_numbers)}"
        return self.function_name(graph.name)

    def function_name(self, name: str) -> str:
        """A name that no other function has, in this file or in another that a program reads."""
        return f"__inference_{name.removeprefix('__inference_')}_{next(_numbers)}"

    def function(
        self,
        graph: Any,
        name: str = "",
        arguments: Sequence[Any] | None = None,
        variables: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
    ) -> str:
        """Adds a graph as a function; the function's name.

        Calls of a graph share the function that has its arguments and variables.

        Args:
            graph: the graph.
            name: the name; by default it derives from the graph's.
            arguments: the tensors of the graph that are arguments, or specs of arguments that it
                does not use; by default its inputs, then its captures.
            variables: the variables whose handles are the last arguments; by default those that the
                graph uses.
            names: the names of the results.
        """
        if arguments is None:
            arguments = [*graph.inputs, *(inner for _, inner in graph.captures)]
        if variables is None:
            variables = self.variables_of(graph)
        key = (id(graph), *map(argument_key, arguments), *map(id, variables))
        if not name:
            if key in self._written:
                return self._written[key]
            name = self.name_of(graph)
        self._written[key] = name
        body = FunctionBody(self, name)
        body.begin(graph, arguments, variables)
        body.write(graph)
        body.finish(list(map(body.ref, graph.outputs)), names)
        for key, value in graph.function_attributes.items():
            if key == "_implements" and isinstance(value, str):
                attributes.fill_name(body.message.attr[key], value)
            else:
                attributes.fill_as(body.message.attr[key], value)
        self.functions.append(body.message)
        self.graphs[name] = graph
        return name


def _name_of(tensor: _core.Tensor) -> str:
    return _core.node_of(tensor).name


def argument_key(argument: Any) -> Any:
    """A key that identifies an argument of a function."""
    if isinstance(argument, _core.Tensor):
        return _name_of(argument)
    return (argument.dtype, str(argument.shape))


def used_variables(graph: Any) -> list[Any]:
    """The variables and tables that a graph uses, each once, as its callers see them."""
    found: dict[int, Any] = {}
    for node in graph.nodes:
        # Most nodes use variables themselves, if any.
        composed = node.callees or node.type.startswith(node_functions.TABLE_NODES)
        for item in used_by(node) if composed else node.variables:
            found.setdefault(id(item), item)
    return list(found.values())


def used_by(node: _core.Node) -> list[Any]:
    """The variables and tables that a node uses."""
    found = [*node.variables, *node_functions.resources(node)]
    exchanged = {id(traced): actual for traced, actual in node.exchanged}
    for callee in node.callees:
        found += [exchanged.get(id(item), item) for item in used_variables(callee)]
    return found


class Body(GraphWriter):
    """The nodes of one graph."""

    def __init__(self, exporter: Exporter, nodes: Any, in_function: bool) -> None:
        super().__init__(nodes, in_function, exporter.add_shapes)
        self.exporter = exporter
        self._refs: dict[str, Ref] = {}
        self._handles: dict[int, Ref] = {}
        self._effects = Effects()
        self._prefix = ""
        # The names of exported nodes of a program's graph, and the errors of those that are left out.
        self._written: dict[str, str] = {}
        self._skipped: dict[int, UnimplementedError] = {}
        # The nodes of the graph whose runs gradient nodes differentiate, and the calls and conditionals
        # with effects among them.
        self.differentiated: set[int] = set()
        self.written_calls: dict[int, WrittenRun] = {}

    def ref(self, tensor: Any) -> Ref:
        """The exported tensor of a tensor of the graph."""
        return self._refs[_core.name_of(tensor)]

    def bind(self, tensor: Any, ref: Ref) -> None:
        """Sets the exported tensor of a tensor of the graph."""
        self._refs[_core.name_of(tensor)] = ref

    def handle(self, variable: Any) -> Ref:
        """The handle of a variable or table."""
        return self._handles[id(variable)]

    def bind_handle(self, variable: Any, ref: Ref) -> None:
        """Sets the handle of a variable or table."""
        self._handles[id(variable)] = ref

    def write(self, graph: Any) -> None:
        """Adds the nodes of a graph, whose inputs are bound."""
        needed = _needed(graph) if self.exporter.strict else None
        self.differentiated = set()
        for node in graph.nodes:
            run = node.taped_run
            if run is not None and run[3]:
                self.differentiated.add(run[0].id)
        if not graph.building_function:
            self._effects = DeclaredOrder(getattr(graph, "sequences", ()))
            needed = None
        for node in graph.nodes:
            outputs = node.outputs
            if outputs and _core.name_of(outputs[0]) in self._refs:
                continue
            if needed is not None and node.id not in needed:
                continue
            if self.exporter.skips and not graph.building_function:
                self._write_or_skip(node)
            else:
                self.write_node(node)

    def _write_or_skip(self, node: _core.Node) -> None:
        """Writes a node, unless it is nothing that TensorFlow has, or needs such a node."""
        sources = [_core.node_of(tensor).id for tensor in function_gradients.needed_by(node)]
        error = next(
            (self._skipped[k] for k in (*sources, *node.controls) if k in self._skipped), None
        )
        if error is None:
            before = len(self._nodes)
            try:
                self.write_node(node)
                return
            except UnimplementedError as found:
                error = found
                del self._nodes[before:]
                self.control = []
        self._skipped[node.id] = error

    def begin_program(self, graph: _core.Graph) -> None:
        """Adds the placeholders of a program's graph, and handles of its variables and tables.

        A variable's handle has the variable's name. It is the name of a read in the graph.
        """
        nodes = graph.nodes
        self.reserve(node.name for node in nodes)
        reads: dict[int, Any] = {}
        for node in nodes:
            if node.type == "ReadVariableOp":
                reads.setdefault(id(node.variables[0]), node)
            elif node.type == "Placeholder":
                tensor = node.outputs[0]
                self._written[node.name] = node.name
                self.bind(tensor, _placeholder(self, node.name, tensor.dtype, tensor.shape))
        for item in self.exporter.variables_of(graph):
            if not isinstance(item, _core.Variable):
                self.bind_handle(item, table_handle(self, item))
                continue
            read = reads.get(id(item))
            if read is None:
                name = self.unique(getattr(item, "name", "").rpartition(":")[0] or "Variable")
            else:
                name = read.name
                self._written[name] = self.unique(f"{name}/Read/ReadVariableOp")
            self.add_variable(item, name)

    def add_variable(self, variable: Any, name: str) -> None:
        """Adds the handle of a variable."""
        ref = self.add(
            "VarHandleOp", name=name, shared_name=name, dtype=variable.dtype, shape=variable.shape
        )[0]
        self.bind_handle(variable, ref)

    def has_handle(self, item: object) -> bool:
        """Whether a variable or table has a handle."""
        return id(item) in self._handles

    def file_name(self, element: Any) -> str:
        """The name that a tensor or operation of a program's graph has in the file.

        Raises:
            UnimplementedError: if it is not there, since TensorFlow has no such operation.
        """
        is_tensor = isinstance(element, _core.Tensor)
        node = _core.node_of(element) if is_tensor else element._node
        if node.id in self._skipped:
            raise self._skipped[node.id]
        if not is_tensor:
            return self._written[node.name]
        ref = self.ref(element)
        return f"{ref.node}:{ref.number}"

    # The id of the node that computes the only result of the inlined graph.
    _result: int | None = None

    def keeps_gradient(self, node: Any) -> bool:
        """Whether the custom gradient of a node is written."""
        return not self.exporter.strict and not self._prefix

    def add_gradient(self, node: Any, refs: Sequence[Ref], captured: list[Ref]) -> None:
        """Lets the node that was added last name the custom gradient of a node of the graph."""
        name = custom_gradients.registered_name(node)
        self._nodes[-1].attr[custom_gradients.ATTRIBUTE].s = name.encode()

    def inline(
        self, graph: _core.Graph, inputs: Sequence[Ref], prefix: str, besides: Sequence[Any] = ()
    ) -> list[Any]:
        """Inlines another graph, and returns its results for these inputs.

        The node that computes the only result is named as the prefix, the others are in its scope.

        Args:
            graph: the graph.
            inputs: the tensors for its inputs.
            prefix: the scope of the nodes.
            besides: tensors to return after the results; None for those that are unused.
        """
        refs, self._refs = self._refs, {}
        outer = self.control, self._prefix, self._result
        calls = self.written_calls, self.differentiated
        self.written_calls = {}
        self._prefix, self._result = f"{prefix}/", None
        if len(graph.outputs) == 1:
            result = _core.node_of(graph.outputs[0])
            self._result = None if result.type == "Placeholder" else result.id
        try:
            for tensor, ref in zip(graph.inputs, inputs, strict=True):
                self.bind(tensor, ref)
            self.write(graph)
            results = [self.ref(tensor) for tensor in graph.outputs]
            return results + [self._refs.get(_core.name_of(tensor)) for tensor in besides]
        finally:
            self._refs = refs
            self.control, self._prefix, self._result = outer
            self.written_calls, self.differentiated = calls

    def write_node(self, node: _core.Node) -> None:
        """Exports a node, as one or several nodes of TensorFlow."""
        if self._effects.are_declared and not self._prefix:
            name = self._written.setdefault(node.name, node.name)
        elif node.id == self._result:
            name = self._prefix[:-1]
        else:
            name = self.unique(self._prefix + node.name)
        self.scope = f"{name}/"
        self.control = self._effects.before(node)
        first = len(self._nodes)
        try:
            refs = self._emitted(node, name)
        except emitters.NoSuchNodeError as error:
            if self.exporter.strict:
                raise unexportable(node, str(error)) from error
            refs = self._shown(node, name)
        self._effects.after(node, self._nodes[first:])
        self.control = []
        for tensor, ref in zip(node.outputs, refs, strict=False):
            shape = tensor.shape
            made = Ref(ref.node, ref.dtype, shape, ref.text, ref.number)
            self.bind(tensor, made)

    def _emitted(self, node: _core.Node, name: str) -> Sequence[Ref]:
        if node.constant is not None:
            value = node.constant
            spec = [(value.dtype, value.shape)]
            return self.add("Const", name=name, outputs=spec, value=value, dtype=value.dtype)
        if node.type == "Placeholder":
            tensor = node.outputs[0]
            attrs = {"dtype": tensor.dtype, "shape": tensor.shape}
            return self.add(
                "Placeholder", name=name, outputs=[(tensor.dtype, tensor.shape)], **attrs
            )
        if node.op is not None:
            return emitters.emit(self, node, name)
        return node_functions.emit(self, node, name)

    def _shown(self, node: _core.Node, name: str) -> list[Ref]:
        """A node that TensorFlow does not have, under our name."""
        made = self.custom(node.type, [self.ref(tensor) for tensor in node.inputs], name)
        for key, value in node.attrs.items():
            attributes.fill_as(made.attr[key], value)
        return self.results(name, [(tensor.dtype, tensor.shape) for tensor in node.outputs])


class FunctionBody(Body):
    """The nodes of a FunctionDef."""

    def __init__(self, exporter: Exporter, name: str) -> None:
        self.message = MESSAGES["FunctionDef"]()
        self.message.signature.name = name
        super().__init__(exporter, self.message.node_def, True)

    def keeps_gradient(self, node: Any) -> bool:
        """Whether the custom gradient of a node is written: rows are not in files."""
        in_file = self.exporter.custom_gradients and not self._prefix
        return (in_file and 2 not in node.custom_gradient[2]) or super().keeps_gradient(node)

    def add_gradient(self, node: Any, refs: Sequence[Ref], captured: list[Ref]) -> None:
        """Adds the function of a custom gradient for the node that was added last.

        Args:
            node: the node in the graph.
            refs: the results of the written node: those of the function, then the tensors to
                differentiate by.
            captured: the arguments of the backward step after the gradients.
        """
        if not self.exporter.custom_gradients:
            return super().add_gradient(node, refs, captured)
        step, count, kinds, _ = node.custom_gradient
        kind = custom_gradients.new_name()
        self._nodes[-1].attr[custom_gradients.ATTRIBUTE].s = kind.encode()
        specs = [
            TensorSpec(ref.shape, ref.dtype, f"result_grads_{k}") for k, ref in enumerate(refs)
        ]
        unused = specs[len(step.inputs) :]
        inner = [inner for _, inner in step.captures]
        variables = self.exporter.variables_of(step)
        name = self.exporter.function_name("custom_gradient")
        # Second derivatives are those of the operations: custom gradients do not nest.
        self.exporter.custom_gradients = False
        try:
            self.exporter.function(step, name, [*step.inputs, *unused, *inner], variables)
        finally:
            self.exporter.custom_gradients = True
        has_gradients = [False] * count + [kind == 1 for kind in kinds]
        holder = self.message.signature.name
        self.exporter.gradients.append(
            CustomGradient(kind, name, specs, has_gradients, holder, captured, variables)
        )

    def argument(self, name: str, dtype: Any, shape: TensorShape) -> Ref:
        """Adds an argument."""
        name = self.unique(_argument_name(name))
        signature = self.message.signature
        attrs = self.message.arg_attr[len(signature.input_arg)].attr
        signature.input_arg.add(name=name, type=dtype.as_datatype_enum)
        attrs["_user_specified_name"].s = name.encode()
        attributes.fill(attrs["_output_shapes"], "list(shape)", [shape])
        return Ref(name, dtype, shape, name)

    def begin(self, graph: _core.Graph, arguments: Sequence[Any], variables: Sequence[Any]) -> None:
        """Adds the arguments: tensors of the graph or specs, then handles of variables."""
        for argument in arguments:
            ref = self.argument(
                _name_of(argument) if isinstance(argument, _core.Tensor) else "unused",
                argument.dtype,
                argument.shape,
            )
            if isinstance(argument, _core.Tensor):
                self.bind(argument, ref)
        for variable in variables:
            self.bind_handle(variable, self.argument("resource", dtypes.resource, TensorShape([])))

    def finish(self, results: Sequence[Ref], names: Sequence[str] | None = None) -> None:
        """Adds the function's results and effects to its message."""
        signature = self.message.signature
        # Converters take a result that has the name of an argument or a node for that one.
        named = (*signature.input_arg, *self.message.node_def)
        used = set(map(operator.attrgetter("name"), named))
        for k, ref in enumerate(results):
            stem = names[k] if names else _argument_name(ref.node)
            name, count = stem, 0
            while name in used:
                count += 1
                name = f"{stem}_{count}"
            used.add(name)
            signature.output_arg.add(name=name, type=ref.dtype.as_datatype_enum)
            self.message.ret[name] = ref.text
        for name in self._effects.last():
            signature.control_output.append(name)
            self.message.control_ret[name] = name
        signature.is_stateful = self._effects.any


_Nodes = Sequence[Any]  # NodeDef messages


def _reads_state(node: Any) -> bool:
    return bool(node.variables) or any(map(used_variables, node.callees))


def _ordered(written: _Nodes) -> list[str]:
    """The names of nodes that can follow others; constants need not."""
    return [node.name for node in written if node.op != "Const"]


class Effects:
    """Which nodes have to follow which: TensorFlow orders nothing by itself."""

    # Whether the program has declared the order.
    are_declared = False

    def __init__(self) -> None:
        self.any = False
        self._last: list[str] = []
        self._reads: list[str] = []

    def before(self, node: Any) -> list[str]:
        """The nodes that a node has to follow."""
        if node.has_effects:
            return [*self._last, *self._reads]
        return list(self._last) if self._last and _reads_state(node) else []

    def after(self, node: Any, written: _Nodes) -> None:
        """Says as which messages a node was written."""
        if node.has_effects:
            self.any = True
            self._last, self._reads = _ordered(written), []
        elif node.variables or (node.callees and _reads_state(node)):
            self.any = True
            self._reads += _ordered(written)[-1:]

    def last(self) -> list[str]:
        """The nodes whose effects are not followed by others."""
        return self._last


class DeclaredOrder(Effects):
    """The order of effects in version 1's graphs: control inputs of the program, and sequences.

    Args:
        sequences: lists of the ids of nodes that run in order.
    """

    are_declared = True

    def __init__(self, sequences: Sequence[range]) -> None:
        super().__init__()
        self._written: dict[int, list[str]] = {}
        self._sequences = {
            number: effects for ids in sequences for effects in [Effects()] for number in ids
        }

    def before(self, node: _core.Node) -> list[str]:
        """The nodes that a node has to follow."""
        found = [name for control in node.controls for name in self._written.get(control, ())]
        sequence = self._sequences.get(node.id)
        return found if sequence is None else [*found, *sequence.before(node)]

    def after(self, node: Any, written: _Nodes) -> None:
        """Says as which messages a node was written."""
        self._written[node.id] = _ordered(written)[-1:]
        sequence = self._sequences.get(node.id)
        if sequence is not None:
            sequence.after(node, written)


_NO_LETTERS = re.compile(r"\W")


def _argument_name(name: str) -> str:
    """A name as arguments of functions may have it."""
    name = _NO_LETTERS.sub("_", name.lower())
    return name if name[:1].isalpha() else f"arg_{name}"


def _needed(graph: _core.Graph) -> set[int]:
    """The nodes that results and effects need."""
    found = {_core.node_of(tensor).id for tensor in graph.outputs}
    for node in reversed(graph.nodes):  # Nodes follow those that they need.
        if node.has_effects or node.id in found:
            found.add(node.id)
            for tensor in function_gradients.needed_by(node):
                found.add(_core.node_of(tensor).id)
    return found


def unexportable(node: _core.Node, reason: str) -> UnimplementedError:
    """The error about a node that TensorFlow does not have."""
    place = ""
    if node.source is not None:
        file, line, function = node.source
        place = f' (File "{file}", line {line}, in {function})'
    return UnimplementedError._of(
        f"Operation '{node.name}' ({node.type}) cannot be exported: {reason}{place}"
    )


def graph_def(
    graph: _core.Graph, add_shapes: bool = False, strict: bool = False, frozen: bool = False
) -> GraphDef:
    """A graph as a GraphDef message, with the functions that it calls.

    Args:
        graph: the graph. Its arguments, captures and variables are placeholders.
        add_shapes: whether nodes have the shapes of their outputs in `_output_shapes`.
        strict: whether a node that TensorFlow does not have is an error; else it keeps our name.
        frozen: whether variables that are read are constants with their values.
    """
    message = MESSAGES["GraphDef"]()
    exporter = _write(message, graph, Exporter(strict, add_shapes, frozen))
    finish_message(message, exporter)
    return message


def functions(graph: _core.Graph) -> list[tuple[FunctionDef, _core.Graph | None]]:
    """The functions that a graph calls: as messages, and their graphs, if they are traced functions."""
    exporter = _write(MESSAGES["GraphDef"](), graph, Exporter(strict=False))
    return [(f, exporter.graphs.get(f.signature.name)) for f in exporter.functions]


def _write(message: GraphDef, graph: _core.Graph, exporter: Exporter) -> Exporter:
    write_graph(Body(exporter, message.node, False), graph)
    return exporter


def write_graph(body: Body, graph: Any) -> None:
    """Exports a graph, with placeholders for its captures."""
    if not graph.building_function:
        body.begin_program(graph)
        body.write(graph)
        return
    tensors = placeholder_tensors(graph)
    items = body.exporter.variables_of(graph)
    names = iter(placeholder_names(tensors, items, body.unique))
    for tensor in tensors:
        body.bind(tensor, _placeholder(body, next(names), tensor.dtype, tensor.shape))
    for item in items:
        body.bind_handle(item, _placeholder(body, next(names), dtypes.resource, TensorShape([])))
    body.write(graph)


def placeholder_tensors(graph: Any) -> list[Any]:
    """A function's tensors that are placeholders in its message: its arguments and captures."""
    return [*graph.inputs, *(inner for outer, inner in graph.captures if _core.is_symbolic(outer))]


def placeholder_names(
    tensors: Sequence[Any], items: Sequence[Any], unique: Callable[[str], str]
) -> list[str]:
    """The names of placeholders for tensors and then for variables and tables.

    Args:
        tensors: those of `placeholder_tensors`.
        items: the variables and tables.
        unique: gives a name that no other node has.
    """
    own = [tensor.name.rpartition(":")[0] for tensor in tensors]
    own += [(getattr(x, "name", None) or "table").rpartition(":")[0] or "resource" for x in items]
    return list(map(unique, own))


def placeholder(body: Body, name: str, dtype: Any, shape: TensorShape) -> Ref:
    """Adds a placeholder."""
    return _placeholder(body, body.unique(name), dtype, shape)


def _placeholder(body: Body, name: str, dtype: dtypes.DType, shape: TensorShape) -> Ref:
    ref = body.add("Placeholder", name=name, outputs=[(dtype, shape)], dtype=dtype, shape=shape)[0]
    body._nodes[-1].attr["_user_specified_name"].s = name.encode()
    return ref


def finish_message(message: Any, exporter: Exporter) -> None:
    """Adds the functions and the versions to a GraphDef."""
    for function in exporter.functions:
        # The message may have another package's class for functions.
        message.library.function.add().ParseFromString(function.SerializeToString())
    for gradient in exporter.gradients:
        message.library.registered_gradients.add(
            gradient_func=gradient.function, registered_op_type=gradient.kind
        )
    message.versions.producer = _PRODUCER
    message.versions.min_consumer = _MIN_CONSUMER


def function_def(graph: _core.Graph, name: str) -> FunctionDef:
    """A graph as a FunctionDef message."""
    exporter = Exporter(strict=False)
    exporter.function(graph, name)
    return exporter.functions[-1]
