"""Templates: functions that share the variables which they make at their first call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow._core import Variable
from eagerflow.framework import context
from eagerflow.framework.module import Module
from eagerflow_compat.v1.variable_scope import AUTO_REUSE, ScopeState, eager_states
from eagerflow_compat.v1.variable_scope import variable_scope as scope_of


class Template(Module):
    """A function whose variables are made at its first call and shared by all others.

    Its scope has a name of its own. Eagerly, a template that is called inside of another one has
    its variables among those of the other.
    """

    def __init__(
        self,
        name: str,
        function: Callable,
        unique_name: str | None,
        custom_getter: Any,
        kwargs: dict[str, Any],
    ) -> None:
        super().__init__()
        self._template_name, self._unique_name = name, unique_name
        self._function, self._kwargs = function, kwargs
        self._custom_getter = custom_getter
        self._scope: Any = None
        self._eager_state: ScopeState | None = None
        self._called = False
        self.__name__ = name

    @property
    def name(self) -> str:
        """The name."""
        return self._template_name

    @property
    def variable_scope(self) -> Any:
        """The scope of its variables; None if there is none yet."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """What the names of its variables begin with; None if there is no scope yet."""
        return None if self._scope is None else f"{self._scope.name}/"

    @property
    def variables(self) -> list[Variable]:  # type: ignore[override]
        """The variables made so far."""
        return self.global_variables + self.local_variables

    @property
    def global_variables(self) -> list[Variable]:
        """The global variables made so far."""
        if self._scope is None:
            return []
        if self._eager_state is None:
            return self._scope.global_variables()
        made = sorted(self._eager_state.variables.items())
        return [variable for name, variable in made if name.startswith(f"{self._scope.name}/")]

    @property
    def local_variables(self) -> list[Any]:
        """The local variables made so far in a graph."""
        in_graph = self._scope is not None and self._eager_state is None
        return self._scope.local_variables() if in_graph else []

    @property
    def trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """The trainable variables made so far."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def non_trainable_variables(self) -> list[Variable]:  # type: ignore[override]
        """Those of `variables` that are not trained."""
        trainable = {id(variable) for variable in self.trainable_variables}
        return [variable for variable in self.variables if id(variable) not in trainable]

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    def _new_scope(self, names: bool = True) -> scope_of:
        return scope_of(
            self._unique_name,
            self._template_name,
            custom_getter=self._custom_getter,
            auxiliary_name_scope=names,
        )

    def make_scope(self) -> None:
        """Makes the scope of the variables before the first call."""
        with self._new_scope(names=False) as self._scope:
            pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        eagerly = context.building_graph() is None
        if eagerly and self._eager_state is None:
            current = eager_states()[-1]
            self._eager_state = current if current.keeps else ScopeState()
            if self._scope is None:
                self.make_scope()
        if self._eager_state is not None:
            return self._call_eagerly(self._eager_state, args, kwargs)
        if self._scope is None:
            with self._new_scope() as self._scope:
                result = self._function(*args, **self._kwargs, **kwargs)
        else:
            with scope_of(self._scope, reuse=self._called or None):
                result = self._function(*args, **self._kwargs, **kwargs)
        self._called = True
        return result

    def _call_eagerly(self, state: ScopeState, args: tuple, kwargs: dict[str, Any]) -> Any:
        if state is not eager_states()[-1]:
            state.counts.clear()
        eager_states().append(state)
        try:
            with scope_of(self._scope, reuse=AUTO_REUSE):
                return self._function(*args, **self._kwargs, **kwargs)
        finally:
            eager_states().pop()


def make_template(
    name_: str,
    func_: Callable,
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., object] | None = None,
    **kwargs: Any,
) -> Template:
    """A function that shares the variables that `func_` makes by `get_variable`.

    Args:
        name_: the scope of the variables.
        func_: the function.
        create_scope_now_: whether the scope is made now, and not at the first call.
        unique_name_: the scope's name, if it must be just that.
        custom_getter_: what makes the variables inside; see `variable_scope`.
        **kwargs: are given to `func_`.

    >>> def scaled(x):
    ...     return x * tf.compat.v1.get_variable("w", [], initializer=tf.ones_initializer())
    >>> template = tf.compat.v1.make_template("scale", scaled)
    >>> _ = template(1.0), template(2.0)
    >>> len(template.variables)
    1
    """
    template = Template(name_, func_, unique_name_, custom_getter_, kwargs)
    if create_scope_now_:
        template.make_scope()
    return template
