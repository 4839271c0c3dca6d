"""Old names as new ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eagerflow.util.lazy import Module

first = Module("eagerflow_compat.compat.v1")


def attach(namespace: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """`__getattr__` of a module with new names for old ones.

    Args:
        namespace: the module's name.
        names: from old names to paths below `tf.compat.v1`.
    """

    def __getattr__(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {namespace!r} has no attribute {name!r}")
        value: Any = first
        for part in names[name].split("."):
            value = getattr(value, part)
        return value

    return __getattr__
