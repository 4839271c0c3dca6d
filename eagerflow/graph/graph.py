"""Graphs that sessions run: what a program of version 1 builds.

Nodes are the engine's (`_core.Graph`), as those of traced functions. Sessions run what they are asked for
and what that needs, in the order in which it was added.
"""

from __future__ import annotations

import collections
import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context, dtypes, func_graph, registered_gradients
from eagerflow.framework import name_scope as names
from eagerflow.framework.device import device, spec_of
from eagerflow.framework.device_spec import DeviceSpec
from eagerflow.framework.operation import GraphInspection, Operation
from eagerflow.graph.naming import called, last_effect, with_effects
from eagerflow.typing import ShapeLike, Structure
from eagerflow.util import lazy

# Imported when they are first used: they import this module.
iterators = lazy.Module("eagerflow.graph.iterators")
sessions = lazy.Module("eagerflow.graph.session")
variables = lazy.Module("eagerflow.graph.variables")

__all__ = ["Graph", "Operation", "node_ids"]


class Graph(_core.Graph, GraphInspection):
    """Operations that sessions run later.

    >>> graph = tf.compat.v1.Graph()
    >>> with graph.as_default():
    ...     total = tf.compat.v1.add(1.0, 2.0, name="total")
    >>> total.name, total.op.type
    ('total:0', 'AddV2')
    >>> with tf.compat.v1.Session(graph=graph) as session:
    ...     print(session.run(total))
    3.0
    """

    building_function = False

    def __init__(self) -> None:
        super().__init__("graph", program=True)
        self._by_name: dict[str, int] = {}
        self._collections: dict[Any, list] = {}
        self._finalized = False
        # The seed of random operations, and how many of them have had no seed of their own.
        self.seed: int | None = None
        self._unseeded = 0
        self.variable_scope_state: Any = None
        # The ids of the nodes that initialize variables.
        self.initializers: set[int] = set()
        # Nodes that run as a whole: ids of such as read what others of them have changed.
        self.sequences: list[range] = []
        # Reads of variables that were made outside of the graph, by identity.
        self.outer_variables: dict[int, tuple[Any, Any]] = {}
        # Programs keep weak references to what they feed, such as Keras to its learning phase.
        self.placeholders: list[Any] = []
        # The operations with which new operations are colocated, the groups of each scope with how
        # many nodes there were before, and the groups of nodes by id.
        self.colocations: tuple[Any, ...] = ()
        self._colocation_scopes: list[tuple[list[bytes], int]] = []
        self._colocated: dict[int, list[bytes]] = {}
        # The gradients that operations get in place of their own: by the ids of nodes, and the maps
        # that are in force, each with how many nodes there were before.
        self._overridden: dict[int, str] = {}
        self._override_maps: list[tuple[dict[str, str], int]] = []
        # Whether Keras's layers train: 0 or 1 if a program has said so, and what it may feed if not.
        self.set_phase: Any = None
        self._fed_phase: Any = None
        # Symbolic tensors of Keras's and their tensors in the graph, by the identity of the former; the
        # former by node and output of the latter; nodes that no such tensor leads to.
        self.keras_tensors: dict[int, tuple[Any, Any]] = {}
        self.keras_symbols: dict[tuple[int, int], Any] = {}
        self.keras_free: set[int] = set()
        self.keras_names: dict[str, int] = collections.defaultdict(int)

    def as_default(self) -> Any:
        """A context manager that adds operations to this graph."""
        return context.building(self)

    # Methods that lower layers call on a graph that is being built.

    def next_op_seed(self) -> int:
        """The seed of the next random operation that has none of its own."""
        number = self._unseeded
        self._unseeded += 1
        return number

    def make_variable(self, **arguments: Any) -> Any:
        """A variable of the graph; the arguments are those of `tf.Variable`."""
        return variables.graph_variable(**arguments)

    def declare_variable(self, name: str, dtype: Any, shape: ShapeLike, trainable: bool) -> Any:
        """A variable whose initializer, if any, is a node of a file."""
        return variables.ImportedVariable(self, name, dtype, shape, trainable)

    def nodes_of_variable(self, variable: _core.Variable) -> Any:
        """The nodes for a variable of this graph, or for another variable with its value."""
        return variables.nodes_in(variable, self)

    def handle_of(self, variable: Any) -> Any:
        """The handle that operations of this graph have for a variable; None for one without."""
        return variables.handle_in(variable, self)

    def make_one_shot_iterator(self, dataset: Any) -> Any:
        """An iterator over a dataset whose `get_next` is a node."""
        return iterators.make_one_shot_iterator(dataset)

    def make_initializable_iterator(self, dataset: Any, shared_name: str | None = None) -> Any:
        """An iterator over a dataset that starts when its `initializer` is run."""
        return iterators.make_initializable_iterator(dataset, shared_name)

    def learning_phase(self) -> Any:
        """Whether Keras's layers train: what has been set, or a tensor, False unless it is fed."""
        if self.set_phase is not None:
            return self.set_phase
        if self._fed_phase is None:
            quiet = _core.stop_recording()
            with self.as_default(), self.control_dependencies(None), self.name_scope(None), quiet:
                name = "keras_learning_phase"
                default = self.constant(_core.convert(False, dtypes.bool, None), f"{name}/input")
                self._fed_phase = _core.placeholder_with_default(default, (), name)
        return self._fed_phase

    def run_in_session(self, fetches: Structure) -> Any:
        """The results of the session of objects for a tensor, an operation, or a structure of them."""
        return self.session_of_objects(None, fetches, "eval").run(fetches)

    def session_of_objects(self, session: Any, element: object, action: str) -> Any:
        """The argument, or the session that holds the values of the program's objects."""
        return sessions.session_of_objects(session, element, action)

    def evaluate_tensor(self, tensor: Any, feed_dict: Any, session: Any) -> Any:
        """The value of a tensor in a session, by default the default session."""
        return sessions.session_for(session, tensor, "eval").run(tensor, feed_dict)

    def run_operation(self, operation: Operation, feed_dict: Any, session: Any) -> None:
        """Runs an operation in a session, by default the default session."""
        sessions.session_for(session, operation, "run").run(operation, feed_dict)

    # Operations

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of a name.

        Raises:
            KeyError: if there is none.
            TypeError: if the name is no string.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        found = self._id_of(name)
        if found is None:
            return super().get_operation_by_name(name)  # of what has been imported, or raises
        return self.operation(self.node(found))

    def _id_of(self, name: str) -> int | None:
        """The node of a name, or None."""
        found = self._by_name.get(name)
        if found is not None and self.node(found).name == name:
            return found
        self._by_name = {node.name: node.id for node in self.nodes}
        return self._by_name.get(name)

    def get_tensor_by_name(self, name: str) -> _core.Tensor:
        """The tensor of a name, such as "add:0".

        Raises:
            ValueError: if the name has no colon.
            KeyError: if there is no such tensor.
            TypeError: if the name is no string.
        """
        if isinstance(name, str) and name.rpartition(":")[2].isdigit():
            operation, _, index = name.rpartition(":")
            # Results of what was one operation in a file may come from several. Variables are no results.
            imported = (self.imported or {}).get(operation, ())[int(index) :]
            if imported and isinstance(imported[0], _core.Tensor):
                return imported[0]
            found = self._id_of(operation)
            if found is not None:
                outputs = self.node(found).outputs
                if int(index) < len(outputs):
                    return outputs[int(index)]
        elif isinstance(name, str) and self._id_of(name) is not None:
            raise ValueError(
                f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must be of "
                'the form "<op_name>:<output_index>".'
            )
        return super().get_tensor_by_name(name)  # raises

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation that an object or a name refers to.

        Raises:
            TypeError: if it refers to neither.
            ValueError: if it belongs to another graph.
        """
        if isinstance(obj, bytes):
            obj = obj.decode()
        if isinstance(obj, str):
            if ":" in obj and allow_tensor:
                return self.get_tensor_by_name(obj)
            if not allow_operation:
                raise ValueError(
                    f"The name {obj!r} looks like an (invalid) Operation name, not a Tensor. Tensor "
                    'names must be of the form "<op_name>:<output_index>".'
                )
            return self.get_operation_by_name(obj)
        element = obj
        if isinstance(obj, _core.Variable):
            element = variables.read_of(obj, self)
        elif hasattr(obj, "in_graph"):
            element = obj.in_graph(self)
        elif hasattr(obj, "_as_graph_element"):
            element = obj._as_graph_element()
        is_operation = isinstance(element, Operation)
        if (is_operation and allow_operation) or func_graph.is_symbolic(element):
            if element.graph is not self:
                kind = "Operation" if is_operation else "Tensor"
                raise ValueError(f"{kind} {element!r} is not an element of this graph.")
            return element
        wanted = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")

    def last_operation(self) -> Operation:
        """The operation that was added last."""
        return Operation(self.node(len(self) - 1))

    def finalize(self) -> None:
        """Makes adding operations an error."""
        self._finalized = True
        self.set_closed(True)

    def _unfinalize(self) -> None:
        self._finalized = False
        self.set_closed(False)

    @property
    def finalized(self) -> bool:
        """Whether no operations can be added any more."""
        return self._finalized

    @property
    def version(self) -> int:
        """How many operations there are."""
        return len(self)

    # Names

    def unique_name(  # type: ignore[override]
        self, name: str, mark_as_used: bool = True, with_prefix: bool = True
    ) -> str:
        """A name in the current scope that no operation has."""
        return super().unique_name(name, with_prefix, mark_as_used)

    def name_scope(self, name: str | None) -> names.name_scope:
        """Puts a prefix before the names of the operations made inside."""
        return names.name_scope(name or "")

    def name_in_variable_scope(self, name: str) -> str:
        """A variable's name below the current variable scope."""
        scope = self.variable_scope_state and self.variable_scope_state.scope.name
        return f"{scope}/{name}" if scope else name

    def outside_variable_scopes(self) -> contextlib.AbstractContextManager[None]:
        """Leaves the variable scopes: a gradient is computed after the scopes of its function."""
        state = self.variable_scope_state
        return contextlib.nullcontext() if state is None else state.outside()

    def get_name_scope(self) -> str:
        """The prefix that names get now, without a slash at its end."""
        return names.get_current_name_scope()

    # Order

    @contextmanager
    def control_dependencies(self, control_inputs: Iterable | None) -> Iterator[None]:
        """Has the operations made inside run after others."""
        graph = self if _core.building() is None else _core.building()
        part: Any = graph
        if part is not self and part.is_control_flow_graph:
            part.awaited += node_ids(self, control_inputs or ())
        if control_inputs is None:
            graph.begin_controls([], True)
        else:
            graph.begin_controls(node_ids(graph, control_inputs), False)
        try:
            yield
        finally:
            graph.end_controls()

    def named(self, kind: str, name: str | None, function: Callable[..., object]) -> Any:
        """What a function returns, whose operations have a name; see `called`."""
        return called(kind, name, function)

    def add_no_op(self, name: str) -> Operation:
        """A new operation that does nothing."""
        graph = _core.building()
        _core.no_op_node(name)
        return Operation(graph.node(len(graph) - 1))

    def with_effects(self, function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """What a function returns, computed after the effects of the nodes that it adds.

        A function that returns nothing gives the last operation with effects, or one that does
        nothing.
        """
        graph = _core.building()
        start = len(graph)
        result = function(*args, **kwargs)
        if result is None:
            return last_effect(graph, start) or self.add_no_op("NoOp")
        return with_effects(start, result)

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Replaces the gradients of operations that are added inside.

        Args:
            op_type_map: names under which gradients have been registered, by types of operations.

        Raises:
            TypeError: if it is not a dictionary of strings.

        >>> @tf.RegisterGradient("Tenfold")
        ... def tenfold(op, grad):
        ...     return 10.0 * grad
        >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        ...     x = tf.constant(3.0)
        ...     with graph.gradient_override_map({"Identity": "Tenfold"}):
        ...         y = tf.identity(x)
        ...     session.run(tf.gradients(y * y, x))
        [np.float32(60.0)]
        """
        if not isinstance(op_type_map, dict):
            raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        for kind, gradient in op_type_map.items():
            if not isinstance(kind, str) or not isinstance(gradient, str):
                raise TypeError("op_type_map must be a dictionary mapping strings to strings")
        self._override_maps.append((op_type_map, len(self)))
        try:
            yield
        finally:
            self._note_overridden()
            self._override_maps.pop()

    def _note_overridden(self) -> None:
        """Notes which nodes the maps in force apply to, the innermost first."""
        for kinds, start in reversed(self._override_maps):
            for id in range(start, len(self)):
                gradient = kinds.get(self.node(id).type)
                if gradient is not None:
                    self._overridden.setdefault(id, gradient)

    def overridden_operations(self) -> list[Operation]:
        """The operations that have gradients of the program's own, oldest first."""
        self._note_overridden()
        own = {op._node.id: op for op in super().overridden_operations()}
        own |= {id: self.operation(self.node(id)) for id in self._overridden}
        return [own[id] for id in sorted(own)]

    def gradient_function_of(self, operation: Operation) -> Any:
        """The gradient of the program's own that an operation has; None if there shall be none.

        Raises:
            LookupError: if none is registered under the name.
        """
        name = self._overridden.get(operation._node.id, operation.type)
        return registered_gradients.find(name)

    # Collections

    def add_to_collection(self, name: str | None, value: Any) -> None:
        """Appends a value to a collection."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Appends a value to several collections."""
        for name in dict.fromkeys([names] if isinstance(names, str) else names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: str | None) -> list:
        """The list itself that a collection is."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: str | None, scope: str | None = None) -> list:
        """The values in a collection, or those whose names begin with `scope`."""
        values = list(self._collections.get(name, []))
        if scope is None:
            return values
        pattern = re.compile(scope)
        return [v for v in values if hasattr(v, "name") and pattern.match(v.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections that are not empty."""
        return [name for name, values in self._collections.items() if values]

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def clear_collection(self, name: str | None) -> None:
        """Empties a collection."""
        self._collections.pop(name, None)

    # What has no meaning here

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Places the operations that are added inside on a device.

        Args:
            device_name_or_function: a name, a `tf.DeviceSpec`, None for any device, or a function
                that gives one of these for each operation.

        Raises:
            ValueError: if it is no device's name.
        """
        if not callable(device_name_or_function):
            with device(device_name_or_function):
                yield
            return
        outer = self.device_function

        def name_of(node: Any) -> str:
            chosen = spec_of(device_name_or_function(Operation(node))) or DeviceSpec()
            around = DeviceSpec.from_string("" if outer is None else outer(node))
            named = DeviceSpec.from_string(node.device)
            return around.make_merged_spec(chosen).make_merged_spec(named).to_string()

        self.device_function = name_of
        try:
            yield
        finally:
            self.device_function = outer

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Places operations that are added inside on the device of another operation.

        Args:
            op: the operation, its tensor or variable; None changes nothing.
            ignore_existing: whether to ignore outer scopes.
        """
        where = None if op is None else getattr(op, "device", None)
        around = self.colocations
        beside = () if op is None else (getattr(op, "op", op),)
        self.colocations = beside if ignore_existing else (*around, *beside)
        groups = {group for each in self.colocations for group in _groups_of(each)}
        try:
            with device(where) if where or ignore_existing else contextlib.nullcontext():
                with self.in_groups(sorted(groups)):
                    yield
        finally:
            self.colocations = around

    @contextmanager
    def in_groups(self, groups: list[bytes]) -> Iterator[None]:
        """Puts operations that are added inside into groups that run on one device."""
        self._note_colocated()
        self._colocation_scopes.append((groups, len(self)))
        try:
            yield
        finally:
            self._note_colocated()
            self._colocation_scopes.pop()

    def _note_colocated(self) -> None:
        """Notes the groups of nodes in the scopes in force, the innermost first."""
        for groups, start in reversed(self._colocation_scopes):
            for id in range(start, len(self)):
                self._colocated.setdefault(id, groups)

    def note_gradients(self, origins: list[tuple[int, int]]) -> None:
        """Puts the last nodes into the groups of those whose gradients they compute.

        Args:
            origins: the id of the first node of a gradient, and that of the node that it is of.
        """
        ends = [begin for begin, _ in origins[1:]] + [len(self)]
        for (begin, of), end in zip(origins, ends, strict=True):
            groups = Operation(self.node(of)).colocation_groups()
            for id in range(begin, end):
                self._colocated[id] = sorted({*self._colocated.get(id, ()), *groups})

    def colocation_groups_of(self, operation: Operation) -> list[bytes]:
        """The groups of operations on one device that an operation has been put into."""
        self._note_colocated()
        return self._colocated.get(operation._node.id, [])

    @contextmanager
    def container(self, container_name: str) -> Iterator[None]:
        """A context manager that changes nothing."""
        yield

    def is_feedable(self, tensor: object) -> bool:
        """Whether a tensor can be given a value in `feed_dict`: all can."""
        return True

    is_fetchable = is_feedable
    prevent_fetching = prevent_feeding = is_feedable


def _groups_of(item: object) -> list[bytes]:
    """The groups of an operation; none of a value that is not in the graph."""
    return item.colocation_groups() if isinstance(item, Operation) else []


def node_ids(graph: Graph, elements: Iterable[_core.Tensor | Operation]) -> list[int]:
    """The ids of a graph's nodes among tensors, operations and variables; others run before it."""
    found = []
    for element in nest.flatten(list(elements), expand_composites=True):
        if element is None:
            continue
        if isinstance(element, _core.Variable):
            if not (isinstance(graph, Graph) or isinstance(element, variables.GraphVariable)):
                continue  # A function's operations run in the order of its program.
            element = variables.read_of(element, graph)
        elif hasattr(element, "in_graph"):
            element = element.in_graph(graph)
        elif isinstance(element, str):
            element = graph.as_graph_element(element)
        operation = element if isinstance(element, Operation) else getattr(element, "op", None)
        if operation is not None and operation.graph is graph:
            found.append(operation._node.id)
    return found


context.process.make_graph = Graph
