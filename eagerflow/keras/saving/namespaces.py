"""Members of the namespaces of losses and metrics as plain values."""

from __future__ import annotations

import warnings
from typing import Any

from eagerflow.keras.saving.serialization import serialize_keras_object


def serialize_member(value: Any, base: type, namespace: str, use_legacy_format: bool) -> Any:
    """A member as plain values: a dictionary of its class and arguments, or a function's name.

    Warns, on behalf of the caller's caller, of what is no instance of `base`.
    """
    if value is None:
        return None
    if not isinstance(value, base):
        warnings.warn(
            f"The `keras.{namespace}.serialize()` API should only be used for objects of type "
            f"`keras.{namespace}.{base.__name__}`. Found an instance of type {type(value)}, which "
            "may lead to improper serialization.",
            stacklevel=3,
        )
    if use_legacy_format:
        if hasattr(value, "get_config"):
            return {"class_name": type(value).__name__, "config": value.get_config()}
        return value.__name__
    return serialize_keras_object(value)
