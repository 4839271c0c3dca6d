"""Variables of graphs: each session holds separate values."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.aggregation import VariableAggregation, VariableSynchronization
from eagerflow.framework.func_graph import dims_of, is_symbolic
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.operation import Operation, last_operation
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.framework.variable import ResourceHandle, Variable, created, made
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.nodes import python_node
from eagerflow.ops.control_flow import group
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
sessions = lazy.Module("eagerflow.graph.session")


class GraphVariable(Variable):
    """A variable of a graph.

    Its value is in sessions: it has none until its initializer has been run.

    Args:
        initial_value: a value, a tensor of the graph, or a function that returns one.
        trainable: whether optimizers change it by default.
        collections: the names of the collections that it is added to; by default those of the
            global and, if so, of the trainable variables.
        name: its name, made unique.
        dtype: the element type; by default that of the initial value.
        validate_shape: False lets values of other shapes be assigned.
        constraint: a function that optimizers apply.
        shape: the shape, where it shall be less specific than the initial value's.
        use_resource: whether changes give the variable, to be read after them, or its value; by
            default as `resource_variables_enabled` says.
    """

    _in_sessions = _in_graph_mode = True
    _is_resource = True

    def __init__(
        self,
        initial_value: Any,
        trainable: bool = True,
        collections: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        validate_shape: bool = True,
        constraint: Callable | None = None,
        shape: ShapeLike | None = None,
        use_resource: bool | None = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        self._constraint = constraint
        resource = context.process.resource_variables if use_resource is None else use_resource
        self._is_resource = bool(resource)
        graph = context.building_graph()
        full = graph.unique_name(name or "Variable")
        # Variables do not depend on what is done meanwhile: a branch, an operation's controls, a tape.
        with graph.as_default(), graph.control_dependencies(None), _core.stop_recording():
            with name_scope(full + "/Initializer/"), graph.in_groups(_own_group(full)):
                value = _initial_tensor(initial_value, dtype)
            declared = TensorShape(None) if not validate_shape else value.shape
            if shape is not None:
                declared = TensorShape(shape)
            self._declare(value.dtype, dims_of(declared), bool(trainable), full)
            self._graph_nodes: Any = VariableNodes(self, graph, full, value)
        keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)

    def _changed_to(self, method: str, value: TensorLike, read_value: bool) -> Any:
        result = getattr(_core.Variable, method)(self, value, read_value=read_value)
        if _core.building() is None or not read_value:
            return result
        changed = last_operation()
        if self._is_resource:
            return ChangedVariable(self, changed)
        with control_dependencies_of(changed):
            value = self.read_value()
        value.graph.references[_core.node_of(value).id] = self
        return value

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """An operation that assigns a value and returns it.

        Args:
            value: the new value.
            read_value: False for the operation that replaces it.
        """
        return self._changed_to("assign", value, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """An operation that adds to the value and returns the sum."""
        return self._changed_to("assign_add", delta, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """An operation that subtracts from the value and returns the difference."""
        return self._changed_to("assign_sub", delta, read_value)

    def _changed(self, change: Callable[[Any], Any]) -> Any:
        if _core.building() is None:
            return super()._changed(change)
        with _core.stop_recording():
            return self.assign(change(self.read_value()))

    def count_up_to(self, limit: int) -> Any:
        """A tensor that increments the value up to a limit, and returns the old value."""
        return python_node(
            lambda: Variable.count_up_to(self, limit),
            kind="CountUpTo",
            outputs=TensorSpec(self.shape, self.dtype),
        )

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Puts a value into a session."""
        session = sessions.session_for(session, self, "load")
        with context.running_eagerly():
            session._store.assign(self, _core.convert(value, self.dtype, None))

    def _nodes_in_graph(self) -> VariableNodes:
        return self._graph_nodes

    def _get_save_slice_info(self) -> Any:
        return self._save_slice_info

    def _set_save_slice_info(self, save_slice_info: Any) -> None:
        self._save_slice_info = save_slice_info

    @property
    def handle(self) -> GraphHandle:
        """The handle of the variable."""
        return GraphHandle(self)

    @property
    def device(self) -> str:
        """The device that its operations were asked to run on; empty if on any."""
        return str(self._graph_nodes.read.op.device)

    def is_initialized(self, name: str | None = None) -> _core.Tensor:
        """A boolean tensor: whether the session has a value."""
        return _core.variable_is_initialized(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        kind = "" if self._is_resource else "_ref"
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}{kind}>"

    __str__ = __repr__


