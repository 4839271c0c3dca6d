"""tf.keras.__internal__.utils and Keras's saving_utils: what packages tell Keras, and ask of models."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.functions.function import Function, function

__all__ = ["register_symbolic_tensor_type", "trace_model_call"]


def register_symbolic_tensor_type(cls: type) -> None:
    """Does nothing: a value that defines `__tf_tensor__` is a tensor to every layer."""


def trace_model_call(model: Any, input_signature: Any = None) -> Function:
    """A model that does not train as a function of one signature, which returns outputs by name.

    Args:
        model: a Keras model.
        input_signature: a list of the specs of its arguments; by default those it was called with.

    Raises:
        ValueError: if it is not known what inputs the model takes.
    """
    if input_signature is None:
        known = model.save_spec()
        if known is None:
            raise ValueError(
                f"Model {model} has no inputs yet: call it on data, or pass `input_signature`."
            )
        input_signature = known[0]

    def named_outputs(*args: Any) -> dict[str, Any]:
        outputs = nest.flatten(model(*args, training=False))
        names = getattr(model, "output_names", None)
        names = names or [f"output_{k}" for k in range(1, len(outputs) + 1)]
        return dict(zip(names, outputs, strict=True))

    return function(named_outputs, input_signature=list(input_signature), autograph=False)
