"""Layers as plain values, and layers made from them."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.saving import reachable, serialization
from eagerflow.keras.typing import CustomObjects
from eagerflow.util import lazy

# Imported when it is first used: who needs layers may need no metrics.
metric = lazy.Module("eagerflow.keras.metrics.metric")


def serialize(layer: Any, use_legacy_format: bool = False) -> dict[str, Any]:
    """The description of a layer: its class and its config.

    Raises:
        ValueError: for a metric.

    Args:
        layer: the layer.
        use_legacy_format: whether only `class_name` and `config` are returned.

    >>> tf.keras.layers.serialize(tf.keras.layers.Flatten())["class_name"]
    'Flatten'
    """
    if isinstance(layer, metric.Metric):
        raise ValueError(
            f"Cannot serialize {layer} since it is a metric. Please use the "
            "`keras.metrics.serialize()` and `keras.metrics.deserialize()` APIs to serialize and "
            "deserialize metrics."
        )
    if use_legacy_format:
        return {"class_name": type(layer).__name__, "config": layer.get_config()}
    return serialization.serialize_keras_object(layer)


def deserialize(
    config: object, custom_objects: CustomObjects | None = None, use_legacy_format: bool = False
) -> Any:
    """The layer that `serialize` described.

    Args:
        config: its description.
        custom_objects: a program's own classes by name.
        use_legacy_format: accepted; both formats are understood.

    Raises:
        ValueError: for an empty or unknown description.

    >>> config = tf.keras.layers.serialize(tf.keras.layers.Dense(3))
    >>> tf.keras.layers.deserialize(config).units
    3
    """
    if not config:
        raise ValueError(
            f"Cannot deserialize empty config. Received: config={config}. Pass what "
            "`tf.keras.layers.serialize` returned."
        )
    names = reachable.KINDS["layer"].objects()
    return serialization.deserialize_as("layer", config, custom_objects, names=names)