class GraphHandle(ResourceHandle):
    """What stands for a variable of a graph: the result of the operation that has its name."""

    value_index = 0

    @property
    def op(self) -> Operation:
        """The operation that returns it."""
        return self.variable.op

    @property
    def graph(self) -> Any:
        """The graph of the variable."""
        return self.variable.graph

    @property
    def name(self) -> str:
        """The name of the operation, with ":0"."""
        return f"{self.op.name}:0"

    def consumers(self) -> list[Operation]:
        """The operations that read or change the variable."""
        return [
            operation
            for operation in self.graph.get_operations()
            if any(isinstance(x, GraphHandle) and x == self for x in operation.inputs)
        ]

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape=() dtype=resource>"


class OuterHandle(GraphHandle):
    """The handle of a variable that has its value outside of sessions, in a graph that uses it.

    Args:
        variable: the variable.
        graph: the graph, which has nodes for it.
    """

    def __init__(self, variable: Any, graph: Any) -> None:
        super().__init__(variable)
        self._graph = graph

    @property
    def graph(self) -> Any:
        """The graph that uses the variable."""
        return self._graph

    @property
    def op(self) -> Operation:
        """The operation that has the variable's name."""
        return self._graph.outer_variables[id(self.variable)][1].read.op


class ChangedVariable(Variable):
    """What a change of a graph's variable gives: the variable, which is read after the change.

    It can be changed again, after the first change.

    Args:
        variable: the variable.
        change: the operation that changes it.
    """

    _is_resource = True  # changes of others give their values

    def __init__(self, variable: GraphVariable, change: Operation) -> None:
        self._variable, self._change = variable, change
        self._constraint = variable.constraint
        # Added now: a session may fetch it from a graph to which nothing can be added any more.
        self._read = self.read_value()

    @property
    def handle(self) -> GraphHandle:
        """The handle of the variable."""
        return self._variable.handle

    @property
    def op(self) -> Operation:
        """The operation that changes the variable."""
        return self._change

    @property
    def name(self) -> str:
        """The name of the operation."""
        return self._change.name

    @property
    def _name(self) -> str:  # type: ignore[override]
        return self._variable._name

    @property
    def shape(self) -> Any:  # type: ignore[override]
        """The shape of the variable."""
        return self._variable.shape

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        """The element type."""
        return self._variable.dtype

    @property
    def trainable(self) -> bool:  # type: ignore[override]
        """Whether tapes watch the variable."""
        return self._variable.trainable

    @property
    def initializer(self) -> None:
        """None: only the variable has an initial value."""
        return None

    initial_value = initializer

    def _as_graph_element(self) -> Any:
        return self._read

    def read_value(self) -> _core.Tensor:
        """The value after the change, a tensor."""
        with self._afterwards():
            return self._variable.read_value()

    value = read_value

    def eval(self, session: Any = None) -> Any:
        """Changes the variable in a session, by default the default session; returns its value."""
        return self._read.eval(session=session)

    def is_initialized(self, name: str | None = None) -> Any:
        """A tensor that tells whether a session has a value: it has, after the change."""
        with self._afterwards():
            return self._variable.is_initialized()

    def _afterwards(self) -> Any:
        return control_dependencies_of(self._change)

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Replaces the value afterwards."""
        with self._afterwards():
            return self._variable.assign(value, read_value=read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Adds to the value afterwards."""
        with self._afterwards():
            return self._variable.assign_add(delta, read_value=read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Subtracts from the value afterwards."""
        with self._afterwards():
            return self._variable.assign_sub(delta, read_value=read_value)

    def _changed(self, change: Callable[[Any], Any]) -> Any:
        with self._afterwards():
            return self._variable._changed(change)

    __eq__ = GraphVariable.__eq__
    __ne__ = GraphVariable.__ne__
    __hash__ = GraphVariable.__hash__
    __repr__ = __str__ = GraphVariable.__repr__


class ImportedVariable(GraphVariable):
    """A variable of a graph that was read from a file.

    Args:
        graph: the graph.
        name: its name.
        dtype: the element type.
        shape: the shape, which may be unknown.
        trainable: whether optimizers change it by default.
    """

    def __init__(self, graph: Any, name: str, dtype: Any, shape: Any, trainable: bool) -> None:
        self._constraint = None
        with graph.as_default(), graph.control_dependencies(None):
            self._declare(dtype, dims_of(TensorShape(shape)), trainable, name)
            self._graph_nodes = ImportedNodes(self, graph, name)

    def set_nodes(self, initializer: Any, initial_value: TensorLike) -> None:
        """Sets the file's operation that initializes it."""
        self._graph_nodes.initializer = initializer
        self._graph_nodes.initial_value = initial_value


class ImportedNodes:
    """A graph's nodes for a variable from a file: the read by which sessions know it.

    Args:
        variable: the variable.
        graph: the graph, which is being built.
        name: the variable's name in the graph.
    """

    initializer: Any = None
    initial_value: Any = None

    def __init__(self, variable: Any, graph: Any, name: str) -> None:
        self.graph = graph
        self.read = _core.Variable.read_value(variable)
        graph.rename(_core.node_of(self.read).id, graph.unique_name(name, True, False))


class VariableNodes:
    """A graph's nodes for a variable: its initial value, its initializer, and a read.

    Args:
        variable: the variable.
        graph: the graph, which is being built.
        name: the variable's name in the graph.
        initial_value: a tensor.
    """

    def __init__(self, variable: Any, graph: Any, name: str, initial_value: Any) -> None:
        self.graph = graph
        self.initial_value = initial_value
        # In a scope, so that the program's own reads and changes are called as if these were not.
        with name_scope(f"{name}/"):
            with graph.in_groups(_own_group(name)):
                self.read = _core.Variable.read_value(variable)
            _core.Variable.assign(variable, initial_value)
        self.initializer = last_operation()
        graph.rename(_core.node_of(self.read).id, graph.unique_name(f"{name}/"))
        graph.initializers.add(self.initializer._node.id)
        assign = graph.unique_name(f"{name}/Assign", with_prefix=False)
        graph.rename(self.initializer._node.id, assign)

    def initialize_with(self, variable: Any, value: TensorLike) -> None:
        """Has the initializer assign another tensor of the graph."""
        self.initial_value = value
        _core.Variable.assign(variable, value)
        self.initializer = last_operation()
        self.graph.initializers.add(self.initializer._node.id)


def control_dependencies_of(operation: Operation) -> Any:
    """Has the operations that are added inside run after a node."""
    return context.building_graph().control_dependencies([operation])


def _initial_tensor(value: Any, dtype: Any) -> _core.Tensor:
    """An initial value, which a function may return, as a tensor of the graph."""
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if callable(value) and not isinstance(value, _core.Variable):
        value = value()
    if is_symbolic(value) or isinstance(value, _core.Variable):
        value = _core.as_tensor(value)
        if dtype is not None and value.dtype != dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    with context.running_eagerly():
        value = _core.convert(value, dtype, None)
    return _core.building().constant(value, "initial_value")


def _own_group(name: str) -> list[bytes]:
    """The group of a variable's initial value and the operation that has its name."""
    return [f"loc:@{name}".encode()]


def read_of(variable: Variable, graph: Any) -> _core.Tensor:
    """The tensor by which a session of a graph fetches and feeds a variable, as its class says."""
    with graph.as_default():
        return variable._as_graph_element()


def nodes_in(variable: Any, graph: Any) -> Any:
    """A graph's nodes for a variable: its own, another one, or one that wraps either."""
    variable = variable.handle.variable
    if isinstance(variable, GraphVariable):
        return variable._graph_nodes
    return nodes_of(variable, graph, listed=False)


def handle_in(variable: Any, graph: Any) -> GraphHandle | None:
    """The handle of a variable in a graph; None for references, and for variables of other graphs."""
    if not isinstance(variable, GraphVariable):
        return OuterHandle(variable, graph) if id(variable) in graph.outer_variables else None
    owns = variable._is_resource and variable._graph_nodes.graph is graph
    return variable.handle if owns else None


def nodes_of(variable: Any, graph: Any, listed: bool = True) -> VariableNodes:
    """A graph's nodes for a variable that has its value outside of sessions; made at its first use.

    Args:
        variable: the variable, such as a weight of Keras.
        graph: the graph.
        listed: whether to list it among the graph's variables, which an initializer sets.
    """
    known = graph.outer_variables.get(id(variable))
    if known is None:
        quiet = _core.stop_recording()
        with graph.as_default(), graph.control_dependencies(None), name_scope(""), quiet:
            name = graph.unique_name(variable.name.partition(":")[0])
            with context.running_eagerly():
                value = variable.read_value()
            with graph.in_groups(_own_group(name)):
                value = graph.constant(value, f"{name}/Initializer/initial_value/")
            nodes = VariableNodes(variable, graph, name, value)
        known = graph.outer_variables[id(variable)] = variable, nodes
        if listed:
            keys = [GraphKeys.GLOBAL_VARIABLES]
            if variable.trainable:
                keys.append(GraphKeys.TRAINABLE_VARIABLES)
            graph.add_to_collections(keys, variable)
    return known[1]


def listed(variable: Any, graph: Any) -> None:
    """Lists a variable among those of a graph, unless it is one of the graph's own."""
    if not isinstance(variable, GraphVariable):
        nodes_of(variable, graph)


def graph_variable(
    initial_value: TensorLike | None = None,
    trainable: bool | None = None,
    validate_shape: bool = True,
    name: str | None = None,
    dtype: DTypeLike | None = None,
    constraint: Callable | None = None,
    shape: ShapeLike | None = None,
    **others: object,
) -> GraphVariable:
    """A variable of the graph that is being built, from the arguments of `tf.Variable`."""
    return GraphVariable(
        initial_value,
        trainable is None or trainable,
        name=name,
        dtype=dtype,
        validate_shape=validate_shape,
        constraint=constraint,
        shape=shape,
        use_resource=True,
    )


def make_variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    caching_device: object = None,
    name: str | None = None,
    variable_def: object = None,
    dtype: DTypeLike | None = None,
    expected_shape: Any = None,
    import_scope: object = None,
    constraint: Callable | None = None,
    use_resource: bool | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
    shape: ShapeLike | None = None,
    experimental_enable_variable_lifting: bool | None = None,
) -> Any:
    """A variable of the graph that is being built, or else an eager variable."""
    return created(locals(), _make_variable)


