"""Variables: named tensors that a program may change."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from eagerflow import _core, errors
from eagerflow.framework import context, dtypes
from eagerflow.framework.aggregation import VariableAggregation, VariableSynchronization
from eagerflow.framework.device_table import table
from eagerflow.framework.host_call import host_call
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.name_scope import scoped
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.slice_assignment import slice_assignment
from eagerflow.framework.tensor import OPERATORS, Reference, at, lack_array_methods, repr_fields
from eagerflow.framework.trackable import Trackable
from eagerflow.framework.variable_copies import Copied, declaration
from eagerflow.util.class_signature import SignatureOfInit, refuse_abstract

_ops = _core.ops


class _Creators(threading.local):
    def __init__(self) -> None:
        # The innermost last, each with the `tf.Graph` whose variables it makes, or None.
        self.functions: list[tuple[Callable, Any]] = []
        # The rules of the function that is being traced for new variables.
        self.tracing: Any = None


_creators = _Creators()


def tracing_creation(creation: object) -> Any:
    """Sets the object that is notified of variables that this thread makes, and returns the last one.

    Args:
        creation: an `eagerflow.functions.variable_creation.Creation`, or None.
    """
    before, _creators.tracing = _creators.tracing, creation
    return before


def creators() -> tuple[list[Any], Any]:
    """The functions that make variables on this thread, and the object of `tracing_creation`."""
    return list(_creators.functions), _creators.tracing


@contextmanager
def creating(state: tuple[list[Any], Any]) -> Iterator[None]:
    """Makes variables as another thread does, whose `creators()` this is."""
    before = _creators.functions, _creators.tracing
    _creators.functions, _creators.tracing = list(state[0]), state[1]
    try:
        yield
    finally:
        _creators.functions, _creators.tracing = before


@contextmanager
def variable_creator_scope(variable_creator: Callable) -> Iterator[None]:
    """Lets a function make the variables that this thread creates within.

    Args:
        variable_creator: called with `next_creator` and the keyword arguments of `tf.Variable`;
            returns a variable, usually that of `next_creator(**kwargs)`.

    >>> def not_trainable(next_creator, **kwargs):
    ...     kwargs["trainable"] = False
    ...     return next_creator(**kwargs)
    >>> with tf.variable_creator_scope(not_trainable):
    ...     v = tf.Variable(1.0)
    >>> v.trainable
    False
    """
    _creators.functions.append((variable_creator, context.building_graph()))
    try:
        yield
    finally:
        _creators.functions.pop()


def created(arguments: Mapping[str, object], last: Callable) -> Variable:
    """A variable from the functions of `tf.variable_creator_scope` that are active.

    Args:
        arguments: those of `tf.Variable`, by name.
        last: makes the variable that the innermost function asks for.
    """
    graph = context.building_graph()
    for function, their_graph in _creators.functions:
        if their_graph is graph:
            last = functools.partial(function, last)
    return last(**arguments)


def made(**arguments: object) -> Variable:
    """A variable from the arguments of `tf.Variable`; skips the functions of creator scopes."""
    return super(_VariableType, Variable).__call__(**arguments)  # type: ignore[misc]


class _VariableType(SignatureOfInit, type(_core.Variable)):  # type: ignore[misc]
    """Asks the functions of `tf.variable_creator_scope` for new variables."""

    # Type checkers read the parameters of `__init__`.
    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **kwargs: Any) -> Variable:
            if cls is not Variable:
                refuse_abstract(cls)
                return super().__call__(*args, **kwargs)
            make: Callable = super().__call__
            if context.process.graphs_used:
                graph = context.building_graph()
                if graph is not None:
                    make = graph.make_variable
                    if not _creators.functions:
                        return make(**cls.__signature__.bind(*args, **kwargs).arguments)
            if not _creators.functions:
                return make(*args, **kwargs)
            bound = cls.__signature__.bind(*args, **kwargs)
            bound.arguments.setdefault("experimental_enable_variable_lifting", None)
            bound.apply_defaults()
            return created(bound.arguments, make)


class _Synonym:
    """Another name of an attribute, which an attribute of an object may hide."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: object) -> Any:
        return self if instance is None else getattr(instance, self._name)


