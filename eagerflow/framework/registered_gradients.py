"""The gradients that programs have registered, by the names that they gave them."""

from __future__ import annotations

from collections.abc import Callable

# None for a name without a gradient.
registered: dict[str, Callable | None] = {}
# The names that are types of operations: their gradients replace those of the engine.
replaced: set[str] = set()


def find(name: str) -> Callable | None:
    """The gradient of a name; None if there shall be none.

    Raises:
        LookupError: if none is registered under the name.
    """
    if name not in registered:
        raise LookupError(f"gradient registry has no entry for: {name}")
    return registered[name]
