"""horovod.tensorflow.elastic, which does not exist here: each of its names raises."""

from __future__ import annotations

from typing import Any

_NAMES = ("KerasState", "ObjectState", "State", "TensorFlowKerasState", "TensorFlowState", "run")


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise NotImplementedError(
        f"horovod.tensorflow.elastic.{name}: the number of MPI's processes does not change while they "
        "run. Start the program again with another number, and have "
        "tf.keras.callbacks.BackupAndRestore or tf.train.CheckpointManager continue."
    )
