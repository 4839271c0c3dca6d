"""tensorflow.python.distribute.values: variables of strategies.

A strategy has one replica here, and its variables are plain ones, so that none is an instance of the
classes of distributed variables.
"""

from __future__ import annotations

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
    """The class of variables with copies on several devices."""


class MirroredVariable(DistributedVariable):
    """The class of those whose copies have the same value."""


class AggregatingVariable(Variable):
    """The class of those that servers of parameters hold."""


class CachingVariable(Variable):
    """The class of those of which workers keep copies."""


class _ReadTogether(type(Variable)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, Variable)
            and instance.synchronization is VariableSynchronization.ON_READ
        )


class SyncOnReadVariable(DistributedVariable, metaclass=_ReadTogether):
    """The class of those whose copies are joined when they are read: `synchronization=ON_READ`."""