class _Trainable(_Synonym):
    """Whether a variable is trainable, which programs change by this name."""

    def __get__(self, instance: object, owner: object) -> Any:
        own = {} if instance is None else getattr(instance, "__dict__", {})
        return own["_trainable"] if "_trainable" in own else super().__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        # A subclass that wraps another variable keeps the value that was set.
        if not _core.Variable._set_trainable(instance, value):
            instance.__dict__["_trainable"] = value


class _HandleReference(Reference):
    """A reference to a handle, equal to those to other handles of the same variable."""

    __slots__ = ()

    def _id(self) -> int:
        return ~id(self._wrapped.variable)  # no object has a negative one


class ResourceHandle:
    """The handle of a variable, as a tensor of dtype `tf.resource` is in TensorFlow.

    Two handles are the same if they represent the same variable.

    Args:
        variable: the variable.

    >>> tf.Variable([1.0, 2.0], name="v").handle.dtype
    tf.resource
    """

    dtype = dtypes.resource
    shape = TensorShape([])
    ndim = 0

    def __init__(self, variable: Any) -> None:
        self.variable = variable

    def get_shape(self) -> TensorShape:
        """The shape: that of a scalar."""
        return self.shape

    def ref(self) -> Reference:
        """A hashable reference to the handle, for use as a key."""
        return _HandleReference(self)

    @property
    def device(self) -> str:
        """The name of the device that holds the value."""
        return self.variable.device

    def numpy(self) -> Any:
        """Raises a NotImplementedError: there are no arrays of variables."""
        raise NotImplementedError("numpy() is only available when the dtype is no resource.")

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise errors.InvalidArgumentError._of(
            f"The input {self!r} cannot be a resource variable: pass the variable, or its value."
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResourceHandle) and other.variable is self.variable

    def __hash__(self) -> int:
        return id(self.variable)

    def __repr__(self) -> str:
        variable = self.variable
        return (
            "<tf.Tensor: shape=(), dtype=resource, value=<ResourceHandle("
            f'name="{variable._name}", device="{variable.device}", type="tensorflow::Var", dtype and '
            f'shapes : "[ {variable.dtype.name}, {variable.shape} ]")>>'
        )


def variable_at_once(*args: Any, **kwargs: Any) -> Variable:
    """A variable that has its value at once, also while a `tf.Graph` is being built.

    Args:
        *args: those of `Variable`.
        **kwargs: the same by name.
    """
    if context.building_graph() is None:
        return Variable(*args, **kwargs)
    with context.running_eagerly():
        return Variable(*args, **kwargs)


def _refusal(sign: str, method: str) -> Callable[..., Any]:
    """The method of an in-place operator such as `+=`, which variables do not support."""

    def refuse(self: object, other: object) -> Any:
        raise RuntimeError(
            f"`variable {sign} value` with `tf.Variable`s is not supported. Use "
            f"`variable.{method}(value)` to modify the variable, or `out = variable {sign[:-1]} value` "
            "if you need to get a new output Tensor."
        )

    return refuse


