from eagerflow.checkpoint.manager import CheckpointManager as CheckpointManager
from eagerflow.framework.module import AutoTrackable as AutoTrackable
from eagerflow_compat.contrib.checkpoint.containers import (
    List as List,
)
from eagerflow_compat.contrib.checkpoint.containers import (
    Mapping as Mapping,
)
from eagerflow_compat.contrib.checkpoint.containers import (
    UniqueNameTracker as UniqueNameTracker,
)

Checkpointable = AutoTrackable
CheckpointableBase = AutoTrackable
