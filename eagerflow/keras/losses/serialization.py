"""Serialization of losses: names and configurations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.keras.losses.loss import Loss
from eagerflow.keras.saving import reachable
from eagerflow.keras.saving.namespaces import serialize_member
from eagerflow.keras.saving.serialization import deserialize_as
from eagerflow.keras.typing import CustomObjects


def serialize(loss: object, use_legacy_format: bool = False) -> Any:
    """A loss as plain values: a dictionary of its class and arguments, or a function's name.

    >>> tf.keras.losses.serialize(tf.keras.losses.Huber(2.0))["config"]["delta"]
    2.0
    """
    return serialize_member(loss, Loss, "losses", use_legacy_format)


def deserialize(
    name: object, custom_objects: CustomObjects | None = None, use_legacy_format: bool = False
) -> Any:
    """The loss of a name or a configuration.

    Raises:
        ValueError: for an unknown name.

    >>> tf.keras.losses.deserialize("mse") is tf.keras.losses.mean_squared_error
    True
    """
    names = reachable.KINDS["loss"].objects()
    return deserialize_as("loss", name, custom_objects, names=names)


def get(identifier: object) -> Loss | Callable | None:
    """A loss from its name or configuration; a loss is returned unchanged.

    Raises:
        ValueError: for an unknown name, and for a value that is not a loss.

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
