from eagerflow.distribute import cluster_resolver as cluster_resolver
from eagerflow.distribute.options import (
    CrossDeviceOps as CrossDeviceOps,
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
    InputOptions as InputOptions,
    NcclAllReduce as NcclAllReduce,
    ReductionToOneDevice as ReductionToOneDevice,
    RunOptions as RunOptions,
)
from eagerflow.distribute.strategy import (
    DistributedDataset as DistributedDataset,
    DistributedIterator as DistributedIterator,
    DistributedValues as DistributedValues,
    experimental_set_strategy as experimental_set_strategy,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
    InputContext as InputContext,
    InputReplicationMode as InputReplicationMode,
    MirroredStrategy as MirroredStrategy,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
    ReduceOp as ReduceOp,
    ReplicaContext as ReplicaContext,
    Strategy as Strategy,
    StrategyExtended as StrategyExtended,
)
