"""Loading models whose optimizers apply the gradients of all processes."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.saving.api import load_model as load_one
from eagerflow_compat.horovod.compression import Compression
from eagerflow_compat.horovod.gradients import DistributedOptimizer


def load_model(
    filepath: Any,
    custom_optimizers: Any = None,
    custom_objects: dict[str, Any] | None = None,
    compression: Any = Compression.none,
) -> Any:
    """A saved model, whose optimizer is a `DistributedOptimizer`.

    Args:
        filepath: the file or folder.
        custom_optimizers: classes of optimizers of the program.
        custom_objects: other objects of the program, by name.
        compression: the form in which gradients travel.
    """
    known = {kind.__name__: kind for kind in custom_optimizers or ()}
    model = load_one(filepath, custom_objects={**known, **(custom_objects or {})})
    if getattr(model, "optimizer", None) is not None:
        model.optimizer = DistributedOptimizer(model.optimizer, compression=compression)
    return model
