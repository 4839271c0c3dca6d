"""Errors of steps whose inputs do not fit a layer, found once a step has failed.

A step that is traced for batches of several sizes has no sizes that a layer could check, so that the first
operation fails which cannot compute. Then the model is traced again for the sizes of the batch.
"""

from __future__ import annotations

import contextlib
from typing import Any

from eagerflow.functions.function import Function
from eagerflow.keras.engine.training.data_adapter import unpack_x_y_sample_weight
from eagerflow.typing import Structure

_TEXT = "is incompatible with the layer"


def explained(model: Any, spec: Structure, error: Exception) -> Exception:
    """The error of the layer that the inputs of a step do not fit, or else the error itself.

    Args:
        model: the model, which is built.
        spec: the specs of a batch, with the sizes of what failed.
        error: the error of the step.
    """
    if model is None or not model.built or _TEXT in str(error):
        return error

    def outputs(x: Structure) -> Any:
        return model(x, training=False)

    try:
        # Whatever else is wrong is said by the step's own error.
        with contextlib.suppress(NotImplementedError, LookupError, TypeError):
            Function(outputs).get_concrete_function(unpack_x_y_sample_weight(spec)[0])
    except ValueError as misfit:
        if _TEXT in str(misfit):
            return misfit
    return error
