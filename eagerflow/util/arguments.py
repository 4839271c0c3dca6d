"""Arguments: all of a function by name, to be passed on, and counts that are checked."""

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


def checked_count(name: str, count: Any, most: int) -> int:
    """How often something is repeated, where a file may say so: no more often than any use needs.

    Args:
        name: the argument's.
        count: its value.
        most: the largest that is taken.

    Raises:
        ValueError: if it is no integer from 0 to `most`.

    >>> from eagerflow.util.arguments import checked_count
    >>> checked_count("num_ops", 3, 1000)
    3
    """
    if not isinstance(count, int) or not 0 <= count <= most:
        raise ValueError(f"`{name}` must be an integer from 0 to {most}, got {count!r}.")
    return count
