"""Variables of graphs: each session holds values of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from eagerflow import _core, errors
from eagerflow.framework import context, dtypes
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.framework.variable import Variable
from eagerflow.graph import inference
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.control_flow import group
from eagerflow.graph.execution import current_run, resolve, resolve_all
from eagerflow.graph.graph import Graph, ports
from eagerflow.graph.recording import record
from eagerflow.graph.structure import is_symbol
from eagerflow.graph.tensor import GraphTensor
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
sessions = lazy.Module("eagerflow.graph.session")


class GraphVariable(GraphTensor):
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
        constraint: kept for optimizers.
    """

    def __init__(
        self,
        initial_value: Any,
        trainable: bool = True,
        collections: Any = None,
        name: str | None = None,
        dtype: Any = None,
        validate_shape: bool = True,
        constraint: Callable | None = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        graph = context.default_graph()
        dtype = None if dtype is None else dtypes.as_dtype(dtype)
        full = graph.unique_name(name or "Variable")
        with graph.name_scope(full + "/"):
            value = initial_value() if _is_function(initial_value) else initial_value
            if not is_symbol(value):
                value = record(
                    graph, _core.convert, (value, dtype, None), kind="Const", name="initial_value"
                )
            elif dtype is not None and value.dtype != dtype:
                raise ValueError(
                    f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                    f"{value.dtype.name}: {value!r}"
                )
        shape = value.shape if validate_shape else TensorShape(None)
        operation = graph.add_operation("VariableV2", self._missing, (), {}, [], full + "/")
        super().__init__(operation, 0, value.dtype, shape, inference.samples_of(value.dtype, shape))
        operation.outputs = [self]
        operation.declare_outputs()
        graph._native.set_kind(operation._node, "variable")
        self._initial_value = value
        self.trainable = trainable
        self.constraint = constraint
        self._declared = None if validate_shape else False
        with graph.name_scope(full + "/"):
            self._initializer = self._write(value, "Assign", _replace_variable).op
        keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return Variable

    # Values

    def _storage_in(self, session: Any) -> Variable:
        variable = session._storage.get(id(self))
        if variable is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"Attempting to use uninitialized value {self._op.name}: run its initializer first, "
                "such as tf.global_variables_initializer().",
            )
        return variable

    def _missing(self) -> None:
        raise AssertionError("A variable's value is looked up in the session.")

    def _write(self, value: Any, kind: str, write: Callable[[Any, GraphVariable, Any], Any]) -> Any:
        """A node that changes the variable and returns its new value."""

        def change(new: Any) -> Any:
            run = current_run()
            assert run is not None
            return write(run.session, self, new)

        return record(
            self.graph,
            change,
            (value,),
            kind=kind,
            outputs=TensorSpec(self._shape, self._dtype),
        )

    def _change(self, kind: str, method: str, *values: Any) -> Any:
        """A node that calls a method of the variable that holds the value.

        While a session runs, or shapes are inferred, functions that change variables are called.
        """
        if inference.inferring() is not None:
            return resolve(self)
        if current_run() is not None:
            return getattr(resolve(self), method)(*(resolve_all(value) for value in values))

        def change(*given: Any) -> Any:
            run = current_run()
            assert run is not None
            if method == "assign" and id(self) not in run.session._storage:
                return _replace_variable(
                    run.session, self, _core.convert(given[0], self._dtype, None)
                )
            variable = self._storage_in(run.session)
            getattr(variable, method)(*given)
            return variable.read_value()

        plain = method in ("assign", "assign_add", "assign_sub")
        if plain and not is_symbol(values[0]) and not isinstance(values[0], IndexedSlices):
            value = record(self.graph, _core.convert, (values[0], self._dtype, None), name="value")
            values = (value,)
        changed = record(
            self.graph, change, values, kind=kind, outputs=TensorSpec(self._shape, self._dtype)
        )
        if plain and is_symbol(values[0]):
            native = self.graph._native
            native.set_inputs(changed.op._node, ports([self, values[0]]))
            native.set_kind(changed.op._node, method)
        return changed

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """A tensor that, when it is run, replaces the value and returns the new one."""
        return self._change("Assign", "assign", value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """A tensor that, when it is run, adds to the value and returns the new one."""
        return self._change("AssignAdd", "assign_add", delta)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """A tensor that, when it is run, subtracts from the value and returns the new one."""
        return self._change("AssignSub", "assign_sub", delta)

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """A tensor that, when run, has added rows."""
        return self._change("ScatterAdd", "scatter_add", sparse_delta)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """A tensor that, when run, has subtracted rows."""
        return self._change("ScatterSub", "scatter_sub", sparse_delta)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """A tensor that, when run, has replaced rows."""
        return self._change("ScatterUpdate", "scatter_update", sparse_delta)

    def count_up_to(self, limit: int) -> Any:
        """A tensor that, when it is run, returns the value and adds one to it, up to a limit."""

        def count() -> Any:
            run = current_run()
            assert run is not None
            return self._storage_in(run.session).count_up_to(limit)

        return record(
            self.graph, count, kind="CountUpTo", outputs=TensorSpec(self._shape, self._dtype)
        )

    def load(self, value: Any, session: Any = None) -> None:
        """Puts a value into a session."""
        _replace_variable(
            sessions.session_for(session, self, "load"),
            self,
            _core.convert(value, self._dtype, None),
        )

    def eval(self, session: Any = None) -> Any:  # type: ignore[override]
        """The value, as an array, in a session; the default one if none is given."""
        return super().eval(session=session)

    def read_value(self) -> Any:
        """A tensor of the value."""
        return record(self.graph, _core.ops.identity, (self,), kind="read")

    value = read_value

    @property
    def initializer(self) -> Any:
        """The operation that assigns the initial value."""
        return self._initializer

    @property
    def initial_value(self) -> Any:
        """The tensor of the initial value."""
        return self._initial_value

    def initialized_value(self) -> Any:
        """The tensor of the initial value."""
        return self._initial_value

    def is_initialized(self) -> Any:
        """A tensor that tells whether a session has a value."""

        def check() -> Any:
            run = current_run()
            assert run is not None
            return _core.as_tensor(id(self) in run.session._storage)

        return record(
            self.graph, check, kind="IsVariableInitialized", outputs=TensorSpec([], dtypes.bool)
        )

    # Names

    @property
    def name(self) -> str:
        """The name, with `:0` at its end."""
        return f"{self._op.name}:0"

    @property
    def _shared_name(self) -> str:
        return self._op.name

    @property
    def _name(self) -> str:
        return self._op.name

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self._shape} dtype={self._dtype.name}>"


