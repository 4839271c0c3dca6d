"""Dataset.window: datasets of consecutive elements."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.arguments import boolean, positive
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, Failure, InputCursor, pack_elements, unpack_elements
from eagerflow.data.dataset import Dataset, DatasetSpec, UnaryDataset
from eagerflow.data.sources import list_cursor

Tensor = _core.Tensor


class PartDataset(Dataset):
    """One component of windows' elements."""

    _public_name = "_VariantDataset"

    def __init__(self, values: list[Any], spec: Any) -> None:
        super().__init__()
        self._values = values
        self._spec = (spec,)

    def _cursor(self, context: Context) -> Cursor:
        return list_cursor(self._values)

    def _count(self) -> int:
        return len(self._values)

    def _to_parts(self) -> tuple[str, Any]:
        return "elements", self._values


class WindowDataset(UnaryDataset):
    """Windows of the elements: each part of the elements' structure is a dataset."""

    def __init__(
        self, source: Dataset, size: Any, shift: Any, stride: Any, drop_remainder: Any
    ) -> None:
        super().__init__(source)
        self._size = positive(size, "size", "Window size must be greater than zero.")
        shift = self._size if shift is None else shift
        self._shift = positive(shift, "shift", "Window shift must be greater than zero.")
        self._stride = positive(stride, "stride", "Window stride must be greater than zero.")
        self._drop = boolean(drop_remainder, "drop_remainder")
        self._specs = structure.flatten(source.element_spec)

    def _cursor(self, context: Context) -> Cursor:
        return WindowCursor(self._input._cursor(context), self)

    def _make_spec(self) -> Any:
        return structure.map_structure(DatasetSpec, self._input.element_spec)

    def _count(self) -> int:
        count = self._input._count()
        if count < 0:
            return count
        if self._drop:
            reach = (self._size - 1) * self._stride + 1
            return 0 if count < reach else (count - reach) // self._shift + 1
        return -(-count // self._shift)

    def _window(self, elements: list[Any]) -> Any:
        first = elements[0]
        if isinstance(first, Tensor):
            return PartDataset(elements, self._specs[0])
        columns = zip(*map(structure.flatten, elements), strict=True)
        parts = [
            PartDataset(list(column), spec)
            for column, spec in zip(columns, self._specs, strict=True)
        ]
        return structure.pack(first, parts)

    def _details(self) -> str:
        return f"{self._size}, shift={self._shift}, stride={self._stride}"


class WindowCursor(InputCursor):
    """Keeps the elements that further windows need."""

    __slots__ = ("_buffer", "_ended", "_owner", "_passed")

    def __init__(self, source: Cursor, owner: WindowDataset) -> None:
        self._input = source
        self._owner = owner
        self._buffer: list[Any] = []
        self._ended = False
        self._passed = 0

    def __next__(self) -> Any:
        owner = self._owner
        reach = (owner._size - 1) * owner._stride + 1
        while not self._ended and len(self._buffer) < max(reach, 1):
            try:
                element = next(self._input)
            except StopIteration:
                self._ended = True
                break
            except Exception as error:
                element = Failure(error)
            if self._passed:
                self._passed -= 1
            else:
                self._buffer.append(element)
        if not self._buffer or (owner._drop and len(self._buffer) < reach):
            self._buffer = []
            raise StopIteration
        window = self._buffer[: reach : owner._stride]
        self._passed = max(0, owner._shift - len(self._buffer))
        self._buffer = self._buffer[owner._shift :]
        for element in window:
            if type(element) is Failure:
                raise element.error
        return owner._window(window)

    def state(self) -> object:
        return {
            "input": self._input.state(),
            "buffer": pack_elements(self._buffer),
            "ended": self._ended,
            "passed": self._passed,
        }

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        like = self._owner._input.element_spec if state["buffer"] else None
        self._buffer = unpack_elements(like, state["buffer"])
        self._ended, self._passed = state["ended"], state["passed"]
