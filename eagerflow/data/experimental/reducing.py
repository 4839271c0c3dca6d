"""group_by_reducer: one value for each key of a dataset's elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.arguments import UNKNOWN
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.functions import caller_of, checked_function, parts_of_elements
from eagerflow.data.nested import key_of
from eagerflow.data.sources import ListCursor
from eagerflow.framework import dtypes


class Reducer:
    """Three functions that reduce elements: to begin, to go on, and to finish.

    Args:
        init_func: makes the first state for a key, an int64 scalar.
        reduce_func: `(state, element) -> state`.
        finalize_func: makes the result of the last state.
    """

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._init_func = checked_function(init_func, "init_func", 1)
        self._reduce_func = checked_function(reduce_func, "reduce_func", 2)
        self._finalize_func = checked_function(finalize_func, "finalize_func", 1)

    @property
    def init_func(self) -> Callable[..., Any]:
        """The function that begins."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """The function that goes on."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """The function that finishes."""
        return self._finalize_func


class ReducedDataset(UnaryDataset):
    """One result for each key, in the order of the keys."""

    def __init__(self, source: Dataset, key_func: Any, reducer: Reducer) -> None:
        super().__init__(source)
        self._key = checked_function(key_func, "key_func", parts_of_elements(source))
        self._reducer = reducer

    def _cursor(self, context: Context) -> Cursor:
        return ReducedCursor(self._input._cursor(context), self._key, self._reducer)

    def _needs_sample(self) -> bool:
        return True

    def _make_spec(self) -> Any:
        return structure.spec_of(self._sample(0))

    def _count(self) -> int:
        return UNKNOWN

    def _make_sample(self, variant: int) -> Any:
        element = self._input._sample(variant)
        return reduced(iter([element]), self._key, self._reducer)[0]


def reduced(elements: Any, key_func: Callable[..., Any], reducer: Reducer) -> list[Any]:
    """The results for all keys, in the keys' order."""
    key_func = caller_of(key_func)
    states: dict[int, Any] = {}
    for element in elements:
        key = key_of(key_func, element)
        if key not in states:
            states[key] = structure.normalize_result(
                reducer.init_func(_core.convert(key, dtypes.int64, None))
            )
        states[key] = structure.normalize_result(reducer.reduce_func(states[key], element))
    finish = caller_of(reducer.finalize_func)
    return [structure.normalize_result(finish(states[key])) for key in sorted(states)]


class ReducedCursor(Cursor):
    """Reads all elements, then yields the results."""

    __slots__ = ("_arguments", "_at", "_input", "_results")

    def __init__(self, source: Cursor, key_func: Callable[..., Any], reducer: Reducer) -> None:
        self._input = source
        self._arguments = (key_func, reducer)
        self._results: ListCursor | None = None
        self._at = 0

    def __next__(self) -> Any:
        if self._results is None:
            self._results = ListCursor(reduced(self._input, *self._arguments))
        self._at += 1
        return next(self._results)

    def state(self) -> Any:
        return self._at

    def restore(self, state: Any) -> None:
        self.skip(state)
