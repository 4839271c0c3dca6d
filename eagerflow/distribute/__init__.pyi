from eagerflow.distribute import (
    cluster_resolver as cluster_resolver,
    coordinator as coordinator,
    experimental as experimental,
)
from eagerflow.distribute.collectives import ReduceOp as ReduceOp
from eagerflow.distribute.contexts import (
    InputContext as InputContext,
    ReplicaContext as ReplicaContext,
)
from eagerflow.distribute.extended import StrategyExtended as StrategyExtended
from eagerflow.distribute.input import (
    DistributedDataset as DistributedDataset,
    DistributedIterator as DistributedIterator,
)
from eagerflow.distribute.options import (
    CrossDeviceOps as CrossDeviceOps,
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
    InputOptions as InputOptions,
    InputReplicationMode as InputReplicationMode,
    NcclAllReduce as NcclAllReduce,
    ReductionToOneDevice as ReductionToOneDevice,
    RunOptions as RunOptions,
)
from eagerflow.distribute.parameter_server import (
    ParameterServerStrategy as ParameterServerStrategy,
)
from eagerflow.distribute.server import Server as Server
from eagerflow.distribute.strategy import (
    experimental_set_strategy as experimental_set_strategy,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
    MirroredStrategy as MirroredStrategy,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
    Strategy as Strategy,
)
from eagerflow.distribute.values import DistributedValues as DistributedValues
