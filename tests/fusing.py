"""Turns the fusion of operations on and off, and returns which operations were fused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow import _core


@contextmanager
def fusing(value: bool) -> Iterator[None]:
    """Runs the body of the context with fusion, or operation by operation."""
    before = _core.set_fuses(value)
    try:
        yield
    finally:
        _core.set_fuses(before)


def fusions_of(function: Callable[[], Any]) -> list[tuple[Any, ...]]:
    """The fused nodes of a call: operations, kind, dtype, shape, reads and writes of each."""
    _core.note_fusions()
    try:
        function()
    finally:
        noted = _core.take_fusions()
    return noted


def fused_by(function: Callable[[], Any]) -> list[str]:
    """The kinds of the fused nodes of a call, such as "chain" or "attention"."""
    return [fusion[1] for fusion in fusions_of(function)]
