"""tensorflow.python.distribute.values: variables of strategies.

A strategy has one replica here, and its variables are plain ones: only those that a program makes of
copies itself are instances of the classes of distributed variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow.framework.variable import Variable, VariableSynchronization

__all__ = [
    "AggregatingVariable",
    "CachingVariable",
    "DistributedVariable",
    "MirroredVariable",
    "SyncOnReadVariable",
]


class DistributedVariable(Variable):
    """A variable with copies, of which the first one is read and changed.

    Args:
        strategy: the strategy.
        values: the copies.
        aggregation: how they are aggregated.
        var_policy: ignored.
    """

    def __init__(
        self, strategy: Any, values: Sequence[Any], aggregation: Any, var_policy: Any = None
    ) -> None:
        self._values = tuple(values)
        self._distribute_strategy = strategy
        self._aggregation = aggregation
        self._synchronization = values[0].synchronization
        self._constraint = values[0].constraint

    @property
    def handle(self) -> Any:
        """The handle of the first copy."""
        return self._values[0].handle

    @property
    def values(self) -> tuple[Any, ...]:
        """The copies."""
        return self._values

    @property
    def name(self) -> str:
        """The name of the first copy."""
        return str(self._values[0].name)


class MirroredVariable(DistributedVariable):
    """The class of those whose copies have the same value."""


class AggregatingVariable(DistributedVariable):
    """A variable that servers of parameters hold.

    Args:
        strategy: the strategy.
        v: the variable.
        aggregation: how changes to it are aggregated.
    """

    def __init__(self, strategy: Any, v: Any, aggregation: Any) -> None:
        super().__init__(strategy, [v], aggregation)


class CachingVariable(AggregatingVariable):
    """A variable of which workers keep copies."""


class _ReadTogether(type(Variable)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, Variable)
            and instance.synchronization is VariableSynchronization.ON_READ
        )


class SyncOnReadVariable(DistributedVariable, metaclass=_ReadTogether):
    """The class of those whose copies are joined when they are read: `synchronization=ON_READ`."""
