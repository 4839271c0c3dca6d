"""tensorflow.python.framework.ops: gradients and statistics that programs register by kind of operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.framework import func_graph

__all__ = [
    "OpStats",
    "RegisterStatistics",
    "get_gradient_function",
    "get_stats_for_node_def",
    "gradient_registry",
]


class _GradientRegistry:
    """The gradients that programs have registered; operations' own are part of the engine."""

    def lookup(self, name: str) -> Any:
        """The gradient registered under a name; None if there shall be none.

        Raises:
            LookupError: if none is registered.
        """
        if name not in func_graph.registered_gradients:
            raise LookupError(f"gradient registry has no entry for: {name}")
        return func_graph.registered_gradients[name]

    def list(self) -> list[str]:
        """The names under which gradients are registered."""
        return [*func_graph.registered_gradients]


gradient_registry = _GradientRegistry()


def get_gradient_function(op: Any) -> Any:
    """The gradient that a program has registered for an operation, or None.

    Raises:
        LookupError: if none is registered.
    """
    if not op.inputs:
        return None
    if op.name in {overridden.name for overridden in op.graph.overridden_operations()}:
        return op.graph.gradient_function_of(op)
    return gradient_registry.lookup(op.type)


class OpStats:
    """How much of something an operation needs.

    Args:
        statistic_type: of what, such as "flops".
        value: how much; None if it is unknown.
    """

    def __init__(self, statistic_type: str, value: float | None = None) -> None:
        self.statistic_type = statistic_type
        self.value = value

    @property
    def statistic_type(self) -> str:
        """Of what the operation needs something."""
        return self._statistic_type

    @statistic_type.setter
    def statistic_type(self, statistic_type: str) -> None:
        self._statistic_type = statistic_type

    @property
    def value(self) -> float | None:
        """How much it needs."""
        return self._value

    @value.setter
    def value(self, value: float | None) -> None:
        self._value = value

    def __iadd__(self, other: OpStats) -> OpStats:
        if other.statistic_type != self.statistic_type:
            raise ValueError(
                f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}."
            )
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self.value += other.value
        return self


_statistics: dict[str, Callable[[Any, Any], OpStats]] = {}


class RegisterStatistics:
    """A decorator of functions that return the `OpStats` of a node.

    Args:
        op_type: the kind of operation.
        statistic_type: of what they are, such as "flops".

    Raises:
        TypeError: if one is not a string, or has a comma.
        KeyError: when a function is decorated, if the kind has one already.

    >>> from eagerflow_compat.internals import op_registries
    >>> @op_registries.RegisterStatistics("Halve", "flops")
    ... def count(graph, node):
    ...     return op_registries.OpStats("flops", 7)
    """

    def __init__(self, op_type: str, statistic_type: str) -> None:
        for name, text in (("op_type", op_type), ("statistic_type", statistic_type)):
            if not isinstance(text, str):
                raise TypeError(f"{name} must be a string.")
            if "," in text:
                raise TypeError(f"{name} must not contain a comma.")
        self._key = f"{op_type},{statistic_type}"

    def __call__(self, f: Callable[[Any, Any], OpStats]) -> Callable[[Any, Any], OpStats]:
        if self._key in _statistics:
            raise KeyError(f"Registering two statistical functions with name '{self._key}'!")
        _statistics[self._key] = f
        return f


def get_stats_for_node_def(graph: Any, node: Any, statistic_type: str) -> OpStats:
    """The statistics of a node, without a value if none are registered for its kind.

    Args:
        graph: the graph, which the registered function is given.
        node: the NodeDef message.
        statistic_type: of what the statistics are.
    """
    count = _statistics.get(f"{node.op},{statistic_type}")
    return OpStats(statistic_type) if count is None else count(graph, node)
