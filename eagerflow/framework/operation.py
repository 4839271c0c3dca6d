"""Operations of traced functions: the nodes of their graphs, for programs that look at them."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Iterator, Mapping, Sequence
from traceback import FrameSummary, StackSummary
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.framework import context, registered_gradients
from eagerflow.framework.dtypes import resource
from eagerflow.framework.mapped_slices import MappedSlices
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.util import lazy

# Few programs ask for messages, or how operations follow one another.
effect_orders = lazy.Module("eagerflow.framework.effect_order")
created_ops = lazy.Module("eagerflow.graphdef.created_ops")
exporting = lazy.Module("eagerflow.graphdef.exporting")
handle_inputs = lazy.Module("eagerflow.graphdef.handle_inputs")
node_messages = lazy.Module("eagerflow.graphdef.node_messages")


class Operation:
    """A node of a traced function's graph.

    A node has one object as long as a program keeps it. Programs may give it attributes of their own.

    >>> @tf.function
    ... def double(x):
    ...     return tf.add(x, x, name="twice")
    """

    def __new__(cls, node: Any = None, *_: object) -> Any:
        known = getattr(node and node.graph, "_known_operations", None)
        if cls is not Operation or known is None:
            return super().__new__(cls)
        operation = known.get(node.id)
        if operation is None:
            operation = known[node.id] = super().__new__(cls)
        return operation

    def __init__(self, node: Any) -> None:
        self._node = node

    @property
    def name(self) -> str:
        """The name, unique in the graph."""
        return self._node.name

    @property
    def type(self) -> str:
        """TensorFlow's name of the operation, such as "MatMul"."""
        if own_handle(self._node):
            return "VarHandleOp"
        kind = self._node.type
        stateful = _WITH_STATE.get(kind)
        return stateful if stateful and any(map(_has_state, self._node.callees)) else kind

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self._node.graph

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The tensors that it reads; in a `tf.Graph`, the handles of variables first."""
        if own_handle(self._node):
            return ()
        inputs = self._node.inputs
        custom = self._node.custom_gradient if self._node.type == "IdentityN" else None
        if custom is not None:
            _, count, kinds, variables = custom
            # Tensors that the backward step captures follow; reads of variables may be elsewhere.
            inputs = inputs[: count + len(kinds) - len(variables)]
            found = _reads(self.graph)
            inputs += [found[id(v)] for v in variables if id(v) in found]
        return (*_handles(self._node), *inputs)

    @property
    def outputs(self) -> list[_core.Tensor]:
        """The tensors that it returns."""
        own = own_handle(self._node)
        return [own] if own else self._node.outputs

    def values(self) -> tuple[Any, ...]:
        """The tensors that it returns."""
        return tuple(self.outputs)

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must run before it, although it reads none of their results.

        In functions these are operations before it with effects on the same variables: all effects
        happen in the order in which they were added.
        """
        graph = self.graph
        found = graph.effect_order.get(self._node.id) if graph.building_function else None
        return [Operation(graph.node(id)) for id in found or self._node.controls]

    @property
    def _control_outputs(self) -> list[Operation]:
        """The operations that must run after it, although they read none of its results."""
        own = self._node.id
        return [Operation(node) for node in self.graph.nodes if own in node.controls]

    def _add_control_inputs(self, operations: Sequence[Operation]) -> None:
        """Lets this operation run after others, which must be older."""
        self.graph.add_controls(self._node.id, [op._node.id for op in operations])

    def _add_control_input(self, operation: Operation) -> None:
        """Lets this operation run after another one, which must be older."""
        self._add_control_inputs([operation])

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the operation in a session, by default the default session.

        Raises:
            ValueError: if there is no session.
        """
        self.graph.run_operation(self, feed_dict, session)

    @property
    def device(self) -> str:
        """The device that was requested for it; empty if it may run on any."""
        return self._node.device

    def colocation_groups(self) -> list[bytes]:
        """The groups of operations that run on one device with it: by default its own.

        >>> with tf.Graph().as_default():
        ...     x = tf.constant(1.0, name="x")
        ...     with tf.compat.v1.colocate_with(x):
        ...         y = tf.constant(2.0, name="y")
        ...     x.op.colocation_groups(), y.op.colocation_groups()
        ([b'loc:@x'], [b'loc:@x'])
        """
        groups = self.graph.colocation_groups_of(self)
        return list(groups) or [f"loc:@{self.name}".encode()]

    @property
    def node_def(self) -> Any:
        """The operation as a NodeDef message."""
        message = node_messages.node_def(self._node)
        groups = self.graph.colocation_groups_of(self)
        if groups:
            message.attr["_class"].list.s.extend(groups)
        return message

    @property
    def op_def(self) -> Any:
        """The operation's inputs, attributes and outputs, as an OpDef message."""
        return node_messages.op_def(self._node)

    @property
    def traceback(self) -> StackSummary:
        """The frame of the program's call that created it, in a list; an empty list if unknown."""
        source = self._node.source
        frames = [] if source is None else [FrameSummary(*source, lookup_line=False)]
        return StackSummary.from_list(frames)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute.

        Raises:
            ValueError: if there is none of that name.
        """
        attributes = self.node_def.attr
        if name not in attributes:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return node_messages.value_of(attributes[name])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, int]:
        return id(self._node.graph), self._node.id

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)


# Operations that run graphs, by their names for graphs without state.
_WITH_STATE = {
    "PartitionedCall": "StatefulPartitionedCall",
    "StatelessCase": "Case",
    "StatelessIf": "If",
    "StatelessWhile": "While",
}


def _has_state(graph: Any) -> bool:
    """Whether a graph reads variables or tables, or draws random numbers."""
    return any(
        node.variables
        or node.type == "RandomStream"
        or node.type.startswith("LookupTable")
        or any(map(_has_state, node.callees))
        for node in graph.nodes
    )


def _handles(node: _core.Node) -> list[Any]:
    """The handles of the variables that a node of a `tf.Graph` reads or changes."""
    graph = node.graph
    if getattr(graph, "building_function", True):
        return []
    found = [graph.handle_of(variable) for variable in node.variables]
    return [handle for handle in found if handle is not None]


def own_handle(node: _core.Node) -> Any:
    """The handle that a node returns in TensorFlow; here, the first read of the variable."""
    if node.type != "ReadVariableOp":
        return None
    return next((handle for handle in _handles(node) if handle.op._node.id == node.id), None)


class ImportedOperation(Operation):
    """A node of a GraphDef as its message has it; this graph may have other nodes in its place.

    Args:
        node: the node that returns its results.
        message: the NodeDef message.
        inputs: the tensors of the graph that it reads.
        outputs: the tensors that it returns.
    """

    def __init__(self, node: Any, message: Any, inputs: Sequence[Any], outputs: list[Any]) -> None:
        super().__init__(node)
        self._message, self._inputs, self._outputs = message, tuple(inputs), outputs

    @property
    def type(self) -> str:
        """TensorFlow's name of the operation."""
        return self._message.op

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The tensors that it reads."""
        return self._inputs

    @property
    def outputs(self) -> list[Any]:
        """The tensors that it returns."""
        return self._outputs

    def values(self) -> tuple[Any, ...]:
        """The tensors that it returns."""
        return tuple(self._outputs)

    @property
    def node_def(self) -> Any:
        """The message, with the names of nodes in this graph."""
        message = type(self._message)()
        message.CopyFrom(self._message)
        message.name = self.name
        message.attr.pop("_output_shapes", None)  # the graph has inferred them
        message.input[:] = [tensor.name.removesuffix(":0") for tensor in self._inputs]
        return message


def _reads(graph: Any) -> dict[int, Any]:
    """The first read of each variable in a graph, by the variable's id."""
    found: dict[int, Any] = {}
    for node in graph.nodes:
        if node.type == "ReadVariableOp":
            found.setdefault(id(node.variables[0]), node.outputs[0])
    return found


