"""tf.train: checkpoints, examples in records, moving averages."""

from eagerflow.checkpoint.checkpoint import (
    Checkpoint,
    CheckpointOptions,
)
from eagerflow.checkpoint.inspection import (
    CheckpointView,
    TrackableView,
    checkpoints_iterator,
    list_variables,
    load_checkpoint,
    load_variable,
)
from eagerflow.checkpoint.manager import (
    CheckpointManager,
)
from eagerflow.checkpoint.state import (
    get_checkpoint_state,
    latest_checkpoint,
)

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointView",
    "TrackableView",
    "checkpoints_iterator",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]