def make_unscoped(name: str, value: Any, **arguments: Any) -> Any:
    """A variable of this full name, whatever scope the program is in; see `make_variable`."""
    graph = context.building_graph()
    with name_scope("") if graph is None else graph.name_scope(None):
        return make_variable(value, name=name, **arguments)


def _make_variable(
    initial_value: object,
    trainable: bool | None,
    collections: Any,
    validate_shape: bool,
    name: str | None,
    dtype: dtypes.DType,
    constraint: Callable | None,
    shape: TensorShape | None = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
    use_resource: bool | None = None,
    **others: object,
) -> Variable:
    trainable = True if trainable is None else trainable
    if context.building_graph() is None:
        return made(
            initial_value=initial_value,
            trainable=trainable,
            validate_shape=validate_shape,
            name=name,
            dtype=dtype,
            constraint=constraint,
            shape=shape,
            synchronization=synchronization,
            aggregation=aggregation,
        )
    return GraphVariable(
        initial_value,
        trainable,
        collections,
        name,
        dtype,
        validate_shape,
        constraint,
        use_resource=use_resource,
    )


class _Kind(ABCMeta):
    def __call__(cls, *args: Any, **kwargs: Any) -> Variable:
        return make_variable(*args, **kwargs)

    def __instancecheck__(cls, instance: Variable) -> bool:
        return isinstance(instance, Variable)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Variable)


