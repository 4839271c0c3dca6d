"""Serialization of metrics: names and configurations."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.metrics.metric import Metric
from eagerflow.keras.saving import reachable
from eagerflow.keras.saving.namespaces import serialize_member
from eagerflow.keras.saving.serialization import deserialize_as
from eagerflow.keras.typing import CustomObjects


def serialize(metric: object, use_legacy_format: bool = False) -> Any:
    """A metric as plain values: a dictionary of its class and arguments, or a function's name.

    >>> tf.keras.metrics.serialize(tf.keras.metrics.Precision(0.4))["config"]["thresholds"]
    0.4
    """
    return serialize_member(metric, Metric, "metrics", use_legacy_format)


def deserialize(
    config: object, custom_objects: CustomObjects | None = None, use_legacy_format: bool = False
) -> Any:
    """The metric of a name or a configuration.

    Raises:
        ValueError: for an unknown name.

    >>> tf.keras.metrics.deserialize("mse") is tf.keras.metrics.mean_squared_error
    True
    """
    names = reachable.KINDS["metric"].objects()
    return deserialize_as("metric", config, custom_objects, names=names)


def get(identifier: object) -> Any:
    """A metric from its name or configuration; a metric is returned unchanged.

    Raises:
        ValueError: for an unknown name, and for a value that is no metric.

    >>> type(tf.keras.metrics.get("AUC")).__name__
    'AUC'
    """
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret metric identifier: {identifier}")
