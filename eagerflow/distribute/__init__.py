"""tf.distribute: strategies on one device, so that programs written for several run."""

from eagerflow.distribute.options import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    InputOptions,
    NcclAllReduce,
    ReductionToOneDevice,
    RunOptions,
)
from eagerflow.distribute.strategy import (
    InputContext,
    InputReplicationMode,
    MirroredStrategy,
    OneDeviceStrategy,
    ReduceOp,
    ReplicaContext,
    Strategy,
    StrategyExtended,
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)

__all__ = [
    "CrossDeviceOps",
    "HierarchicalCopyAllReduce",
    "InputContext",
    "InputOptions",
    "InputReplicationMode",
    "MirroredStrategy",
    "NcclAllReduce",
    "OneDeviceStrategy",
    "ReduceOp",
    "ReductionToOneDevice",
    "ReplicaContext",
    "RunOptions",
    "Strategy",
    "StrategyExtended",
    "experimental_set_strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]
