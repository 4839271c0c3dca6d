"""Serialization before Keras 2.12: a class's name and its configuration, or a function's name."""

from __future__ import annotations

import inspect
from typing import Any

from eagerflow.io.damage import made_by
from eagerflow.keras.saving.registration import get_registered_name, known_objects
from eagerflow.keras.typing import Config, CustomObjects


def serialize_keras_object(instance: object) -> Any:
    """An object as a dictionary with `class_name` and `config`; functions by their names.

    Raises:
        ValueError: for an object with neither a configuration nor a name.

    >>> tf.keras.utils.legacy.serialize_keras_object(tf.keras.initializers.Ones())
    {'class_name': 'Ones', 'config': {}}
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        name = get_registered_name(type(instance))
        return {"class_name": name, "config": _plain(instance.get_config())}
    if hasattr(instance, "__name__"):
        return get_registered_name(instance)
    raise ValueError(f"Cannot serialize {instance} because it doesn't implement `get_config()`.")


def _plain(config: Config) -> dict[str, Any]:
    """A configuration in which objects have their own configurations, and functions their names."""
    return {
        key: get_registered_name(value)
        if hasattr(value, "__name__")
        else serialize_keras_object(value)
        if hasattr(value, "get_config")
        else value
        for key, value in config.items()
    }


def deserialize_keras_object(
    identifier: object,
    module_objects: dict[str, Any] | None = None,
    custom_objects: CustomObjects | None = None,
    printable_module_name: str = "object",
) -> Any:
    """The object that `serialize_keras_object` described.

    Args:
        identifier: a dictionary, a name, or a function, which is returned.
        module_objects: classes and functions by name.
        custom_objects: more of them, which come first.
        printable_module_name: what the objects are, for messages.

    Raises:
        ValueError: for an unknown name, and for what describes nothing.

    >>> known = {"Ones": tf.keras.initializers.Ones}
    >>> config = {"class_name": "Ones", "config": {}}
    >>> type(tf.keras.utils.legacy.deserialize_keras_object(config, known)).__name__
    'Ones'
    """
    if identifier is None or inspect.isfunction(identifier):
        return identifier
    if isinstance(identifier, str):
        found = _found(identifier, module_objects, custom_objects, printable_module_name)
        return found() if inspect.isclass(found) else found
    if not isinstance(identifier, dict):
        raise ValueError(f"Could not interpret serialized {printable_module_name}: {identifier}")
    if "class_name" not in identifier or "config" not in identifier:
        raise ValueError(
            f"Improper config format for {identifier}. Expecting a dictionary with `class_name` "
            "and `config`."
        )
    name, config = identifier["class_name"], identifier["config"]
    found = _found(name, module_objects, custom_objects, printable_module_name)
    with made_by(found):
        if not hasattr(found, "from_config"):
            return found(**config)
        if "custom_objects" in inspect.signature(found.from_config).parameters:
            return found.from_config(config, custom_objects=known_objects(custom_objects))
        return found.from_config(config)


def _found(name: str, module_objects: Any, custom_objects: Any, printable_module_name: str) -> Any:
    """The class or function of a name."""
    found = known_objects(custom_objects).get(name, (module_objects or {}).get(name))
    if found is None:
        raise ValueError(
            f"Unknown {printable_module_name}: '{name}'. Please ensure you are using a "
            "`keras.utils.custom_object_scope` and that this object is included in the scope."
        )
    return found
