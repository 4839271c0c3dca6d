"""Errors inside a layer's `call`, with the layer's name and the arguments of the call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.errors import OpError
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor

_SAID = "_keras_call_info_injected"


def explained(
    error: Exception, layer: Any, call: Callable[..., Any], args: tuple, kwargs: dict[str, object]
) -> Exception:
    """An error that names the innermost failing layer and the arguments of its call.

    Args:
        error: the error that the call raised.
        layer: the layer.
        call: its `call`.
        args: the positional arguments, including the first.
        kwargs: the keyword arguments.

    Returns:
        An error of the same class; a RuntimeError if that class needs more than a message. The same
        error if an inner layer has explained it already, or `call` does not accept the arguments.
    """
    if hasattr(error, _SAID):
        return error
    try:
        signature = inspect.signature(call)
        given = signature.bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return error
    parameters = signature.parameters
    if not parameters:
        return error
    name = f"layer {layer.name!r} (type {type(layer).__name__})"
    lines = [
        f"  • {key}={_described(given[key]) if key in given else parameter.default}"
        for key, parameter in parameters.items()
    ]
    if isinstance(error, OpError):
        text = error.message
    else:
        text = error.args[0] if error.args else ""
    message = (
        f"Exception encountered when calling {name}.\n\n{text}\n\nCall arguments received by {name}:\n"
        + "\n".join(lines)
    )
    result: Exception
    try:
        if isinstance(error, OpError):
            result = type(error)(error.node_def, error.op, message, error.error_code)
        else:
            result = type(error)(message)
    except TypeError:
        result = RuntimeError(message)
    setattr(result, _SAID, True)
    return result.with_traceback(error.__traceback__)


def _described(value: object) -> Any:
    """A short text for a value, or a structure of them."""
    return nest.map_structure(_leaf, value)


def _leaf(value: object) -> str:
    if isinstance(value, _core.Tensor | KerasTensor):
        return f"tf.Tensor(shape={value.shape}, dtype={value.dtype.name})"
    return repr(value)
