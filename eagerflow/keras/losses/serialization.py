"""Losses from their names and configurations, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.keras.losses.loss import Loss
from eagerflow.keras.saving import reachable
from eagerflow.keras.saving.namespaces import serialize_member
from eagerflow.keras.saving.serialization import deserialize_as


def serialize(loss: Any, use_legacy_format: bool = False) -> Any:
    """A loss as plain values: a dictionary of its class and arguments, or a function's name.

    >>> tf.keras.losses.serialize(tf.keras.losses.Huber(2.0))["config"]["delta"]
    2.0
    """
    return serialize_member(loss, Loss, "losses", use_legacy_format)


def deserialize(
    name: Any, custom_objects: dict[str, Any] | None = None, use_legacy_format: bool = False
) -> Any:
    """The loss that a name or a configuration stands for.

    Raises:
        ValueError: if there is none.

    >>> tf.keras.losses.deserialize("mse") is tf.keras.losses.mean_squared_error
    True
    """
    names = reachable.KINDS["loss"].objects()
    return deserialize_as("loss", name, custom_objects, names=names)


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
