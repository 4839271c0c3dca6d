"""tensorflow.python.distribute.values: values and variables of strategies."""

from eagerflow.distribute.values import DistributedValues, Mirrored, PerReplica, PerReplicaSpec
from eagerflow.distribute.variables import (
    AggregatingVariable,
    DistributedVariable,
    MirroredVariable,
    SyncOnReadVariable,
)

__all__ = [
    "AggregatingVariable",
    "CachingVariable",
    "DistributedValues",
    "DistributedVariable",
    "Mirrored",
    "MirroredVariable",
    "PerReplica",
    "PerReplicaSpec",
    "SyncOnReadVariable",
]


class CachingVariable(AggregatingVariable):
    """A variable of which workers keep copies."""
