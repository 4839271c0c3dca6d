"""tf.keras.optimizers.schedules: learning rates that change with the step."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.optimizers.schedules.cosine import CosineDecay, CosineDecayRestarts
from eagerflow.keras.optimizers.schedules.decay import (
    ExponentialDecay,
    InverseTimeDecay,
    PiecewiseConstantDecay,
    PolynomialDecay,
)
from eagerflow.keras.optimizers.schedules.schedule import LearningRateSchedule
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object,
    serialize_keras_object,
)

__all__ = [
    "CosineDecay",
    "CosineDecayRestarts",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LearningRateSchedule",
    "PiecewiseConstantDecay",
    "PolynomialDecay",
    "deserialize",
    "serialize",
]

_OBJECTS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        CosineDecay,
        CosineDecayRestarts,
        ExponentialDecay,
        InverseTimeDecay,
        PiecewiseConstantDecay,
        PolynomialDecay,
    )
}


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
        module_objects=_OBJECTS,
        custom_objects=custom_objects,
        printable_module_name="decay",
    )