class Variable(Copied, _core.Variable, Trackable, metaclass=_VariableType):
    """A mutable slot that holds a tensor of fixed dtype.

    A variable can be used wherever a tensor can; its current value is used then. Tapes watch
    trainable variables automatically. A tensor read from a variable keeps its value when the
    variable is assigned a new one.

    Args:
        initial_value: a tensor or what can be converted to one, or a function without arguments
            that returns it.
        trainable: whether tapes watch the variable when it is read; by default they do.
        validate_shape: False lets the shape change with assignments.
        name: the variable's name; need not be unique.
        variable_def: not supported.
        dtype: the element type; by default that of the initial value.
        constraint: a function that projects a value onto those allowed; kept for optimizers.
        synchronization: when the copies that a `tf.distribute.Strategy` makes are aggregated.
        aggregation: how they are.
        shape: the shape, where it shall be less specific than the initial value's; `None` entries
            may change with assignments.

    Raises:
        ValueError: if the initial value is missing or does not fit `shape` or `dtype`.

    >>> v = tf.Variable([1.0, 2.0])
    >>> v.assign_add([0.5, 0.5])
    <tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1.5, 2.5], dtype=float32)>
    """

    # Whether a function of version 1 has returned it in place of an operation.
    _stands_for_update = False
    # Whether sessions hold its values.
    _in_sessions = False
    # Attributes that variables of graphs, which sessions hold, have too.
    _synchronization = VariableSynchronization.AUTO
    _aggregation = VariableAggregation.NONE

    # NumPy's operators defer to those of variables.
    __array_priority__ = 100

    class SaveSliceInfo:
        """Which part of a larger variable this one is; unused."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: object = None,
        dtype: Any = None,
        import_scope: object = None,
        constraint: Callable | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            if type(self) is not Variable:  # which only looks like a variable
                raise NotImplementedError(
                    f"{type(self).__name__}: pass `initial_value`, or override the constructor."
                )
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are "
                "not providing a `variable_def`. You provided neither."
            )
        if not isinstance(synchronization, VariableSynchronization):
            raise ValueError(
                f"Invalid variable synchronization mode: {synchronization} for variable: {name}"
            )
        if not isinstance(aggregation, VariableAggregation):
            raise ValueError(
                f"Invalid variable aggregation mode: {aggregation} for variable: {name}"
            )
        if constraint is not None and not callable(constraint):
            raise ValueError(
                "Argument `constraint` must be None or a callable. "
                f"Got a {type(constraint)}:  {constraint}"
            )
        creation = _creators.tracing
        if creation is not None:
            creation.check()
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        if callable(initial_value) and not isinstance(initial_value, _core.Variable):
            initial_value = initial_value()
        value = _initial_tensor(initial_value, dtype)
        if _core.is_symbolic(value):
            value = _lifted(value, creation, name)
        self._constraint = constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        declared: Any = None if validate_shape else False
        if shape is not None:
            static_shape = TensorShape(shape)
            if not static_shape.is_compatible_with(value.shape):
                raise ValueError(
                    "In this `tf.Variable` creation, the initial value's shape "
                    f"({value.shape}) is not compatible with the explicitly supplied `shape` "
                    f"argument ({shape})."
                )
            declared = declaration(static_shape)
        name = scoped("Variable" if name is None else name)
        super().__init__(value, bool(trainable), name, declared)
        if creation is not None:
            creation.note(self)

    @property
    def name(self) -> str:
        """The name, with `:0` at its end."""
        return self._name + ":0"

    @property
    def _handle_name(self) -> str:
        return self.name

    @_handle_name.setter
    def _handle_name(self, name: str) -> None:
        self._name = name.removesuffix(":0")

    @property
    def _shared_name(self) -> str:
        return self._name

    @property
    def device(self) -> str:
        """The name of the device that holds the value."""
        return table.name(self._device_id)

    @property
    def _copies(self) -> Sequence[Any]:
        """The variables that hold the value: one for each replica of a distributed variable."""
        return (self,)

    @property
    def constraint(self) -> Callable | None:
        """The function passed as `constraint`."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """The argument `synchronization`."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """The argument `aggregation`."""
        return self._aggregation

    def _nodes_in_graph(self) -> Any:
        """The nodes for the variable in the `tf.Graph` that is being built, or None."""
        graph = context.building_graph()
        return None if graph is None else graph.nodes_of_variable(self)

    def _as_graph_element(self) -> Any:
        """The value that sessions fetch: a tensor of the `tf.Graph` that is being built, or None."""
        nodes = self._nodes_in_graph()
        return None if nodes is None else nodes.read

    @property
    def initializer(self) -> Any:
        """In a `tf.Graph`, the operation that assigns the initial value; else None."""
        nodes = self._nodes_in_graph()
        return None if nodes is None else nodes.initializer

    @property
    def initial_value(self) -> Any:
        """In a `tf.Graph`, the tensor of the initial value.

        Raises:
            RuntimeError: if operations run eagerly: the value is not kept.
        """
        nodes = self._nodes_in_graph()
        if nodes is None:
            raise RuntimeError("This property is not supported when eager execution is enabled.")
        return nodes.initial_value

    def initialized_value(self) -> Any:
        """In a `tf.Graph`, the tensor of the initial value; else the value."""
        nodes = self._nodes_in_graph()
        return self.read_value() if nodes is None else nodes.initial_value

    @property
    def op(self) -> Any:
        """In a `tf.Graph`, the operation that reads the variable.

        None if version 1's functions have returned the variable in place of the operation that changed
        it. It is None, too, in functions that are being traced, whose assignments return variables.
        """
        nodes = self._nodes_in_graph()
        if nodes is not None:
            return nodes.read.op
        if self._stands_for_update or _core.building() is not None:
            return None
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> Any:
        """The `tf.Graph` that is being built."""
        nodes = self._nodes_in_graph()
        if nodes is None:
            raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")
        return nodes.graph

    @property
    def handle(self) -> ResourceHandle:
        """The handle of the variable itself, in contrast to its value.

        A subclass that only wraps another variable returns the handle of that one.
        """
        if self._name is None:
            raise AttributeError("This Variable was never initialised.")
        return ResourceHandle(self)

    # Private attributes of TensorFlow's variables that other packages use.
    _in_graph_mode = False
    _cached_value = _caching_device = _distribute_strategy = _save_slice_info = None

    _dtype = _Synonym("dtype")
    _shape = _Synonym("shape")
    _trainable = _Trainable("trainable")

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": self}

    @property
    def _unique_id(self) -> str:
        return f"{self._name}_{id(self)}"

    def _shape_as_list(self) -> list[int | None] | None:
        return None if self.shape.rank is None else self.shape.as_list()

    def _dense_var_to_tensor(
        self, dtype: Any = None, name: str | None = None, as_ref: bool = False
    ) -> _core.Tensor:
        return _core.convert(self, dtype, None)

    @classmethod
    def _OverloadAllOperators(cls) -> None:
        """Lets the operators of a subclass compute with the result of its `value()`."""
        for name in OPERATORS:
            if hasattr(_core.Tensor, name):
                setattr(cls, name, _operator_on_value(name))

    def _sizes(self) -> Any:
        return self.read_value()._sizes()

    def read_value_no_copy(self) -> _core.Tensor:
        """The value; the same as `read_value`, which copies nothing."""
        return self.read_value()

    at = at

    def get_shape(self) -> TensorShape:
        """The shape; the same as `shape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Raises a ValueError unless the variable could have that shape."""
        self.shape.merge_with(shape)

    def is_initialized(self, name: str | None = None) -> _core.Tensor:
        """A tensor that is true: variables have a value from the start."""
        return _core.as_tensor(True)

    def eval(self, session: Any = None) -> Any:
        """In a `tf.Graph`, the value in a session, by default the default session.

        Raises:
            RuntimeError: if operations run eagerly.
        """
        nodes = self._nodes_in_graph()
        if nodes is None:
            raise RuntimeError("This operation is not supported when eager execution is enabled.")
        return nodes.graph.evaluate_tensor(nodes.read, None, session)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Belongs to graphs: raises a RuntimeError."""
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def load(self, value: Any, session: Any = None) -> None:
        """Assigns a value at once, also while a `tf.Graph` is being built."""
        with context.running_eagerly():
            self.assign(value)

    def ref(self) -> Reference:
        """A hashable reference to this variable, for use as a key."""
        return Reference(self)

    experimental_ref = ref

    def count_up_to(self, limit: int) -> _core.Tensor:
        """Adds one to an integer scalar and returns the value before.

        Raises:
            tf.errors.OutOfRangeError: if the value has reached `limit`.
        """
        value = self.read_value()

        def refuse() -> None:
            raise errors.OutOfRangeError._of(f"Reached limit of {limit} [Op:CountUpTo]")

        if _core.building() is not None:
            below = _ops.less(value, limit)
            host_call(refuse, None, name="CountUpTo", effects=True, unless=below)
        elif int(value) >= limit:
            refuse()
        self.assign_add(_ops.ones_like(value))
        return value

    def sparse_read(self, indices: Any, name: str | None = None) -> _core.Tensor:
        """The rows with these indices; the same as `tf.gather`."""
        return _ops.gather(self, indices, axis=0, batch_dims=0)

    def gather_nd(self, indices: Any, name: str | None = None) -> _core.Tensor:
        """The slices with these indices; the same as `tf.gather_nd`."""
        return _ops.gather_nd(self, indices, batch_dims=0)

    def scatter_add(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Adds rows to those at `indices`; rows of a repeated index add up.

        Args:
            sparse_delta: a `tf.IndexedSlices`.

        >>> v = tf.Variable([1.0, 1.0, 1.0])
        >>> v.scatter_add(tf.IndexedSlices(tf.constant([2.0]), tf.constant([1]))).numpy()
        array([1., 3., 1.], dtype=float32)
        """
        return self._scatter(_ops.tensor_scatter_nd_add, sparse_delta)

    def scatter_sub(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Subtracts rows from those at the indices."""
        return self._scatter(_ops.tensor_scatter_nd_sub, sparse_delta)

    def scatter_max(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Replaces rows by the larger of their values and the new ones."""
        return self._scatter(_ops.tensor_scatter_nd_max, sparse_delta)

    def scatter_min(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Replaces rows by the smaller of their values and the new ones."""
        return self._scatter(_ops.tensor_scatter_nd_min, sparse_delta)

    def scatter_update(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Replaces the rows at `indices`."""
        return self._scatter(_ops.tensor_scatter_nd_update, sparse_delta)

    def scatter_mul(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Multiplies the rows at `indices`."""
        return self._scatter_each(_ops.multiply, sparse_delta)

    def scatter_div(self, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        """Divides the rows at `indices`."""
        return self._scatter_each(_ops.divide_real, sparse_delta)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Variable:
        """Replaces slices of each batch element; the last axis of the indices picks them."""
        delta = _checked_slices(sparse_delta)
        indices = _core.as_tensor(delta.indices)
        rank = len(indices.shape)
        sizes = _ops.shape(indices)
        grid = []
        for k in range(rank - 1):
            positions = _ops.cast(_ops.range(0, sizes[k], 1), indices.dtype)
            along = [-1 if axis == k else 1 for axis in range(rank)]
            grid.append(_ops.broadcast_to(_ops.reshape(positions, along), sizes))
        full = _ops.stack([*grid, indices], axis=rank)
        return self._changed_by(_ops.tensor_scatter_nd_update, full, delta.values)

    def scatter_nd_add(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Adds to the slices with these indices, as `tf.tensor_scatter_nd_add`."""
        return self._changed_by(_ops.tensor_scatter_nd_add, indices, updates)

    def scatter_nd_sub(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Subtracts from the slices with these indices, as `tf.tensor_scatter_nd_sub`."""
        return self._changed_by(_ops.tensor_scatter_nd_sub, indices, updates)

    def scatter_nd_update(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Replaces the slices with these indices, as `tf.tensor_scatter_nd_update`."""
        return self._changed_by(_ops.tensor_scatter_nd_update, indices, updates)

    def scatter_nd_max(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Raises slices to at least these values, as `tf.tensor_scatter_nd_max`."""
        return self._changed_by(_ops.tensor_scatter_nd_max, indices, updates)

    def scatter_nd_min(self, indices: Any, updates: Any, name: str | None = None) -> Variable:
        """Lowers slices to at most these values, as `tf.tensor_scatter_nd_min`."""
        return self._changed_by(_ops.tensor_scatter_nd_min, indices, updates)

    def _scatter(self, scatter: Callable, sparse_delta: IndexedSlices) -> Variable:
        delta = _checked_slices(sparse_delta)
        indices, values = _rows(delta, self)
        positions = _ops.expand_dims(indices, -1)
        return self._changed_by(scatter, positions, values)

    def _scatter_each(self, combine: Callable, sparse_delta: IndexedSlices) -> Variable:
        """Applies one update after the other, since several may update the same row."""
        delta = _checked_slices(sparse_delta)
        indices, values = _rows(delta, self)

        def changed(value: _core.Tensor) -> Any:
            if _core.building() is not None:
                rows = _ops.shape(value)[0]
                factors = _ops.unsorted_segment_prod(values, indices, num_segments=rows)
                return combine(value, factors)
            for index, update in zip(indices.numpy().tolist(), values, strict=True):
                row = _ops.expand_dims(combine(value[index], update), 0)
                value = _ops.tensor_scatter_nd_update(value, [[index]], row)
            return value

        return self._changed(changed)

    def _changed_by(self, op: Callable, *operands: Any) -> Variable:
        """Replaces the value by `op(value, *operands)`, in place if nothing else reads the value.

        Args:
            op: an operation of the engine that changes its first input.
            operands: its other inputs.
        """
        if _core.building() is None:
            return self._change_by(op, *operands)
        return self._changed(lambda value: op(value, *operands))

    def _changed(self, change: Callable[[Any], Any]) -> Variable:
        """Replaces the value by a function of it.

        The function is called again if another thread has written since, so that no change is
        lost.
        """
        with _core.stop_recording():
            while True:
                value = self.read_value()
                if self._assign_if(value, change(value)):
                    return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read_value())

    def __hash__(self) -> int:
        # In a program's graph variables are keys.
        if context.building_graph() is not None or _core.all_compare_by_identity():
            return id(self)
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    __iadd__ = _refusal("+=", "assign_add")
    __isub__ = _refusal("-=", "assign_sub")
    __imul__ = _refusal("*=", "assign")
    __itruediv__ = _refusal("/=", "assign")
    __ifloordiv__ = _refusal("//=", "assign")
    __imod__ = _refusal("%=", "assign")
    __ipow__ = _refusal("**=", "assign")

    def __repr__(self) -> str:
        if _core.building() is not None:
            return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"
        return (
            f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, "
            f"{repr_fields(self)}>"
        )


def _operator_on_value(name: str) -> Callable:
    operator = getattr(_core.Tensor, name)

    @functools.wraps(operator)
    def on_value(self: Variable, *args: object) -> Any:
        return operator(self.value(), *args)

    return on_value


_core.register_slice_assignment(slice_assignment)


def _initial_tensor(value: Any, dtype: Any) -> _core.Tensor:
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    try:
        return _core.convert(value, dtype, None)
    except ValueError as error:
        if not str(error).startswith("Tensor conversion requested"):
            raise
        raise ValueError(f"initial_value: {error}") from None


def _lifted(value: _core.Tensor, creation: Any, name: str | None) -> _core.Tensor:
    """The value of a symbolic tensor that a variable begins with."""
    if creation is not None:
        return creation.initial_value(value)
    known = _core.static_value(value)
    if known is None:
        raise ValueError(
            f"Argument `initial_value` ({value}) could not be lifted out of a `tf.function`. (Tried "
            f"to create variable with name='{name}'). To avoid this error, when constructing "
            "`tf.Variable`s inside of `tf.function` you can create the `initial_value` tensor in a "
            "`tf.init_scope` or pass a callable `initial_value` (e.g., `tf.Variable(lambda : "
            "tf.truncated_normal([10, 40]))`)."
        )
    return known


def _checked_slices(sparse_delta: IndexedSlices) -> IndexedSlices:
    if not isinstance(sparse_delta, IndexedSlices):
        raise TypeError(
            f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}"
        )
    return sparse_delta


def _rows(delta: IndexedSlices, variable: Variable) -> tuple[_core.Tensor, _core.Tensor]:
    """Indices as a vector, and one row of values for each."""
    indices = _core.as_tensor(delta.indices)
    values = _core.convert(delta.values, variable.dtype, None)
    value = variable.read_value()
    row: list[Any] = list(value._shape_tuple() or [None])[1:]
    indices = _ops.reshape(indices, [-1])
    count: Any = indices._shape_tuple()[0]
    if count is None or None in row:
        count = _ops.shape(indices, dtypes.int64)[0]
        sizes = _ops.shape(value, dtypes.int64)
        row = [sizes[axis] if size is None else size for axis, size in enumerate(row, 1)]
    return indices, _ops.broadcast_to(
        _ops.reshape(values, [-1, *row]) if values.shape.rank != 0 else values, [count, *row]
    )


lack_array_methods(Variable)