def _is_function(value: Any) -> bool:
    return callable(value) and not is_symbol(value)


def _replace_variable(session: Any, variable: GraphVariable, value: Any) -> Any:
    """Gives a session's value of a variable; what optimizers kept of the old one is forgotten."""
    shared = getattr(variable, "_shared", None)
    if shared is not None:
        shared.assign(value)
        return value
    declared = variable._declared
    value = _core.ops.identity(value)
    made = Variable.__new__(Variable)
    Variable.__init__(
        made,
        value,
        trainable=variable.trainable,
        name=variable._name,
        validate_shape=declared is None,
        constraint=variable.constraint,
    )
    session._storage[id(variable)] = made
    session._store.set(variable._op._node, made)
    session._kept.append(variable)
    return value


def make_variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: Any = None,
    expected_shape: Any = None,
    import_scope: Any = None,
    constraint: Callable | None = None,
    use_resource: bool | None = None,
    synchronization: Any = None,
    aggregation: Any = None,
    shape: Any = None,
) -> Any:
    """A variable of the graph that is being built, or else one that has its value at once."""
    trainable = True if trainable is None else trainable
    if context.building_graph() is None:
        return Variable(
            initial_value,
            trainable=trainable,
            validate_shape=validate_shape,
            name=name,
            dtype=dtype,
            constraint=constraint,
            shape=shape,
        )
    return GraphVariable(
        initial_value, trainable, collections, name, dtype, validate_shape, constraint
    )


class _Kind(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return make_variable(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Variable)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Variable)


class VariableV1(metaclass=_Kind):
    """A variable: of the graph that is being built, or else one that has its value at once.

    Args:
        initial_value: a value, a tensor, or a function that returns one.
        trainable: whether optimizers change it by default.
        collections: in graphs, the collections that it is added to.
        validate_shape: False lets the shape change with assignments.
        caching_device: accepted.
        name: the name.
        variable_def: accepted.
        dtype: the element type.
        expected_shape: accepted.
        import_scope: accepted.
        constraint: a function that projects values onto those allowed.

    >>> v = tf.compat.v1.Variable(1.0, name="v")
    >>> isinstance(v, tf.compat.v1.Variable), v.numpy()
    (True, np.float32(1.0))
    """


# Collections


def _graph() -> Graph:
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

    Each is initialized after those that its initial value is made from.
    """
    if context.building_graph() is None:
        return None
    return group(*[variable.initializer for variable in var_list], name=name)


initialize_variables = variables_initializer


def global_variables_initializer() -> Any:
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


def tables_initializer(name: str = "init_all_tables") -> Any:
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

    def report() -> Any:
        run = current_run()
        assert run is not None
        names = [v.op.name for v in variables if id(v) not in run.session._storage]
        if not names:
            return _core.ops.reshape(_core.as_tensor([""])[:0], [0])
        return _core.convert(names, dtypes.string, None)

    return record(_graph(), report, kind=name, outputs=TensorSpec([None], dtypes.string))


# Assignments as functions


def assign(
    ref: Any,
    value: Any,
    validate_shape: Any = None,
    use_locking: Any = None,
    name: str | None = None,
) -> Any:
    """Replaces a variable's value.

    >>> v = tf.compat.v1.Variable(1.0)
    >>> tf.compat.v1.assign(v, 2.0).numpy()
    np.float32(2.0)
    """
    return ref.assign(value)


def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Adds to a variable's value."""
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtracts from a variable's value."""
    return ref.assign_sub(value)


def scatter_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Adds rows to those of a variable with the given indices."""
    return ref.scatter_add(IndexedSlices(updates, indices))


def scatter_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtracts rows from those of a variable with the given indices."""
    return ref.scatter_sub(IndexedSlices(updates, indices))


def scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replaces the rows of a variable with the given indices."""
    return ref.scatter_update(IndexedSlices(updates, indices))


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Any:
    """Gives a variable's value and adds one to it, up to a limit."""
    return ref.count_up_to(limit)
