"""What a backend's modules are made of: Keras 3's operations, which are eagerflow's, and Keras's modules."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable
from typing import Any


def operations(module: str, *namespaces: str) -> tuple[Callable[[str], object], Callable[[], list]]:
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


def keras_module(name: str) -> Any:
    """Keras's own module of a name, whose place one of this backend takes."""
    package = importlib.import_module("keras.src.backend.tensorflow")
    path = os.path.join(package.__path__[-1], f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"{package.__name__}.keras_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