class VariableV1(metaclass=_Kind):
    """A variable: of the graph that is being built, or else an eager variable.

    Args:
        initial_value: a value, a tensor, or a function that returns one.
        trainable: whether optimizers change it by default.
        collections: in graphs, the collections that it is added to.
        validate_shape: False lets the shape change with assignments.
        name: the name.
        variable_def: accepted.
        dtype: the element type.
        constraint: a function that projects values onto permitted ones.

    >>> v = tf.compat.v1.Variable(1.0, name="v")
    >>> isinstance(v, tf.compat.v1.Variable), v.numpy()
    (True, np.float32(1.0))
    """


# Collections


def _graph() -> Any:
    return context.default_graph()


def global_variables(scope: str | None = None) -> list[Any]:
    """All variables of the default graph, or those whose names begin with `scope`."""
    return _graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


all_variables = global_variables


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The trainable variables of the default graph, or those whose names begin with `scope`."""
    return _graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope: str | None = None) -> list[Any]:
    """The local variables of the default graph, or those whose names begin with `scope`."""
    return _graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables in the collection of model variables."""
    return _graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables that have moving averages."""
    return _graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Iterable[Any], name: str = "init") -> Any:
    """An operation that initializes variables; None if operations run eagerly.

    Each is initialized after the variables that its initial value depends on.
    """
    if context.building_graph() is None:
        return None
    return group(*[variable.initializer for variable in var_list], name=name)


initialize_variables = variables_initializer


def global_variables_initializer() -> Operation:
    """An operation that initializes all variables of the graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     float(session.run(v))
    3.0
    """
    return variables_initializer(global_variables())


def initialize_all_variables() -> Any:
    """The older name of `global_variables_initializer`."""
    return global_variables_initializer()


def local_variables_initializer() -> Any:
    """An operation that initializes all local variables of the graph."""
    return variables_initializer(local_variables())


def initialize_local_variables() -> Any:
    """The older name of `local_variables_initializer`."""
    return local_variables_initializer()


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An operation that does nothing: tables have their values at once."""
    return variables_initializer([], name)


