"""Optimizers from their names and configurations, and back."""

from __future__ import annotations

import warnings
from typing import Any

from eagerflow import lazy
from eagerflow.keras.optimizers.optimizer import Optimizer
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object,
    serialize_keras_object,
)


def _objects(of_legacy: bool) -> lazy.Objects:
    """The classes by their names in lower case."""
    objects = {
        name.lower(): origin
        for name, origin in lazy.origins("eagerflow.keras.optimizers").items()
        if name[0].isupper() and name != "Optimizer"
    }
    objects["lossscaleoptimizerv3"] = objects["lossscaleoptimizer"]
    if of_legacy:
        from eagerflow.keras.optimizers import legacy

        for name in legacy.__all__:
            if name != "Optimizer":
                objects[name.lower()] = (legacy.__name__, name)
    return lazy.Objects(objects)


def serialize(optimizer: Any, use_legacy_format: bool = False) -> Any:
    """An optimizer as a dictionary of its class and arguments.

    >>> tf.keras.optimizers.serialize(tf.keras.optimizers.SGD(0.5))["config"]["learning_rate"]
    0.5
    """
    if optimizer is None:
        return None
    if not isinstance(optimizer, Optimizer):
        warnings.warn(
            "The `keras.optimizers.serialize()` API should only be used for objects of type "
            f"`keras.optimizers.Optimizer`. Found an instance of type {type(optimizer)}, which may "
            "lead to improper serialization.",
            stacklevel=2,
        )
    if use_legacy_format:
        return {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}
    return serialize_keras_object(optimizer)


def deserialize(
    config: dict[str, Any],
    custom_objects: dict[str, Any] | None = None,
    use_legacy_format: bool = False,
    **kwargs: Any,
) -> Any:
    """The optimizer that a configuration describes.

    Args:
        config: a dictionary with `class_name`, in any case, and `config`.
        custom_objects: a program's own classes by name.
        use_legacy_format: ignored: both formats are understood.
        **kwargs: `use_legacy_optimizer`.

    Raises:
        ValueError: for an unknown class.

    >>> config = tf.keras.optimizers.serialize(tf.keras.optimizers.Adam(beta_1=0.5))
    >>> tf.keras.optimizers.deserialize(config).beta_1
    0.5
    """
    use_legacy = bool(kwargs.pop("use_legacy_optimizer", False))
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {kwargs}")
    use_legacy |= ".legacy" in (config.get("module") or "")
    use_legacy = bool((config.get("config") or {}).get("is_legacy_optimizer", use_legacy))
    objects = _objects(use_legacy)
    name = config["class_name"]
    if name.lower() in objects and (name not in (custom_objects or {})):
        config = dict(config, class_name=name.lower())
        if (config.get("module") or "").startswith(("keras", "tf_keras")):
            config["registered_name"] = None
    return deserialize_keras_object(
        config,
        module_objects=objects,
        custom_objects=custom_objects,
        printable_module_name="optimizer",
    )


def get(identifier: Any, **kwargs: Any) -> Any:
    """An optimizer from its name, its configuration, or itself.

    Args:
        identifier: a name in any case, a dictionary, or an optimizer.
        **kwargs: `use_legacy_optimizer`.

    Raises:
        ValueError: for an unknown name, and for what cannot be an optimizer.

    >>> type(tf.keras.optimizers.get("rmsprop")).__name__
    'RMSprop'
    """
    use_legacy = kwargs.pop("use_legacy_optimizer", False)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {kwargs}")
    if isinstance(identifier, str):
        identifier = {"class_name": identifier, "config": {}}
    if isinstance(identifier, dict):
        return deserialize(identifier, use_legacy_optimizer=use_legacy)
    if isinstance(identifier, Optimizer) or (
        hasattr(identifier, "apply_gradients") and not isinstance(identifier, type)
    ):
        return identifier
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
