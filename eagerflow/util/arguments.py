"""The arguments of a function by name, to be passed on."""

from __future__ import annotations

from typing import Any


def arguments(names: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, `**kwargs` among them.

    Args:
        names: `locals()` at the beginning of the function.

    >>> from eagerflow.util.arguments import arguments
    >>> class Point:
    ...     def __init__(self, x, y=0, **kwargs):
    ...         self.arguments = arguments(locals())
    >>> Point(1, z=2).arguments
    {'x': 1, 'y': 0, 'z': 2}
    """
    result = {name: value for name, value in names.items() if name not in ("self", "__class__")}
    return result | result.pop("kwargs", {})
