"""Graphs, and the operations they consist of.

What nodes do and how they hang together is kept by the engine (`_core.SessionGraph`); here are their names,
scopes and collections.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow import _core
from eagerflow.debug.source_line import Line, calling_line
from eagerflow.framework import context
from eagerflow.util import lazy

# Imported when they are first used: they import this module.
iterators = lazy.Module("eagerflow.graph.iterators")
recording = lazy.Module("eagerflow.graph.recording")
sessions = lazy.Module("eagerflow.graph.session")


class Operation:
    """A node of a graph: a function, its arguments, and the tensors that it returns.

    Programs get operations from functions that return no tensor, such as initializers and training
    steps, and from the attribute `op` of tensors.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        kind: str,
        function: Callable[..., Any],
        args: tuple,
        kwargs: dict[str, Any],
        inputs: list[Any],
    ) -> None:
        self._graph = graph
        self._name = name
        self._type = kind
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self._inputs = inputs
        self.outputs: list[Any] = []
        self.structure: Any = None
        self.control_inputs: list[Operation] = graph.controlling_operations()
        self._source = calling_line(2) or Line("", 0, "")
        self._node: int = graph._native.add(
            name,
            kind,
            *self._source,
            ports(inputs),
            [operation._node for operation in self.control_inputs],
        )

    @property
    def name(self) -> str:
        """The name, unique in the graph."""
        return self._name

    @property
    def type(self) -> str:
        """The kind of operation."""
        return self._type

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        return self._graph

    @property
    def inputs(self) -> list[Any]:
        """The input tensors."""
        return self._inputs

    @inputs.setter
    def inputs(self, inputs: list[Any]) -> None:
        self._inputs = inputs
        self._graph._native.set_inputs(self._node, ports(inputs))

    def declare_outputs(self) -> None:
        """Tells the engine the dtypes and shapes of the outputs."""
        self._graph._native.set_outputs(
            self._node, [(tensor.dtype, tensor._dims) for tensor in self.outputs]
        )

    @property
    def device(self) -> str:
        """An empty string: no device has been chosen."""
        return ""

    @property
    def node_def(self) -> str:
        """The node as text."""
        inputs = "".join(f'input: "{tensor.op.name}"\n' for tensor in self.inputs)
        return f'name: "{self._name}"\nop: "{self._type}"\n{inputs}'

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the operation in a session, the default one if none is given."""
        sessions.session_for(session, self, "run").run(self, feed_dict)

    def values(self) -> tuple:
        """The output tensors."""
        return tuple(self.outputs)

    def get_attr(self, name: str) -> Any:
        """A keyword argument of the node.

        Raises:
            ValueError: if there is none of that name.
        """
        if name not in self.kwargs:
            raise ValueError(f"Operation '{self._name}' has no attr named '{name}'.")
        return self.kwargs[name]

    def where(self) -> str:
        """The line of the program that made the node, as tracebacks show it."""
        return f"  {self._source}" if self._source.file else ""

    def __repr__(self) -> str:
        return f"<tf.Operation '{self._name}' type={self._type}>"

    def __str__(self) -> str:
        return self.node_def


def ports(tensors: Iterable[Any]) -> list[tuple[int, int]]:
    """The ports by which the engine knows tensors of a graph: a node and an output index each."""
    return [(tensor._op._node, tensor._value_index) for tensor in tensors]


class Graph:
    """Operations that sessions run later.

    >>> graph = tf.compat.v1.Graph()
    >>> with graph.as_default():
    ...     total = tf.compat.v1.add(1.0, 2.0, name="total")
    >>> total.name, len(graph.get_operations())
    ('total:0', 1)
    >>> with tf.compat.v1.Session(graph=graph) as session:
    ...     print(session.run(total))
    3.0
    """

    def __init__(self) -> None:
        self._native = _core.SessionGraph()
        self._operations: dict[str, Operation] = {}
        self._by_node: list[Operation] = []
        self._names: dict[str, int] = {}
        self._scope = ""
        self._collections: dict[Any, list] = {}
        self._controls: list[list[Operation]] = []
        self._finalized = False
        self.seed: int | None = None
        self.variable_scope_state: Any = None
        # Nodes for what has been made outside of the graph, by identity.
        self.shared_variables: dict[int, Any] = {}
        self.keras_tensors: dict[int, tuple[Any, Any]] = {}
        self.keras_names: dict[str, int] = collections.defaultdict(int)

    def as_default(self) -> Any:
        """A context manager that adds operations to this graph."""
        return context.building(self)

    # What the layers below ask of a graph that is being built.

    def record(self, kind: str, function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """Adds a node that calls a function, and returns its outputs."""
        return recording.record(self, function, (args, kwargs), kind=kind)

    def make_one_shot_iterator(self, dataset: Any) -> Any:
        """An iterator over a dataset whose `get_next` is a node."""
        return iterators.make_one_shot_iterator(dataset)

    def make_initializable_iterator(self, dataset: Any, shared_name: str | None = None) -> Any:
        """An iterator over a dataset that starts when its `initializer` is run."""
        return iterators.make_initializable_iterator(dataset, shared_name)

    # Operations

    def add_operation(
        self,
        kind: str,
        function: Callable[..., Any],
        args: tuple,
        kwargs: dict[str, Any],
        inputs: list[Any],
        name: str | None = None,
    ) -> Operation:
        """A new node.

        Raises:
            RuntimeError: if the graph has been finalized.
            ValueError: if an input belongs to another graph.
        """
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        for tensor in inputs:
            if tensor.graph is not self:
                raise ValueError(
                    f"{tensor!r} must be from the same graph as the operation {name or kind!r} "
                    f"that takes it."
                )
        name = name or kind
        # A name that ends in a slash has been made unique already.
        name = name[:-1] if name.endswith("/") else self.unique_name(name)
        operation = Operation(self, name, kind, function, args, kwargs, inputs)
        self._operations[operation.name] = operation
        self._by_node.append(operation)
        return operation

    def get_operations(self) -> list[Operation]:
        """All nodes, in the order in which they were made."""
        return list(self._operations.values())

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of a name.

        Raises:
            KeyError: if there is none.
        """
        try:
            return self._operations[name]
        except KeyError:
            raise KeyError(f"The name '{name}' refers to an Operation not in the graph.") from None

    def get_tensor_by_name(self, name: str) -> Any:
        """The tensor of a name, such as "add:0".

        Raises:
            ValueError: if the name has another form.
            KeyError: if there is none.
        """
        operation_name, colon, number = name.rpartition(":")
        if not colon or not number.isdigit():
            raise ValueError(
                f"The name '{name}' looks like an (invalid) Operation name, not a Tensor. Tensor "
                'names must be of the form "<op_name>:<output_index>".'
            )
        operation = self._operations.get(operation_name)
        if operation is None or int(number) >= len(operation.outputs):
            raise KeyError(
                f"The name '{name}' refers to a Tensor which does not exist. The operation, "
                f"'{operation_name}', does not exist in the graph or has fewer outputs."
            )
        return operation.outputs[int(number)]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation that an object or a name refers to.

        Raises:
            TypeError: if it refers to neither.
            ValueError: if it belongs to another graph.
        """
        if isinstance(obj, str):
            if ":" in obj and allow_tensor:
                return self.get_tensor_by_name(obj)
            return self.get_operation_by_name(obj)
        element = obj._as_graph_element() if hasattr(obj, "_as_graph_element") else obj
        if isinstance(element, Operation) or hasattr(element, "_graph_tensor"):
            if element.graph is not self:
                kind = "Operation" if isinstance(element, Operation) else "Tensor"
                raise ValueError(f"{kind} {element!r} is not an element of this graph.")
            return element
        raise TypeError(f"Can not convert a {type(obj).__name__} into a Tensor or Operation.")

    def finalize(self) -> None:
        """Makes adding operations an error."""
        self._finalized = True

    def _unfinalize(self) -> None:
        self._finalized = False

    @property
    def finalized(self) -> bool:
        """Whether no operations can be added any more."""
        return self._finalized

    @property
    def version(self) -> int:
        """How many operations there are."""
        return len(self._operations)

    def as_graph_def(self, *args: Any, **kwargs: Any) -> str:
        """The nodes as text."""
        return "".join(
            "node {\n" + "".join(f"  {line}\n" for line in op.node_def.splitlines()) + "}\n"
            for op in self._operations.values()
        )

    # Names

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name in the current scope that no operation has."""
        full = name[:-1] if name.endswith("/") else self._scope + name
        count = self._names.get(full.lower(), 0)
        unique = full
        while count and unique.lower() in self._names:
            unique = f"{full}_{count}"
            count += 1
        if mark_as_used:
            self._names[full.lower()] = max(count, 1)
            self._names.setdefault(unique.lower(), 1)
        return unique

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Puts a prefix before the names of the operations made inside."""
        outer = self._scope
        if not name:
            self._scope = ""
        elif name.endswith("/"):
            self._scope = name
        else:
            self._scope = self.unique_name(name) + "/"
        try:
            yield self._scope
        finally:
            self._scope = outer

    def get_name_scope(self) -> str:
        """The prefix that names get now, without a slash at its end."""
        return self._scope.rstrip("/")

    # Order

    @contextmanager
    def control_dependencies(self, control_inputs: Iterable | None) -> Iterator[None]:
        """Has the operations made inside run after others."""
        if control_inputs is None:
            outer, self._controls = self._controls, []
            try:
                yield
            finally:
                self._controls = outer
            return
        operations = []
        for item in control_inputs:
            element = self.as_graph_element(item)
            operations.append(element if isinstance(element, Operation) else element.op)
        self._controls.append(operations)
        try:
            yield
        finally:
            self._controls.pop()

    def controlling_operations(self) -> list[Operation]:
        """What an operation made now has to wait for."""
        return [operation for level in self._controls for operation in level]

    # Collections

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends a value to a collection."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Appends a value to several collections."""
        for name in dict.fromkeys([names] if isinstance(names, str) else names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list:
        """The list itself that a collection is."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list:
        """The values in a collection, or those whose names begin with `scope`."""
        values = list(self._collections.get(name, []))
        if scope is None:
            return values
        import re

        pattern = re.compile(scope)
        return [v for v in values if hasattr(v, "name") and pattern.match(v.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections that are not empty."""
        return [name for name, values in self._collections.items() if values]

    def clear_collection(self, name: Any) -> None:
        """Empties a collection."""
        self._collections.pop(name, None)

    # What has no meaning here

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """A context manager that changes nothing: there is one device."""
        yield

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """A context manager that changes nothing: there is one device."""
        yield

    @contextmanager
    def container(self, container_name: str) -> Iterator[None]:
        """A context manager that changes nothing."""
        yield

    def is_feedable(self, tensor: Any) -> bool:
        """Whether a tensor can be given a value in `feed_dict`: all can."""
        return True

    is_fetchable = is_feedable
    prevent_fetching = prevent_feeding = is_feedable


def _record(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    return recording.record_call(context.building_graph(), function, args, kwargs)


context.process.make_graph = Graph
_core.set_recorder(_record)