def is_variable_initialized(variable: Any) -> Any:
    """A tensor that tells whether a variable has a value."""
    return variable.is_initialized()


def report_uninitialized_variables(
    var_list: Any = None, name: str = "report_uninitialized_variables"
) -> Any:
    """A tensor with the names of variables that have no value."""
    variables = list(global_variables() + local_variables() if var_list is None else var_list)

    def report() -> _core.Tensor:
        store = sessions.running_session()._store
        names = [v.op.name for v in variables if not store.initialized(v)]
        return _core.convert(np.array(names, dtype="S"), dtypes.string, None)

    kind, spec = "report_uninitialized_variables", TensorSpec([None], dtypes.string)
    return python_node(report, kind=kind, name=name, outputs=spec)


# Assignments as functions


def _changeable(ref: Any) -> Any:
    """What a function changes: a variable, of which the value after a change may be given."""
    if isinstance(ref, _core.Tensor) and is_symbolic(ref):
        node = _core.node_of(ref)
        variable = ref.graph.references.get(node.id)
        if variable is not None:
            return ChangedVariable(variable, Operation(node))
    return ref


def assign(
    ref: Any,
    value: Any,
    validate_shape: object = None,
    use_locking: object = None,
    name: str | None = None,
) -> Any:
    """Replaces a variable's value.

    >>> v = tf.compat.v1.Variable(1.0)
    >>> tf.compat.v1.assign(v, 2.0).numpy()
    np.float32(2.0)
    """
    return _updated(_changeable(ref).assign(value))


def assign_add(ref: Any, value: Any, use_locking: object = None, name: str | None = None) -> Any:
    """Adds to a variable's value."""
    return _updated(_changeable(ref).assign_add(value))


def assign_sub(ref: Any, value: Any, use_locking: object = None, name: str | None = None) -> Any:
    """Subtracts from a variable's value."""
    return _updated(_changeable(ref).assign_sub(value))


def _updated(result: Variable) -> Variable:
    """What stands for an update: in a graph a tensor, else the variable, which may be asked for its `op`."""
    if isinstance(result, Variable):
        result._stands_for_update = True
    return result


def scatter_add(
    ref: Any, indices: Any, updates: TensorLike, use_locking: bool = False, name: str | None = None
) -> Any:
    """Adds rows to those of a variable with the given indices."""
    return _updated(_changeable(ref).scatter_add(IndexedSlices(updates, indices)))


def scatter_sub(
    ref: Any, indices: Any, updates: TensorLike, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtracts rows from those of a variable with the given indices."""
    return _updated(_changeable(ref).scatter_sub(IndexedSlices(updates, indices)))


def scatter_update(
    ref: Any, indices: Any, updates: TensorLike, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replaces the rows of a variable with the given indices."""
    return _updated(_changeable(ref).scatter_update(IndexedSlices(updates, indices)))


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Any:
    """Increments a variable up to a limit, and returns the old value."""
    return ref.count_up_to(limit)
