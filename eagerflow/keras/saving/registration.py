"""Names under which programs make their own classes and functions known."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from eagerflow.keras.typing import CustomObjects

# The objects that programs have registered, and the names of these objects in files.
_objects: dict[str, object] = {}
_names: dict[object, str] = {}


class _Scoped(threading.local):
    def __init__(self) -> None:
        self.objects: dict[str, object] = {}


_scoped = _Scoped()


class CustomObjectScope:
    """Registers objects by name inside a `with` block.

    Args:
        *args: dictionaries from names to classes or functions.

    >>> def double(x):
    ...     return x * 2
    >>> with tf.keras.utils.custom_object_scope({"double": double}):
    ...     layer = tf.keras.layers.Dense(1, activation="double")
    >>> layer.activation is double
    True
    """

    def __init__(self, *args: dict[str, Any]) -> None:
        self._added = args
        self._before: dict[str, object] = {}

    def __enter__(self) -> CustomObjectScope:
        self._before = dict(_scoped.objects)
        for objects in self._added:
            _scoped.objects.update(objects or {})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _scoped.objects = self._before


custom_object_scope = CustomObjectScope


def get_custom_objects() -> dict[str, Any]:
    """The dictionary of objects that are known by name everywhere; it may be changed."""
    return _objects


def known_objects(custom_objects: CustomObjects | None = None) -> dict[str, Any]:
    """All objects that are registered by name, and `custom_objects`."""
    return {**(custom_objects or {}), **_scoped.objects, **_objects}


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable:
    """Decorates a class or function so that configurations can name it.

    Args:
        package: comes before the name, with a `>` between.
        name: the name; by default the object's own.

    Raises:
        ValueError: for a class without `get_config`.

    >>> @tf.keras.utils.register_keras_serializable("demo")
    ... def square(x):
    ...     return x * x
    >>> tf.keras.utils.get_registered_name(square)
    'demo>square'
    """

    def register(target: Any) -> Any:
        registered = f"{package}>{target.__name__ if name is None else name}"
        if inspect.isclass(target) and not hasattr(target, "get_config"):
            raise ValueError("Cannot register a class that does not have a get_config() method.")
        _objects[registered] = target
        _names[target] = registered
        return target

    return register


def get_registered_name(obj: Any) -> str:
    """The name under which an object is registered, else its `__name__`."""
    return _names[obj] if obj in _names else obj.__name__


def get_registered_object(
    name: str,
    custom_objects: CustomObjects | None = None,
    module_objects: dict[str, Any] | None = None,
) -> Any:
    """The object known by a name, or None."""
    for objects in (_scoped.objects, _objects, custom_objects, module_objects):
        if objects and name in objects:
            return objects[name]
    return None
