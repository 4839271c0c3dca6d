"""Learning rate schedules from their configurations, and back."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.saving import reachable
from eagerflow.keras.saving.serialization import deserialize_as, serialize_keras_object
from eagerflow.keras.typing import CustomObjects


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
    config: object, custom_objects: CustomObjects | None = None, use_legacy_format: bool = False
) -> Any:
    """The schedule that a configuration describes.

    Raises:
        ValueError: if there is none of that class.
    """
    names = reachable.KINDS["schedule"].objects()
    return deserialize_as("schedule", config, custom_objects, names=names)
