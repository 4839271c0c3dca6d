"""Variables that a function creates while it is traced: which are allowed, and their initial values."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import variable as variables

_SINGLETONS = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the "
    "tf.Variable is only created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)


class UnliftableError(Exception):
    """A variable's initial value depends on arguments whose values are not known."""


class Creation:
    """The variables that one trace of a function creates. As a context manager, it is notified of them.

    Args:
        allowed: whether variables may be made.
        graph: the graph that the function is traced into.
        inputs: the values of the graph's inputs; none if the trace is not for a call.
    """

    def __init__(self, allowed: bool, graph: Any, inputs: Sequence[Any]) -> None:
        self._allowed = allowed
        self._graph = graph
        self._inputs = inputs
        self.created: list[weakref.ref] = []

    def check(self) -> None:
        """Raises a ValueError if no variable may be made."""
        if not self._allowed:
            raise ValueError(_SINGLETONS)

    def initial_value(self, value: Any) -> _core.Tensor:
        """The initial value of a variable, from one that may be symbolic.

        It is computed now, from the arguments of the call.

        Raises:
            UnliftableError: if it depends on arguments, and there are only their specs.
        """
        known = _core.static_value(value)
        if known is not None:
            return known
        graph = _core.graph_of(value)
        if graph is not self._graph:
            value = self._graph.capture(value)
        try:
            return self._graph.evaluate(value, self._inputs)
        except IndexError as error:
            raise UnliftableError(
                f"Unable to lift tensor {value!r} because it depends transitively on placeholder "
                f"{error.args[0]!r}"
            ) from None

    def note(self, variable: variables.Variable) -> None:
        """Remembers a variable that has been made."""
        self.created.append(weakref.ref(variable))

    def __enter__(self) -> Creation:
        self._outer = variables.tracing_creation(self)
        return self

    def __exit__(self, *error: Any) -> None:
        variables.tracing_creation(self._outer)
