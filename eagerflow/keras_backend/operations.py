"""Where the functions of a backend's modules come from: Keras 3's operations are a part of eagerflow."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def operations(module: str, *namespaces: str) -> tuple[Callable[[str], Any], Callable[[], list]]:
    """A module's `__getattr__` and `__dir__`, which find the functions of `eagerflow.keras.ops`.

    Args:
        module: the `__name__` of the module, which keeps what was found.
        *namespaces: where functions are looked up, first one first.
    """
    sources = [importlib.import_module(namespace) for namespace in namespaces]

    def find(name: str) -> Any:
        for source in sources:
            value = None if name.startswith("_") else getattr(source, name, None)
            if value is not None:
                setattr(importlib.import_module(module), name, value)
                return value
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({name for source in sources for name in dir(source)})

    return find, names
