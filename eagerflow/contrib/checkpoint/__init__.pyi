from eagerflow.checkpoint.manager import CheckpointManager as CheckpointManager
from eagerflow.contrib.checkpoint.containers import (
    List as List,
    Mapping as Mapping,
    UniqueNameTracker as UniqueNameTracker,
)
from eagerflow.framework.module import AutoTrackable as AutoTrackable

Checkpointable = AutoTrackable
CheckpointableBase = AutoTrackable
