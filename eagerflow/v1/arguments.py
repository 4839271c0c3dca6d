"""Arguments that have had two names."""

from __future__ import annotations

from typing import Any


def either(name: str, value: Any, old_name: str, old_value: Any) -> Any:
    """The value that was given under one of two names, or None.

    Raises:
        ValueError: if both were given.

    >>> from eagerflow.v1.arguments import either
    >>> either("axis", None, "dim", 1)
    1
    """
    if old_value is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old_value
