"""Variable scopes, which prefix the names of variables and share variables by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.module import Module
from eagerflow.framework.name_scope import name_scope as eager_name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import VariableAggregation, VariableSynchronization
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.defaults import name_scope
from eagerflow.graph.variables import make_variable
from eagerflow.keras import initializers as keras
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
initializers = lazy.Module("eagerflow.v1.initializers")


class _Reuse:
    """AUTO_REUSE: reuse existing variables, and create others."""

    def __repr__(self) -> str:
        return "_ReuseMode.AUTO_REUSE"


AUTO_REUSE = _Reuse()


class VariableScope:
    """The state of a `variable_scope`: a prefix of names, and defaults of its variables."""

    # Kept for programs that ask: variables are in one place and whole.
    caching_device: Any = None
    partitioner: Any = None

    def set_caching_device(self, caching_device: Any) -> None:
        """Keeps the device for copies of variables, of which there are none."""
        self.caching_device = caching_device

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        dtype: Any = dtypes.float32,
        constraint: Any = None,
        use_resource: Any = None,
        custom_getter: Any = None,
    ) -> None:
        self._reuse = reuse
        self._name = name
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
        """The prefix of operations made inside."""
        return self._name + "/" if self._name else ""

    @property
    def reuse(self) -> Any:
        """Whether variables are shared: True, False or AUTO_REUSE."""
        return self._reuse

    def reuse_variables(self) -> None:
        """From here on, variables are reused and not created."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets the default initializer of variables made inside."""
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the default regularizer of variables made inside."""
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets the custom getter of variables made inside."""
        self.custom_getter = custom_getter

    def get_collection(self, name: Any) -> list[Any]:
        """The values of a collection whose names begin with the prefix."""
        return context.default_graph().get_collection(name, self.original_name_scope)

    def trainable_variables(self) -> list[Any]:
        """The trainable variables inside."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The variables inside."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)


class _State:
    """The variables of a graph, or of an eager store, by name; and the current scope."""

    def __init__(self, keeps: bool = True) -> None:
        self.keeps = keeps
        self.variables: dict[str, Any] = {}
        self.counts: dict[str, int] = {}
        self.regularizers: dict[str, Callable[[Any], Any]] = {}
        self.scope = VariableScope(None)


def shares_eagerly() -> bool:
    """Whether variables are shared by name although operations run eagerly."""
    return context.building_graph() is None and _eager.states[-1].keeps


class _Eager(threading.local):
    def __init__(self) -> None:
        # Programs that run eagerly make new variables every time, unless a store is in use.
        self.states: list[_State] = [_State(keeps=False)]


_eager = _Eager()


def _state() -> _State:
    graph = context.building_graph()
    if graph is None:
        return _eager.states[-1]
    if graph.variable_scope_state is None:
        graph.variable_scope_state = _State()
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
        partitioner: accepted.
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
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: Any = None,
        constraint: Any = None,
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
        names: Any = None
        if self._auxiliary and full:
            last = full.rpartition("/")[2]
            names = name_scope(last)
            names.__enter__()
        self._entered.append((state, outer, names, dict(state.counts)))
        state.scope = scope
        return scope

    def _unique(self, state: _State, prefix: str) -> str:
        """The default name, with a suffix if it has been used in this scope."""
        name = str(self._default_name)
        full = f"{prefix}/{name}" if prefix else name
        count = state.counts.get(full, 0)
        state.counts[full] = count + 1
        return f"{name}_{count}" if count else name

    def __exit__(self, *error: Any) -> None:
        state, outer, names, _ = self._entered.pop()
        inner = state.scope.name
        state.scope = outer
        # Unique names start again when the scope is entered again.
        for key in [key for key in state.counts if key.startswith(f"{inner}/")]:
            del state.counts[key]
        if names is not None:
            names.__exit__(*error)


def _chained(outer: Any, inner: Any) -> Any:
    """A custom getter that calls the inner one, which may call the outer one."""
    if outer is None or inner is None:
        return outer if inner is None else inner

    def chained(getter: Callable, *args: Any, **kwargs: Any) -> Any:
        def next_getter(*args: Any, **kwargs: Any) -> Any:
            return outer(getter, *args, **kwargs)

        return inner(next_getter, *args, **kwargs)

    return chained


class variable_op_scope(variable_scope):
    """The older form of `variable_scope`: values first."""

    def __init__(
        self, values: Any, name_or_scope: Any, default_name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name_or_scope, default_name, values, **kwargs)


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
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
        partitioner: accepted.
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
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        constraint=constraint or scope.constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def _get_or_make(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    reuse: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """The variable of a full name; arguments as those of `get_variable`."""
    full, state = name, _state()
    scope = state.scope
    reuse = scope.reuse if reuse is None else reuse
    for default in (scope.use_resource, context.process.resource_variables):
        use_resource = default if use_resource is None else use_resource
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
    variable = _made(
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


def _made(full: str, value: Any, **arguments: Any) -> Any:
    graph = context.building_graph()
    with eager_name_scope("") if graph is None else graph.name_scope(None):
        return make_variable(value, name=full, **arguments)


def initial_value(full: str, shape: Any, dtype: Any, initializer: Any) -> tuple[Any, Any]:
    """An initial value, or a function that returns one, and the dtype."""
    if isinstance(initializer, str):
        initializer = keras.get(initializer)
    if initializer is not None and (is_symbolic(initializer) or not callable(initializer)):
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


def no_regularizer(_: Any) -> None:
    """A regularizer without a loss, for variables in scopes that have another one."""


def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Any:
    """A variable that is not trained, in the collection of local variables."""
    kwargs["trainable"] = False
    kwargs["collections"] = [
        *(kwargs.get("collections") or ()),
        GraphKeys.LOCAL_VARIABLES,
    ]
    return get_variable(name, *args, **kwargs)


class EagerVariableStore:
    """A store by which eager programs share variables by name.

    >>> import eagerflow.contrib.eager as tfe
    >>> store = tfe.EagerVariableStore()
    >>> with store.as_default():
    ...     a = tf.compat.v1.get_variable("a", [])
    >>> with store.as_default():
    ...     tf.compat.v1.get_variable("a", []) is a
    True
    """

    def __init__(self) -> None:
        self._state = _State()

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

    def named_variables(self) -> dict[str, Any]:
        """The variables by their full names, in the order in which they were made."""
        return dict(self._state.variables)

    def regularizers(self) -> dict[str, Callable[[Any], Any]]:
        """What computes the losses of variables that have one, by their full names."""
        return dict(self._state.regularizers)

    def variables(self) -> list[Any]:
        """The variables, sorted by name."""
        return sorted(self._state.variables.values(), key=lambda variable: variable.name)

    def trainable_variables(self) -> list[Any]:
        """The trainable variables, sorted by name."""
        return [variable for variable in self.variables() if variable.trainable]

    def non_trainable_variables(self) -> list[Any]:
        """The other variables, sorted by name."""
        return [variable for variable in self.variables() if not variable.trainable]


class Template(Module):
    """A function whose variables are made at its first call and shared by all others.

    Its scope has a name of its own. Eagerly, a template that is called inside of another one has
    its variables among those of the other.
    """

    def __init__(
        self, name: str, function: Callable, unique_name: str | None, kwargs: dict[str, Any]
    ) -> None:
        super().__init__()
        self._template_name, self._unique_name = name, unique_name
        self._function, self._kwargs = function, kwargs
        self._scope: Any = None
        self._eager_state: _State | None = None
        self._called = False
        self.__name__ = name

    @property
    def name(self) -> str:
        """The name."""
        return self._template_name

    @property
    def variables(self) -> list[Any]:  # type: ignore[override]
        """The variables made so far."""
        if self._scope is None:
            return []
        if self._eager_state is None:
            return self._scope.global_variables()
        inside = f"{self._scope.name}/"
        made = sorted(self._eager_state.variables.items())
        return [variable for name, variable in made if name.startswith(inside)]

    @property
    def trainable_variables(self) -> list[Any]:  # type: ignore[override]
        """The trainable variables made so far."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def non_trainable_variables(self) -> list[Any]:  # type: ignore[override]
        """Those of `variables` that are not trained."""
        trainable = {id(variable) for variable in self.trainable_variables}
        return [variable for variable in self.variables if id(variable) not in trainable]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        eagerly = context.building_graph() is None
        current = _eager.states[-1]
        if self._scope is None:
            with variable_scope(self._unique_name, default_name=self._template_name) as scope:
                self._scope = scope
            if eagerly:
                self._eager_state = current if current.keeps else _State()
        state = self._eager_state or current
        if state is not current:
            state.counts.clear()
        _eager.states.append(state)
        try:
            reuse = AUTO_REUSE if eagerly else self._called or None
            with variable_scope(self._scope, reuse=reuse):
                result = self._function(*args, **self._kwargs, **kwargs)
        finally:
            _eager.states.pop()
        self._called = True
        return result


def make_template(
    name_: str,
    func_: Callable,
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """A function that shares the variables that `func_` makes by `get_variable`.

    Args:
        name_: the scope of the variables.
        func_: the function.
        create_scope_now_: accepted.
        unique_name_: the scope's name, if it must be just that.
        custom_getter_: accepted.
        **kwargs: are given to `func_`.

    >>> def scaled(x):
    ...     return x * tf.compat.v1.get_variable("w", [], initializer=tf.ones_initializer())
    >>> template = tf.compat.v1.make_template("scale", scaled)
    >>> _ = template(1.0), template(2.0)
    >>> len(template.variables)
    1
    """
    return Template(name_, func_, unique_name_, kwargs)
