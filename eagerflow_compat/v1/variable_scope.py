"""Variable scopes, which prefix the names of variables and share variables by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework import name_scope as names
from eagerflow.framework.aggregation import VariableAggregation, VariableSynchronization
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import Variable
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.defaults import name_scope
from eagerflow.graph.partitioned import PartitionedVariable, partitions_of, slices
from eagerflow.graph.variables import make_unscoped
from eagerflow.keras import initializers as keras
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
initializers = lazy.Module("eagerflow.keras.legacy_initializers")


class _Reuse:
    """AUTO_REUSE: reuse existing variables, and create others."""

    def __repr__(self) -> str:
        return "_ReuseMode.AUTO_REUSE"


AUTO_REUSE = _Reuse()


class VariableScope:
    """The state of a `variable_scope`: a prefix of names, and defaults of its variables."""

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Callable[..., object] | None = None,
        caching_device: Any = None,
        partitioner: Callable[..., Sequence[int]] | None = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: DTypeLike = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Callable[[_core.Tensor], _core.Tensor] | None = None,
    ) -> None:
        self._reuse = reuse
        self._name = name
        self._name_scope = name_scope or ""
        # Kept for programs that ask: there are no copies of variables.
        self.caching_device = caching_device
        self.partitioner = partitioner
        self.custom_getter = custom_getter
        self.initializer = initializer
        self.regularizer = regularizer
        self.dtype = dtype
        self.constraint = constraint
        self.use_resource = use_resource

    @property
    def name(self) -> str:
        """The prefix, without a slash at its end."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The prefix of the operations made inside when the scope was first entered."""
        return self._name_scope

    @property
    def reuse(self) -> bool | _Reuse | None:
        """Whether variables are shared: True, False or AUTO_REUSE."""
        return self._reuse

    def reuse_variables(self) -> None:
        """From here on, variables are reused and not created."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets the default initializer of variables made inside."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Callable[..., object] | None) -> None:
        """Sets the default regularizer of variables made inside."""
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter: Callable[..., object] | None) -> None:
        """Sets the custom getter of variables made inside."""
        self.custom_getter = custom_getter

    def set_caching_device(self, caching_device: object) -> None:
        """Keeps the device for copies of variables, of which there are none."""
        self.caching_device = caching_device

    def set_partitioner(self, partitioner: Callable[..., Sequence[int]] | None) -> None:
        """Sets the default partitioner of variables made inside."""
        self.partitioner = partitioner

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Sets the default dtype of variables made inside."""
        self.dtype = dtype

    def set_use_resource(self, use_resource: bool) -> None:
        """Sets whether changes of variables made inside give the variable, or its new value."""
        self.use_resource = use_resource

    def get_collection(self, name: str | None) -> list[_core.Variable]:
        """The values of a collection whose names begin with the prefix."""
        prefix = self._name + "/" if self._name else ""
        return context.default_graph().get_collection(name, prefix)

    def trainable_variables(self) -> list[_core.Variable]:
        """The trainable variables inside."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[_core.Variable]:
        """The variables inside."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[_core.Variable]:
        """The local variables inside."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)


class ScopeState:
    """The variables of a graph, or of an eager store, by name; and the current scope."""

    def __init__(self, keeps: bool = True) -> None:
        self.keeps = keeps
        self.variables: dict[str, Variable] = {}
        self.partitioned: dict[str, PartitionedVariable] = {}
        self.counts: dict[str, int] = {}
        self.regularizers: dict[str, Callable[..., object]] = {}
        self.scope = VariableScope(None)

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Leaves all scopes."""
        scope, self.scope = self.scope, VariableScope(None)
        try:
            yield
        finally:
            self.scope = scope


def eager_states() -> list[ScopeState]:
    """The stores in use where operations run eagerly, innermost last."""
    return _eager.states


def shares_eagerly() -> bool:
    """Whether variables are shared by name although operations run eagerly."""
    return context.building_graph() is None and _eager.states[-1].keeps


class _Eager(threading.local):
    def __init__(self) -> None:
        # Programs that run eagerly make new variables every time, unless a store is in use.
        self.states: list[ScopeState] = [ScopeState(keeps=False)]