class _FunctionDefinition(NamedTuple):
    """A function of a graph: its FunctionDef message, and its graph if it is a traced function."""

    definition: Any
    graph: Any


_graph_numbers = itertools.count()


class GraphInspection:
    """The methods of a graph that do not build or run it."""

    nodes: list[Any]
    name: str
    outer: Any
    device_label: str
    captures: list[tuple[Any, Any]]

    # Whether this is the graph of a function, and not a `tf.Graph`.
    building_function = True
    # Whether it is a branch, or the condition or body of a loop.
    is_control_flow_graph = False
    # Which leaves of a branch's result were operations.
    returned_operations: Sequence[bool] = ()
    # Tensors of imported graphs by the names of their nodes there.
    imported: dict[str, list[Any]] | None = None
    seed: int | None = None
    # The slices that it runs for, if it is that of a function of slices.
    slices: MappedSlices | None = None
    # Nodes of imported graphs as in their messages, by the ids of nodes here; the ids of all nodes that
    # these consist of; and the functions that they call.
    imported_operations: dict[int, ImportedOperation] | None = None
    imported_nodes: set[int] | None = None
    imported_functions: Sequence[Any] = ()
    # The name that the function has in files; none until one is written or read.
    function_name: str | None = None
    # The attributes of the function: numbers, texts, dtypes, lists, or AttrValue messages.
    function_attributes: Mapping[str, object] = {}

    @functools.cached_property
    def references(self) -> dict[int, Any]:
        """The variables that tensors stand for, as their values after a change, by nodes."""
        return {}

    @functools.cached_property
    def _known_operations(self) -> weakref.WeakValueDictionary[int, Operation]:
        """The objects that programs have of operations, by the ids of nodes."""
        return weakref.WeakValueDictionary()

    @functools.cached_property
    def _graph_key(self) -> str:
        """Text unique to this graph, by which optimizers tell variables of graphs apart."""
        return f"graph-key-{next(_graph_numbers)}/"

    def __bool__(self) -> bool:
        return True  # With `__len__` alone, a graph without nodes would be false.

    @property
    def outer_graph(self) -> Any:
        """The graph that was being built when this one was begun, or the default one.

        Raises:
            AttributeError: for a `tf.Graph`, which has no outer graph.
        """
        if not self.building_function:
            raise AttributeError("'Graph' object has no attribute 'outer_graph'")
        return self.outer or context.default_graph()

    _effect_order: tuple[int, dict[int, list[int]]] | None = None

    @property
    def effect_order(self) -> dict[int, list[int]]:
        """The operations of a function that share state, by id, with those that they follow."""
        if self.function_attributes.get("_disable_acd"):
            return {}
        count = len(self.nodes)
        if self._effect_order is None or self._effect_order[0] != count:
            self._effect_order = count, effect_orders.EffectOrder(self).before
        return self._effect_order[1]

    @property
    def control_outputs(self) -> list[Operation]:
        """The operations of a function that run in each call: those with effects, and reads of variables.

        Raises:
            AttributeError: for a `tf.Graph`, which no call runs.
        """
        if not self.building_function:
            raise AttributeError("'Graph' object has no attribute 'control_outputs'")
        nodes = self.nodes
        return [Operation(nodes[id]) for id in self.effect_order]

    def overridden_operations(self) -> list[Operation]:
        """The operations that have gradients of the program's own, oldest first."""
        if not registered_gradients.replaced:
            return []
        return [op for op in self.get_operations() if op.type in registered_gradients.replaced]

    def colocation_groups_of(self, operation: Operation) -> list[bytes]:
        """The groups that an operation has been put into: none, but in a `tf.Graph`."""
        return []

    def gradient_function_of(self, operation: Operation) -> Any:
        """The gradient of the program's own that an operation has; None if there shall be none.

        Raises:
            LookupError: if none is registered under the name.
        """
        return registered_gradients.find(operation.type)

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Any],
        dtypes: Any = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        op_def: object = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Adds an operation of TensorFlow by its name; `tf.raw_ops` is simpler.

        Args:
            op_type: the name, such as "MatMul".
            inputs: tensors; those of lists one after another.
            dtypes: accepted, like the other arguments without a description here: it follows from the
                operation.
            input_types: see `dtypes`.
            name: the node's name; one that ends with "/" is not put into the current scope.
            attrs: AttrValue messages by the names of attributes. The dtypes of inputs may be missing.
            op_def: see `dtypes`.
            compute_shapes: see `dtypes`.
            compute_device: see `dtypes`.

        Returns:
            The operation.

        Raises:
            RuntimeError: if TensorFlow has no operation of this name.
            TypeError: if an input is no tensor.
            ValueError: if the dtypes of inputs differ from those in `attrs`.
            tf.errors.InvalidArgumentError: if inputs and attributes do not fit the operation.

        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     x = tf.constant([1.0, 2.0])
        ...     squares = graph.create_op("Mul", [x, x], name="squares")
        >>> squares.outputs
        [<tf.Tensor 'squares:0' shape=(2,) dtype=float32>]
        """
        return created_ops.create(self, op_type, inputs, name, attrs or {})

    def get_operations(self) -> list[Operation]:
        """All operations, in the order in which they run."""
        hidden = self.imported_nodes or ()
        shown = self.imported_operations or {}
        return [
            shown[node.id] if node.id in shown else Operation(node)
            for node in self.nodes
            if node.id in shown or node.id not in hidden
        ]

    def operation(self, node: _core.Node) -> Operation:
        """The operation that a node of this graph belongs to."""
        return (self.imported_operations or {}).get(node.id) or Operation(node)

    def note_imported(
        self, message: Any, made: Sequence[Any], inputs: list[Any], outputs: list[Any]
    ) -> None:
        """Records which nodes of this graph, the newest ones, a node of a message has become."""
        if not made or not all(map(_is_symbolic, (*inputs, *outputs))):
            return
        last = _core.node_of(outputs[0]) if outputs else made[-1]
        if last.id < made[0].id:  # it returns another node's result
            return
        if self.imported_operations is None:
            self.imported_operations, self.imported_nodes = {}, set()
        assert self.imported_nodes is not None
        self.imported_operations[last.id] = ImportedOperation(last, message, inputs, outputs)
        self.imported_nodes.update(node.id for node in made)

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of a name.

        Raises:
            KeyError: if there is none.
            TypeError: if the name is not a string.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        if self.imported and name in self.imported:
            tensors = self.imported[name]
            if tensors:
                return operation_of(_present(tensors[0]))
        for node in self.nodes:
            if node.name == name:
                return self.operation(node)
        raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")

    def get_tensor_by_name(self, name: str) -> _core.Tensor:
        """The tensor of a name, such as "add:0".

        Raises:
            ValueError: if the name has no colon.
            KeyError: if there is no such tensor.
            TypeError: if the name is not a string.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        operation, colon, index = name.rpartition(":")
        if not colon or not index.isdigit():
            raise ValueError(
                f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. Tensor "
                'names must be of the form "<op_name>:<output_index>".'
            )
        if self.imported and int(index) < len(self.imported.get(operation, ())):
            return _present(self.imported[operation][int(index)])
        for node in self.nodes:
            if node.name == operation:
                if int(index) < len(node.outputs):
                    return node.outputs[int(index)]
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                    f"{operation!r}, exists but only has {len(node.outputs)} outputs."
                )
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist. The operation, "
            f"{operation!r}, does not exist in the graph."
        )

    def as_graph_element(
        self, obj: object, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation that an object or a name refers to."""
        if not isinstance(obj, str):
            return obj
        if ":" in obj and allow_tensor:
            return self.get_tensor_by_name(obj)
        return self.get_operation_by_name(obj)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that its operations read or change, each once, in order."""
        unique: dict[int, Any] = {}
        for variable in self._used_variables():
            unique.setdefault(id(variable), variable)
        return tuple(unique.values())

    def _used_variables(self) -> Iterator[Any]:
        for node in self.nodes:
            yield from node.variables
            for callee in node.callees:
                yield from callee._used_variables()

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of its variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def captured_inputs(self) -> list[Any]:
        """The captures: handles of variables, then tensors of outer graphs.

        The variables of a program's graph stand for themselves: they have no handles.
        """
        handles = [getattr(variable, "handle", variable) for variable in self.variables]
        return [*handles, *(outer for outer, _ in self.captures)]

    @property
    def captured_placeholders(self) -> list[Any]:
        """What stands for `captured_inputs` inside, in the same order."""
        return [*handle_inputs.of(self), *(inner for _, inner in self.captures)]

    @property
    def capture_types(self) -> dict[int, Any]:
        """The specs of the captures, by the objects' ids."""
        handles = {id(v): TensorSpec([], resource) for v in self.variables}
        tensors = {id(t): TensorSpec(t.shape, t.dtype) for t, _ in self.captures}
        return {**handles, **tensors}

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The graph as a GraphDef message.

        Args:
            from_version: accepted, without effect.
            add_shapes: whether nodes have the shapes of their outputs in `_output_shapes`.
        """
        return exporting.graph_def(self, add_shapes)

    @property
    def _functions(self) -> dict[str, _FunctionDefinition]:
        """The functions that the graph's operations call, by name."""
        library = [*exporting.functions(self), *((f, None) for f in self.imported_functions)]
        return {message.signature.name: _FunctionDefinition(message, g) for message, g in library}

    def _apply_device_functions(self, operation: Any) -> None:
        """Passes the current device request to a method of an object."""
        if self.device_label:
            operation._set_device_from_string(self.device_label)

    def _get_control_flow_context(self) -> None:
        """None: branches and loops are graphs of their own."""

    def _set_control_flow_context(self, ctx: None) -> None:
        """Does nothing: None is all that there is to be set."""

    def as_function_def(self, name: str) -> Any:
        """The graph as a FunctionDef message of that name."""
        return exporting.function_def(self, name)


def _is_symbolic(value: Any) -> bool:
    return isinstance(value, _core.Tensor) and _core.is_symbolic(value)


def _present(value: Any) -> _core.Tensor:
    """The tensor itself; raises the error of a node that could not be imported."""
    if isinstance(getattr(value, "error", None), Exception):
        raise value.error
    return value


def last_operation() -> Operation:
    """The operation that was added last to the graph that is being built."""
    graph = _core.building()
    return Operation(graph.node(len(graph) - 1))


_core.register_last_operation(last_operation)


def operation_of(tensor: Any) -> Operation:
    """The operation that returns a symbolic tensor."""
    node = _core.node_of(tensor)
    return node.graph.operation(node)
