"""group_by_reducer: one value for each key of a dataset's elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.data.arguments import UNKNOWN
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.functions import (
    ElementFunction,
    guarded,
    traced,
    traced_number,
    traced_with_state,
)
from eagerflow.data.nested import KEY
from eagerflow.data.sources import list_cursor
from eagerflow.framework import dtypes

_Call = Callable[[Any], Any]


class Reducer:
    """Three functions that reduce elements: to begin, to go on, and to finish.

    Args:
        init_func: returns the first state for a key, an int64 scalar.
        reduce_func: `(state, element) -> state`.
        finalize_func: returns the result for the last state.
    """

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._init_func = init_func
        self._reduce_func = reduce_func
        self._finalize_func = finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """The function that returns a key's first state."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """The function that adds an element to a state."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """The function that returns a key's result."""
        return self._finalize_func


def reduced(source: Dataset, key_func: Any, reducer: Reducer) -> Dataset:
    """The dataset for `group_by_reducer`."""
    name, spec = "tf.data.experimental.group_by_reducer()", source.element_spec
    key = traced_number(key_func, spec, name, "key_func", dtypes.int64)
    begin = traced(reducer.init_func, KEY, name, "init_func")
    step, state = traced_with_state(reducer.reduce_func, begin.result, spec, name, "reduce_func")
    finish = traced(reducer.finalize_func, state, name, "finalize_func")
    return ReducedDataset(source, key, begin, step, finish)


class ReducedDataset(UnaryDataset):
    """One result for each key, in the order of the keys."""

    def __init__(self, source: Dataset, *functions: ElementFunction) -> None:
        super().__init__(source)
        self._functions = functions

    def _cursor(self, context: Context) -> Cursor:
        calls = [guarded(context.caller(function)) for function in self._functions]
        return ReducedCursor(self._input._cursor(context), calls)

    def _make_spec(self) -> Any:
        return self._functions[-1].result

    def _count(self) -> int:
        return UNKNOWN


def _results(
    elements: Cursor, key_of: _Call, begin: _Call, step: _Call, finish: _Call
) -> list[Any]:
    """The results for all keys, in the keys' order."""
    states: dict[int, Any] = {}
    for element in elements:
        key = int(key_of(element))
        if key not in states:
            states[key] = begin(_core.convert(key, dtypes.int64, None))
        states[key] = step((states[key], element))
    return [finish(states[key]) for key in sorted(states)]


class ReducedCursor(Cursor):
    """Reads all elements, then yields the results."""

    __slots__ = ("_at", "_calls", "_input", "_results")

    def __init__(self, source: Cursor, calls: list[_Call]) -> None:
        self._input = source
        self._calls = calls
        self._results: Cursor | None = None
        self._at = 0

    def __next__(self) -> Any:
        if self._results is None:
            self._results = list_cursor(_results(self._input, *self._calls))
        self._at += 1
        return next(self._results)

    def state(self) -> int:
        return self._at

    def restore(self, state: Any) -> None:
        self.skip(state)
