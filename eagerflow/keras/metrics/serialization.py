"""Metrics from their names and configurations, and back."""

from __future__ import annotations

import warnings
from typing import Any

from eagerflow import lazy
from eagerflow.keras.metrics.metric import Metric
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object,
    serialize_keras_object,
)


def _objects() -> lazy.Objects:
    """What a name may stand for: the namespace's classes and functions."""
    listed = dict(lazy.origins("eagerflow.keras.metrics"))
    for name in ("get", "serialize", "deserialize"):
        del listed[name]
    return lazy.Objects(listed)


def serialize(metric: Any, use_legacy_format: bool = False) -> Any:
    """A metric as plain values: a dictionary of its class and arguments, or a function's name.

    >>> tf.keras.metrics.serialize(tf.keras.metrics.Precision(0.4))["config"]["thresholds"]
    0.4
    """
    if metric is None:
        return None
    if not isinstance(metric, Metric):
        warnings.warn(
            "The `keras.metrics.serialize()` API should only be used for objects of type "
            f"`keras.metrics.Metric`. Found an instance of type {type(metric)}, which may lead to "
            "improper serialization.",
            stacklevel=2,
        )
    if use_legacy_format:
        if hasattr(metric, "get_config"):
            return {"class_name": type(metric).__name__, "config": metric.get_config()}
        return metric.__name__
    return serialize_keras_object(metric)


def deserialize(
    config: Any, custom_objects: dict[str, Any] | None = None, use_legacy_format: bool = False
) -> Any:
    """The metric that a name or a configuration stands for.

    Raises:
        ValueError: if there is none.

    >>> tf.keras.metrics.deserialize("mse") is tf.keras.metrics.mean_squared_error
    True
    """
    return deserialize_keras_object(
        config,
        module_objects=_objects(),
        custom_objects=custom_objects,
        printable_module_name="metric function",
    )


def get(identifier: Any) -> Any:
    """A metric from its name, its configuration, or itself.

    Raises:
        ValueError: for an unknown name, and for what cannot be a metric.

    >>> type(tf.keras.metrics.get("AUC")).__name__
    'AUC'
    """
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret metric identifier: {identifier}")
