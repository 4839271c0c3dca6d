"""Optimizers from their names and configurations, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eagerflow.framework import context
from eagerflow.keras.optimizers.optimizer import Optimizer, is_optimizer
from eagerflow.keras.saving import reachable
from eagerflow.keras.saving.serialization import deserialize_as, serialize_keras_object
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.util.program_warnings import warn


class _AnyCase(Mapping[str, Any]):
    """The classes by their names in lower case.

    Args:
        of_legacy: whether the legacy optimizers take precedence.
    """

    def __init__(self, of_legacy: bool) -> None:
        self._objects_by_name: dict[str, tuple[Mapping[str, Any], str]] = {}
        for kind in ("optimizer", "legacy optimizer")[: 1 + of_legacy]:
            objects = reachable.KINDS[kind].objects()
            self._objects_by_name |= {name.lower(): (objects, name) for name in objects}
        for version in ("v1", "v3"):
            self._objects_by_name[f"lossscaleoptimizer{version}"] = self._objects_by_name[
                "lossscaleoptimizer"
            ]

    def __getitem__(self, name: str) -> Any:
        objects, original = self._objects_by_name[name]
        return objects[original]

    def __contains__(self, name: object) -> bool:
        return name in self._objects_by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._objects_by_name)

    def __len__(self) -> int:
        return len(self._objects_by_name)


def serialize(optimizer: Optimizer, use_legacy_format: bool = False) -> Any:
    """An optimizer as a dictionary of its class and arguments.

    >>> tf.keras.optimizers.serialize(tf.keras.optimizers.SGD(0.5))["config"]["learning_rate"]
    0.5
    """
    if optimizer is None:
        return None
    if not is_optimizer(optimizer):
        warn(
            "The `keras.optimizers.serialize()` API should only be used for objects of type "
            f"`keras.optimizers.Optimizer`. Found an instance of type {type(optimizer)}, which may "
            "lead to improper serialization."
        )
    if use_legacy_format:
        return {"class_name": type(optimizer).__name__, "config": optimizer.get_config()}
    return serialize_keras_object(optimizer)


def deserialize(
    config: Config,
    custom_objects: CustomObjects | None = None,
    use_legacy_format: bool = False,
    **kwargs: object,
) -> Any:
    """The optimizer that a configuration describes.

    Args:
        config: a dictionary with `class_name`, in any case, and `config`.
        custom_objects: user-defined classes by name.
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
    use_legacy |= not context.executing_eagerly()  # version 1 has no others
    arguments = config.get("config") or {}
    use_legacy = bool(arguments.get("is_legacy_optimizer", use_legacy)) or "decay" in arguments
    objects = _AnyCase(use_legacy)
    name = config["class_name"]
    if name.lower() in objects and (name not in (custom_objects or {})):
        config = dict(config, class_name=name.lower())
        if (config.get("module") or "").startswith(("keras", "tf_keras")):
            config["registered_name"] = None
    return deserialize_as("optimizer", config, custom_objects, names=objects)


def get(identifier: object, **kwargs: object) -> Any:
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
    if is_optimizer(identifier) or (
        hasattr(identifier, "apply_gradients") and not isinstance(identifier, type)
    ):
        return identifier
    raise ValueError(f"Could not interpret optimizer identifier: {identifier}")
