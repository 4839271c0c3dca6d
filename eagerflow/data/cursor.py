"""Cursors: the running half of a dataset, with a position in its elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from eagerflow.data import structure


class Cursor(ABC):
    """Yields the elements of one dataset, once.

    A cursor that raises an error has advanced: the next call returns the next element.
    `state` is the position as plain values and tensors; `restore` moves a fresh cursor to it.
    """

    __slots__ = ("__weakref__",)

    def __iter__(self) -> Cursor:
        return self

    @abstractmethod
    def __next__(self) -> Any:
        """The next element."""

    @abstractmethod
    def state(self) -> object:
        """The position: dictionaries, lists, Python numbers, strings, None and tensors."""

    @abstractmethod
    def restore(self, state: object) -> None:
        """Goes to a position that `state` returned for a cursor of the same dataset."""

    def row_stacker(self, size: int) -> Any:
        """A function that stacks the next elements faster than a `Stacker` does, or None.

        From now on only that function can read the elements.

        Args:
            size: how many elements make a batch.
        """
        return None

    def skip(self, count: int) -> None:
        """Skips elements; stops silently at the end."""
        for _ in range(count):
            if next(self, _END) is _END:
                return


_END = object()


class ReadingCursor(Cursor):
    """The base of cursors whose position is that of one other cursor, `_input`."""

    __slots__ = ()

    _input: Any

    def state(self) -> object:
        return {"input": self._input.state()}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])


class InputCursor(ReadingCursor):
    """The base of cursors that read one other cursor."""

    __slots__ = ("_input",)

    def __init__(self, source: Cursor) -> None:
        self._input = source


class Failure:
    """The error of an element that could not be computed, in its position."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


def pack_elements(elements: list[Any]) -> list[Any]:
    """Elements as lists of leaves, for a cursor's state.

    Raises:
        Exception: the error of an element that could not be computed, which cannot be stored.
    """
    for element in elements:
        if type(element) is Failure:
            raise element.error
    return [structure.flatten(element) for element in elements]


def unpack_elements(like: Any, flat: list[Any]) -> list[Any]:
    """The elements that `pack_elements` packed."""
    return [structure.pack(like, leaves) for leaves in flat]
