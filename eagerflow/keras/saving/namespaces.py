"""Members of Keras's namespaces as plain values, and from names and configurations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.keras.saving import class_and_config
from eagerflow.keras.saving.serialization import serialize_keras_object
from eagerflow.util.program_warnings import warn


def serialize_member(value: Any, base: type, namespace: str, use_legacy_format: bool) -> Any:
    """A member as plain values: a dictionary of its class and arguments, or a function's name.

    Warns if it is not an instance of `base`; the warning names the line of the caller's caller.
    """
    if value is None:
        return None
    if not isinstance(value, base):
        warn(
            f"The `keras.{namespace}.serialize()` API should only be used for objects of type "
            f"`keras.{namespace}.{base.__name__}`. Found an instance of type {type(value)}, which "
            "may lead to improper serialization."
        )
    return serialize_instance(value, use_legacy_format)


def serialize_instance(value: object, use_legacy_format: bool) -> Any:
    """An object as plain values: a dictionary of its class and arguments."""
    if use_legacy_format:
        return class_and_config.serialize_keras_object(value)
    return serialize_keras_object(value)


def get_instance(identifier: object, deserialize: Callable[[Any], Any], noun: str) -> Any:
    """The object meant by a name or a configuration; functions, classes and None as they are.

    Raises:
        ValueError: if there is none.
    """
    if isinstance(identifier, str | dict):
        identifier = deserialize(identifier)
        return identifier() if isinstance(identifier, type) else identifier
    if identifier is None or callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret {noun} identifier: {identifier}")
