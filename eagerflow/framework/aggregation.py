"""How the copies of a distributed variable are kept together."""

from __future__ import annotations

import enum


class VariableSynchronization(enum.Enum):
    """When the copies of a distributed variable are aggregated."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How the copies of a distributed variable are aggregated."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3

    def __hash__(self) -> int:
        return hash(self.value)


# TensorFlow's name of the class.
VariableAggregation.__name__ = "VariableAggregationV2"
