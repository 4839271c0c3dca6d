"""Losses from their names and configurations, and back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from eagerflow import lazy
from eagerflow.keras.losses.loss import Loss
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object,
    serialize_keras_object,
)


def _objects() -> lazy.Objects:
    """What a name may stand for: the namespace's classes and functions."""
    listed = dict(lazy.origins("eagerflow.keras.losses"))
    for name in ("get", "serialize", "deserialize"):
        del listed[name]
    return lazy.Objects(listed)


def serialize(loss: Any, use_legacy_format: bool = False) -> Any:
    """A loss as plain values: a dictionary of its class and arguments, or a function's name.

    >>> tf.keras.losses.serialize(tf.keras.losses.Huber(2.0))["config"]["delta"]
    2.0
    """
    if loss is None:
        return None
    if not isinstance(loss, Loss):
        warnings.warn(
            "The `keras.losses.serialize()` API should only be used for objects of type "
            f"`keras.losses.Loss`. Found an instance of type {type(loss)}, which may lead to "
            "improper serialization.",
            stacklevel=2,
        )
    if use_legacy_format:
        if hasattr(loss, "get_config"):
            return {"class_name": type(loss).__name__, "config": loss.get_config()}
        return loss.__name__
    return serialize_keras_object(loss)


def deserialize(
    name: Any, custom_objects: dict[str, Any] | None = None, use_legacy_format: bool = False
) -> Any:
    """The loss that a name or a configuration stands for.

    Raises:
        ValueError: if there is none.

    >>> tf.keras.losses.deserialize("mse") is tf.keras.losses.mean_squared_error
    True
    """
    return deserialize_keras_object(
        name,
        module_objects=_objects(),
        custom_objects=custom_objects,
        printable_module_name="loss function",
    )


def get(identifier: Any) -> Loss | Callable | None:
    """A loss from its name, its configuration, or itself.

    Raises:
        ValueError: for an unknown name, and for what cannot be a loss.

    >>> type(tf.keras.losses.get("Huber")).__name__
    'Huber'
    """
    if identifier is None:
        return None
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret loss function identifier: {identifier}")
