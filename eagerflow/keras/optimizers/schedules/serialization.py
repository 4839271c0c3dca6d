"""Learning rate schedules from their configurations, and back."""

from __future__ import annotations

from typing import Any

from eagerflow import lazy
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object,
    serialize_keras_object,
)


def _objects() -> lazy.Objects:
    """The schedules by name."""
    listed = lazy.origins("eagerflow.keras.optimizers.schedules")
    kinds = {name: origin for name, origin in listed.items() if name[0].isupper()}
    del kinds["LearningRateSchedule"]
    return lazy.Objects(kinds)


def serialize(learning_rate_schedule: Any, use_legacy_format: bool = False) -> Any:
    """A schedule as a dictionary of its class and arguments.

    >>> rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 100, 0.5)
    >>> tf.keras.optimizers.schedules.serialize(rate)["class_name"]
    'ExponentialDecay'
    """
    if use_legacy_format:
        name = type(learning_rate_schedule).__name__
        return {"class_name": name, "config": learning_rate_schedule.get_config()}
    return serialize_keras_object(learning_rate_schedule)


def deserialize(
    config: Any, custom_objects: dict[str, Any] | None = None, use_legacy_format: bool = False
) -> Any:
    """The schedule that a configuration describes.

    Raises:
        ValueError: if there is none of that class.
    """
    return deserialize_keras_object(
        config,
        module_objects=_objects(),
        custom_objects=custom_objects,
        printable_module_name="decay",
    )
