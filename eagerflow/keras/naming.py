"""Names that layers and models get when a program gives none."""

from __future__ import annotations

import collections
import re

_counts: collections.defaultdict[str, int] = collections.defaultdict(int)


def get_uid(prefix: str = "") -> int:
    """A number that counts up for each prefix, from one.

    >>> tf.keras.backend.get_uid("only here"), tf.keras.backend.get_uid("only here")
    (1, 2)
    """
    _counts[prefix] += 1
    return _counts[prefix]


def reset_uids() -> None:
    """Starts all numbers of `get_uid` again."""
    _counts.clear()


def unique_name(name: str, zero_based: bool = True) -> str:
    """`name` with a number after it, unless it is the first of its kind."""
    number = get_uid(name)
    if not zero_based:
        return f"{name}_{number}"
    return name if number == 1 else f"{name}_{number - 1}"


def snake_case(name: str) -> str:
    """A class's name as layers' names spell it: `Conv2DTranspose` is `conv2d_transpose`."""
    words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()
    return f"private{words}" if words.startswith("_") else words
