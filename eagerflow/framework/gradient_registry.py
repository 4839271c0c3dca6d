"""The gradients that programs have registered, by the names of kinds of operations."""

from __future__ import annotations

from collections.abc import Callable

# None for kinds that have no gradient.
registered: dict[str, Callable | None] = {}
