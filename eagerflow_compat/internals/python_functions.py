"""tensorflow.python.ops.script_ops: where functions of graphs in Python are listed by tokens."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

__all__ = ["FuncRegistry", "_py_funcs"]


class FuncRegistry:
    """Functions by tokens. Graphs here hold their functions themselves, and list none."""

    def __init__(self) -> None:
        self._funcs: Any = weakref.WeakValueDictionary()

    def insert(self, func: Callable[..., Any]) -> str:
        """Lists a function, as long as it exists, and returns its token."""
        token = f"pyfunc_{len(self._funcs)}"
        self._funcs[token] = func
        return token

    def remove(self, token: str) -> None:
        """Forgets the function of a token."""
        self._funcs.pop(token, None)

    def get(self, token: str, default: Any = None) -> Any:
        """The function of a token."""
        return self._funcs.get(token, default)

    def size(self) -> int:
        """How many functions are listed."""
        return len(self._funcs)


_py_funcs = FuncRegistry()