_eager = _Eager()


def _state() -> ScopeState:
    # Layers are built eagerly, and their variables are named by the scopes of the graph around them.
    graph = context.surrounding_graph()
    if graph is None:
        return _eager.states[-1]
    if graph.variable_scope_state is None:
        graph.variable_scope_state = ScopeState()
    return graph.variable_scope_state


def get_variable_scope() -> VariableScope:
    """The current variable scope."""
    return _state().scope


class variable_scope:
    """Puts a prefix before the names of variables made by `get_variable`.

    Args:
        name_or_scope: one more part of the prefix, or a scope to go back to.
        default_name: is made unique and used if `name_or_scope` is None.
        values: accepted.
        initializer: the default initializer of variables made inside.
        regularizer: the default regularizer.
        caching_device: accepted.
        partitioner: the default partitioner of variables made inside.
        custom_getter: is called for the variables inside, with the default getter,
            their full name, and the arguments of `get_variable`.
        reuse: True: variables must exist; AUTO_REUSE: they are made if they do not; None: as in
            the scope around.
        dtype: the default dtype.
        use_resource: accepted.
        constraint: the default constraint.
        auxiliary_name_scope: whether operations get the prefix too.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("layer"):
    ...         v = tf.compat.v1.get_variable("v", [2])
    ...     with tf.compat.v1.variable_scope("layer", reuse=True):
    ...         print(tf.compat.v1.get_variable("v") is v, v.name)
    True layer/v:0
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: object = None,
        initializer: Any = None,
        regularizer: Callable[..., object] | None = None,
        caching_device: object = None,
        partitioner: Callable[..., Sequence[int]] | None = None,
        custom_getter: Callable[..., object] | None = None,
        reuse: Any = None,
        dtype: DTypeLike | None = None,
        use_resource: bool | None = None,
        constraint: Callable[[_core.Tensor], _core.Tensor] | None = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = reuse
        self._custom_getter = custom_getter
        self._settings = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "dtype": dtype,
            "constraint": constraint,
            "use_resource": use_resource,
        }
        self._auxiliary = auxiliary_name_scope
        self._entered: list[tuple[Any, ...]] = []

    def __enter__(self) -> VariableScope:
        state = _state()
        outer = state.scope
        given = self._name_or_scope
        if isinstance(given, VariableScope):
            base, full = given, given.name
        else:
            part = given if given is not None else self._unique(state, outer.name)
            base, full = outer, f"{outer.name}/{part}" if outer.name else part
        reuse = self._reuse if self._reuse is not None else base.reuse
        if not reuse:
            reuse = outer.reuse
        settings = {
            key: getattr(base, key) if value is None else value
            for key, value in self._settings.items()
        }
        getter = _chained(base.custom_getter, self._custom_getter)
        scope = VariableScope(reuse, full, custom_getter=getter, **settings)
        names_inside: name_scope | None = None
        entered = names.current_prefix()
        if self._auxiliary and full:
            inside = self._default_name if given is None else given
            names_inside = name_scope(given.name.rpartition("/")[2] if base is given else inside)
            entered = names_inside.__enter__()
        scope._name_scope = base.original_name_scope if base is given else entered
        self._entered.append((state, outer, names_inside, dict(state.counts)))
        state.scope = scope
        return scope

    def _unique(self, state: ScopeState, prefix: str) -> str:
        """The default name, with a suffix if it has been used in this scope."""
        name = str(self._default_name)
        full = f"{prefix}/{name}" if prefix else name
        count = state.counts.get(full, 0)
        state.counts[full] = count + 1
        return f"{name}_{count}" if count else name

    def __exit__(self, *error: Any) -> None:
        state, outer, names_inside, _ = self._entered.pop()
        inner = state.scope.name
        state.scope = outer
        # Unique names start again when the scope is entered again.
        for key in [key for key in state.counts if key.startswith(f"{inner}/")]:
            del state.counts[key]
        if names_inside is not None:
            names_inside.__exit__(*error)


def _chained(outer: Any, inner: Callable[..., object] | None) -> Callable[..., object] | None:
    """A custom getter that calls the inner one, which may call the outer one."""
    if outer is None or inner is None:
        return outer if inner is None else inner

    def chained(getter: Callable, *args: object, **kwargs: Any) -> object:
        def next_getter(*args: object, **kwargs: Any) -> object:
            return outer(getter, *args, **kwargs)

        return inner(next_getter, *args, **kwargs)

    return chained


class variable_op_scope(variable_scope):
    """The older form of `variable_scope`: values first."""

    def __init__(
        self,
        values: Any,
        name_or_scope: Any,
        default_name: str | None = None,
        initializer: Any = None,
        regularizer: Callable[..., object] | None = None,
        caching_device: object = None,
        partitioner: Callable[..., Sequence[int]] | None = None,
        custom_getter: Callable[..., object] | None = None,
        reuse: Any = None,
        dtype: DTypeLike | None = None,
        use_resource: bool | None = None,
        constraint: Callable[[_core.Tensor], _core.Tensor] | None = None,
    ) -> None:
        super().__init__(
            name_or_scope,
            default_name,
            values,
            initializer,
            regularizer,
            caching_device,
            partitioner,
            custom_getter,
            reuse,
            dtype,
            use_resource,
            constraint,
        )


def get_variable(
    name: str,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Callable[..., object] | None = None,
    trainable: bool | None = None,
    collections: list[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Any = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """A variable by name: one that exists, or a new one.

    Args:
        name: its name within the current variable scope.
        shape: its shape; not needed if `initializer` is a tensor.
        dtype: its element type; by default that of the scope, float32.
        initializer: an initializer, a tensor, or a function of the shape; by default Glorot's
            uniform values, and zeros for integers.
        regularizer: computes a loss of the variable, which is added to a collection.
        trainable: whether optimizers change it by default.
        collections: the collections that it is added to.
        caching_device: accepted.
        partitioner: a function of the shape and the dtype that says into how many parts each axis is
            cut; the variable is a `PartitionedVariable` then.
        validate_shape: False if the shape may change.
        use_resource: whether changes in graphs give the variable, or its new value.
        custom_getter: is called with the default getter, the full name, and the
            other arguments.
        constraint: projects values onto those allowed.
        synchronization: accepted.
        aggregation: accepted.

    Raises:
        ValueError: if the variable exists and is not to be shared, or the other way round; if the
            shape differs from that of the existing one, or is missing.
    """
    state = _state()
    scope = state.scope
    full = f"{scope.name}/{name}" if scope.name else name
    getter = _chained(scope.custom_getter, custom_getter)
    if getter is None:
        return _get_or_make(
            full,
            shape,
            dtype,
            initializer,
            regularizer,
            trainable=trainable,
            collections=collections,
            partitioner=partitioner or scope.partitioner,
            validate_shape=validate_shape,
            use_resource=use_resource,
            constraint=constraint,
        )
    # A custom getter is passed the scope's settings, too.
    return getter(
        _get_or_make,
        full,
        shape=shape,
        dtype=dtypes.as_dtype(dtype or scope.dtype),
        initializer=scope.initializer if initializer is None else initializer,
        regularizer=scope.regularizer if regularizer is None else regularizer,
        reuse=scope.reuse,
        trainable=True if trainable is None else trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner or scope.partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        constraint=constraint or scope.constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def _get_or_make(
    name: str,
    shape: TensorShape | None = None,
    dtype: DTypeLike | None = None,
    initializer: TensorLike | Callable[..., _core.Tensor] | None = None,
    regularizer: Callable[..., object] | None = None,
    reuse: bool | _Reuse | None = None,
    trainable: bool | None = None,
    collections: Iterable[str] | None = None,
    caching_device: object = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    constraint: Callable[[_core.Tensor], _core.Tensor] | None = None,
    synchronization: VariableSynchronization | None = None,
    aggregation: VariableAggregation | None = None,
) -> Any:
    """The variable of a full name; arguments as those of `get_variable`."""
    full, state = name, _state()
    scope = state.scope
    reuse = scope.reuse if reuse is None else reuse
    for default in (scope.use_resource, context.process.resource_variables):
        use_resource = default if use_resource is None else use_resource
    whole = state.partitioned.get(full)
    if (whole is not None and reuse) or (
        partitioner is not None and (shape is None or TensorShape(shape).rank != 0)
    ):
        return _partitioned(
            whole,
            full,
            shape,
            dtypes.as_dtype(dtype or scope.dtype),
            partitioner,
            scope.initializer if initializer is None else initializer,
            reuse,
            regularizer=regularizer,
            trainable=trainable,
            collections=collections,
            validate_shape=validate_shape,
            caching_device=caching_device,
            constraint=constraint,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )
    existing = state.variables.get(full) if state.keeps else None
    if existing is not None:
        if not reuse:
            raise ValueError(
                f"Variable {full} already exists, disallowed. Did you mean to set reuse=True or "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
        if shape is not None and not TensorShape(shape).is_compatible_with(existing.shape):
            raise ValueError(
                f"Trying to share variable {full}, but specified shape {TensorShape(shape)} and "
                f"found shape {existing.shape}."
            )
        return existing
    if reuse is True and state.keeps:
        raise ValueError(
            f"Variable {full} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    initializer = scope.initializer if initializer is None else initializer
    value, dtype = initial_value(full, shape, dtypes.as_dtype(dtype or scope.dtype), initializer)
    variable = make_unscoped(
        full,
        value,
        dtype=dtype,
        trainable=synchronization is not VariableSynchronization.ON_READ
        if trainable is None
        else trainable,
        collections=collections,
        validate_shape=validate_shape,
        caching_device=caching_device,
        constraint=constraint or scope.constraint,
        use_resource=use_resource,
        synchronization=synchronization or VariableSynchronization.AUTO,
        aggregation=aggregation or VariableAggregation.NONE,
        shape=None if shape is None else TensorShape(shape),
    )
    if state.keeps:
        state.variables[full] = variable
    regularizer = scope.regularizer if regularizer is None else regularizer
    if regularizer is not None and state.keeps:
        state.regularizers[full] = regularizer
    if regularizer is not None and context.building_graph() is not None:
        graph = context.default_graph()
        with name_scope(f"{full}/Regularizer/"):
            loss = regularizer(variable)
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _partitioned(
    existing: PartitionedVariable | None,
    name: str,
    shape: Any,
    dtype: dtypes.DType,
    partitioner: Callable[..., Sequence[int]] | None,
    initializer: Any,
    reuse: bool | _Reuse | None,
    **settings: Any,
) -> PartitionedVariable:
    """The partitioned variable of a full name, which may exist."""
    state = _state()
    if partitioner is not None and existing is None and name in state.variables:
        raise ValueError(
            f"A partitioner was provided, but an unpartitioned version of the variable was found: "
            f"{name}. Perhaps a variable of the same name was already created without partitioning?"
        )
    if is_value(initializer) and shape is None and is_symbolic(initializer):
        shape = initializer.shape
    sizes = existing.shape if existing is not None and shape is None else TensorShape(shape)
    if existing is not None:
        if not reuse:
            raise ValueError(
                f"Partitioned variable with name {name} already exists. Did you mean to set "
                "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        if not sizes.is_compatible_with(existing.shape):
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified shape {sizes} and "
                f"found shape {existing.shape}."
            )
        if partitioner is not None:
            parts = partitions_of(partitioner, existing.shape, dtype)
            if parts != existing._get_partitions():
                raise ValueError(
                    f"Trying to reuse partitioned variable {name}, but specified partitions "
                    f"{parts} and found partitions {existing._get_partitions()}."
                )
        return existing
    if reuse is True and state.keeps:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with "
            "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        )
    parts = partitions_of(partitioner, sizes, dtype)
    made = make_parts(name, sizes, dtype, parts, initializer, reuse=False, **settings)
    result = PartitionedVariable(name, sizes, made[0].dtype, made, parts)
    if state.keeps:
        state.partitioned[name] = result
    return result


def make_parts(
    name: str, shape: TensorShape, dtype: DTypeLike, parts: Any, initializer: Any, **settings: Any
) -> list[_core.Variable]:
    """The parts of a variable, which are variables themselves.

    Args:
        name: the full name of the whole.
        shape: its shape.
        dtype: its element type.
        parts: into how many parts each axis is cut.
        initializer: an initializer, which makes each part, or a tensor for the whole.
        **settings: further arguments of `get_variable`.
    """
    made = []
    for number, part in enumerate(slices(name, shape, parts)):
        value: Any = initializer
        own_shape: Any = part.var_shape
        if is_value(initializer):
            whole = _core.as_tensor(initializer)
            value, own_shape = _core.ops.slice(whole, part.var_offset, part.var_shape), None
        variable = _get_or_make(f"{name}/part_{number}", own_shape, dtype, value, **settings)
        variable._save_slice_info = part
        made.append(variable)
    return made


def initial_value(full: str, shape: Any, dtype: Any, initializer: Any) -> tuple[Any, Any]:
    """An initial value, or a function that returns one, and the dtype."""
    if isinstance(initializer, str):
        initializer = keras.get(initializer)
    if is_value(initializer):
        given = _core.as_tensor(initializer)
        return given, given.dtype
    if shape is None or not TensorShape(shape).is_fully_defined():
        raise ValueError(
            f"Shape of a new variable ({full}) must be fully defined, but instead was "
            f"{TensorShape(shape)}."
        )
    sizes = TensorShape(shape).as_list()
    if initializer is None:
        if dtype.is_floating or dtype.is_complex:
            initializer = initializers.GlorotUniform()
        else:
            initializer = initializers.Zeros()
    if isinstance(initializer, type):
        initializer = initializer()

    def make() -> Any:
        initializers.refresh(initializer)
        return initializer(sizes, dtype=dtype)

    return make, dtype


def is_value(initializer: object) -> bool:
    """Whether an initializer is a value itself, and no function that makes one."""
    if initializer is None or isinstance(initializer, str):
        return False
    return is_symbolic(initializer) or not callable(initializer)


def no_regularizer(_: object) -> None:
    """A regularizer without a loss, for variables in scopes that have another one."""


def get_local_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: TensorLike | Callable[..., _core.Tensor] | None = None,
    regularizer: Callable[..., object] | None = None,
    trainable: bool = False,
    collections: Iterable[str] | None = None,
    caching_device: object = None,
    partitioner: Callable[..., Sequence[int]] | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., object] | None = None,
    constraint: Callable[[_core.Tensor], _core.Tensor] | None = None,
    synchronization: VariableSynchronization | None = None,
    aggregation: VariableAggregation | None = None,
) -> Any:
    """A variable that is not trained, in the collection of local variables; see `get_variable`."""
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )


class EagerVariableStore:
    """A store by which eager programs share variables by name.

    >>> import eagerflow_compat.contrib.eager as tfe
    >>> store = tfe.EagerVariableStore()
    >>> with store.as_default():
    ...     a = tf.compat.v1.get_variable("a", [])
    >>> with store.as_default():
    ...     tf.compat.v1.get_variable("a", []) is a
    True
    """

    def __init__(self) -> None:
        self._state = ScopeState()

    @contextmanager
    def as_default(self) -> Iterator[None]:
        """Uses the store inside of the `with` block."""
        self._state.scope = VariableScope(AUTO_REUSE)
        self._state.counts.clear()
        _eager.states.append(self._state)
        try:
            yield
        finally:
            _eager.states.pop()

    def named_variables(self) -> dict[str, Variable]:
        """The variables by their full names, in the order in which they were made."""
        return dict(self._state.variables)

    def regularizers(self) -> dict[str, Callable[..., object]]:
        """What computes the losses of variables that have one, by their full names."""
        return dict(self._state.regularizers)

    def variables(self) -> list[Variable]:
        """The variables, sorted by name."""
        return sorted(self._state.variables.values(), key=lambda variable: variable.name)

    def trainable_variables(self) -> list[Variable]:
        """The trainable variables, sorted by name."""
        return [variable for variable in self.variables() if variable.trainable]

    def non_trainable_variables(self) -> list[Variable]:
        """The other variables, sorted by name."""
        return [variable for variable in self.variables() if not variable.trainable]
