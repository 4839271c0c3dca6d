"""Default names of layers and models."""

from __future__ import annotations

import collections
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow.framework.context import at_reset, surrounding_graph

_Counts = collections.defaultdict[str, int]
_counts: _Counts = collections.defaultdict(int)
at_reset.append(_counts.clear)


class _Here(threading.local):
    """What this thread counts by, if not by the program's counts."""

    counts: _Counts | None = None
    in_build: _Counts | None = None


_here = _Here()


def get_uid(prefix: str = "") -> int:
    """A counter for each prefix, from one.

    >>> tf.keras.backend.get_uid("only here"), tf.keras.backend.get_uid("only here")
    (1, 2)
    """
    counts = _here.counts
    if counts is None:
        graph = surrounding_graph()
        counts = _counts if graph is None else graph.keras_names
    counts[prefix] += 1
    return counts[prefix]


@contextmanager
def apart(until_building: bool = False) -> Iterator[None]:
    """Names the layers that are created inside as if there were no others.

    Keras does so for layers that a layer's `call` creates in a traced graph.

    Args:
        until_building: whether a layer's `build` uses the outer counters again.
    """
    before = _here.counts, _here.in_build
    apart: _Counts = collections.defaultdict(int)
    _here.counts, _here.in_build = apart, _here.in_build if until_building else apart
    try:
        yield
    finally:
        _here.counts, _here.in_build = before


def enter_building() -> Any:
    """Has a `build` begin; returns what `leave_building` needs."""
    before = _here.counts
    _here.counts = _here.in_build
    return before


def leave_building(before: Any) -> None:
    """Has a `build` end."""
    _here.counts = before


def reset_uids() -> None:
    """Resets all counters of `get_uid`."""
    _counts.clear()


def unique_name(name: str, zero_based: bool = True) -> str:
    """`name` with a number after it, unless it is the first of its kind."""
    number = get_uid(name)
    if not zero_based:
        return f"{name}_{number}"
    return name if number == 1 else f"{name}_{number - 1}"


def lower_words(name: str) -> str:
    """A class's name in lower case, with underscores between words: `L2Norm` is `l2_norm`."""
    words = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()


def snake_case(name: str) -> str:
    """A class's name as layers' names spell it: `Conv2DTranspose` is `conv2d_transpose`."""
    words = lower_words(name)
    return f"private{words}" if words.startswith("_") else words
