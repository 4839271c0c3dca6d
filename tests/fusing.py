"""Turns the fusion of operations on and off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from eagerflow import _core


@contextmanager
def fusing(value: bool) -> Iterator[None]:
    """What is inside runs with fusion, or operation by operation."""
    before = _core.set_fuses(value)
    try:
        yield
    finally:
        _core.set_fuses(before)
