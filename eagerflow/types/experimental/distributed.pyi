from eagerflow.distribute.strategy import (
    DistributedValues,
    PerReplica as PerReplica,
)

Mirrored = DistributedValues
