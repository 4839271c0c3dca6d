"""Weak tensors in the elements of pipelines."""

from __future__ import annotations

from typing import Any

from eagerflow.data import structure
from eagerflow.data.cursor import InputCursor


class WeakCursor(InputCursor):
    """Yields elements with weak tensors where the specs say so; inside of pipelines there are none."""

    __slots__ = ("_spec",)

    def __init__(self, source: Any, spec: Any) -> None:
        super().__init__(source)
        self._spec = spec

    def __next__(self) -> Any:
        return structure.weakened(next(self._input), self._spec)

    def state(self) -> object:
        return self._input.state()

    def restore(self, state: object) -> None:
        self._input.restore(state)
