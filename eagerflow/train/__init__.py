"""tf.train: checkpoints, examples in records, moving averages."""

from __future__ import annotations

from typing import Any

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
from eagerflow.distribute.cluster import (
    ClusterSpec,
)
from eagerflow.train.coordinator import (
    Coordinator,
)
from eagerflow.train.moving_average import (
    ExponentialMovingAverage,
)

__all__ = [
    "ExponentialMovingAverage",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointView",
    "ClusterSpec",
    "Coordinator",
    "TrackableView",
    "checkpoints_iterator",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]

# Message classes are made when the first one is asked for.
_MESSAGES = {
    "BytesList": "example",
    "ClusterDef": "cluster",
    "Example": "example",
    "Feature": "example",
    "FeatureList": "example",
    "FeatureLists": "example",
    "Features": "example",
    "FloatList": "example",
    "Int64List": "example",
    "JobDef": "cluster",
    "SequenceExample": "example",
    "ServerDef": "cluster",
}


def __getattr__(name: str) -> Any:
    if name not in _MESSAGES:
        raise AttributeError(f"module 'eagerflow.train' has no attribute '{name}'")
    import importlib

    messages = importlib.import_module(f"eagerflow.protos.{_MESSAGES[name]}").MESSAGES
    found = globals()[name] = messages[name]
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})
