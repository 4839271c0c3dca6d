"""Transformations that look at one element at a time: map, filter, scan and their like."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from eagerflow import _core, errors
from eagerflow.data import structure
from eagerflow.data.arguments import AUTOTUNE, INFINITE, UNKNOWN, integer, invalid
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, InputCursor, ReadingCursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.functions import (
    Debugging,
    ElementFunction,
    Place,
    guarded,
    not_the_end,
    traced,
    traced_with_state,
)
from eagerflow.data.parallel import AdaptiveMapCursor, ParallelMapCursor, is_native
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.typing import Structure

Tensor = _core.Tensor


class FunctionDataset(UnaryDataset):
    """The base of datasets whose elements are the results of a function of the program."""

    def __init__(self, source: Dataset, function: ElementFunction) -> None:
        super().__init__(source)
        self._function = function

    def _make_spec(self) -> Structure:
        return self._function.result

    def _details(self) -> str:
        return self._function.description


class MapDataset(FunctionDataset):
    """The results of a function for each element."""

    def _cursor(self, context: Context) -> Cursor:
        return self._over(self._input._cursor(context), context)

    def _is_map(self) -> bool:
        return True

    def _over(self, source: Cursor, context: Context) -> Cursor:
        """The cursor that calls the function in this thread, with the elements of another cursor."""
        return MapCursor(source, context.caller(self._function), context.place(self))


class ParallelMapDataset(MapDataset):
    """The results of a function for each element, computed by worker threads."""

    def __init__(
        self, source: Dataset, function: ElementFunction, calls: int, deterministic: bool | None
    ) -> None:
        super().__init__(source, function)
        self._calls = calls
        self._deterministic = deterministic

    def _cursor(self, context: Context) -> Cursor:
        ordered = context.deterministic if self._deterministic is None else self._deterministic
        source = self._input._cursor(context)
        function = context.caller(self._function)
        calls = context.threads if self._calls == AUTOTUNE else self._calls
        # The program cannot see which thread computes, unless its Python code runs there.
        if self._calls == AUTOTUNE or is_native(function):
            return AdaptiveMapCursor(source, function, calls, ordered, self, context.place(self))
        return ParallelMapCursor(source, function, calls, ordered, self, context.place(self))

    def _how(self) -> str:
        if self._calls == AUTOTUNE:
            return "worker threads, if calls are slow"
        calls = f"{self._calls} worker thread{'s' if self._calls > 1 else ''}"
        return f"{calls}, if they run Python or are slow"


def mapped(
    source: Dataset, function: Any, num_parallel_calls: Any, deterministic: bool | None
) -> Dataset:
    """The dataset for `Dataset.map`."""
    function = traced(function, source.element_spec, "Dataset.map()")
    if not any(leaf.flatten() for leaf in structure.flatten(function.result)):
        raise invalid("The function of `map` must return at least one tensor.")
    if num_parallel_calls is None or Debugging.enabled:
        return MapDataset(source, function)
    calls = integer(num_parallel_calls, "num_parallel_calls")
    if calls < 1 and calls != AUTOTUNE:
        raise invalid("num_parallel_calls must be greater than zero.")
    return ParallelMapDataset(source, function, calls, deterministic)


class MapCursor(_core.MapReader, ReadingCursor):
    """Calls the function with each element."""

    __slots__ = ("_place",)

    def __init__(self, source: Cursor, function: Callable[[Any], Any], place: Place) -> None:
        super().__init__(source, function)
        self._place = place

    def _error_of(self, error: BaseException) -> BaseException:
        return not_the_end(error, errors.InvalidArgumentError, self._place)


class FilterDataset(UnaryDataset):
    """The elements for which a predicate holds."""

    def __init__(self, source: Dataset, predicate: ElementFunction) -> None:
        super().__init__(source)
        self._predicate = predicate

    def _cursor(self, context: Context) -> Cursor:
        predicate = guarded(context.caller(self._predicate), place=context.place(self))
        return FilterCursor(self._input._cursor(context), predicate)

    def _count(self) -> int:
        return UNKNOWN

    def _details(self) -> str:
        return self._predicate.description


class FilterCursor(InputCursor):
    """Yields the elements that satisfy the predicate."""

    __slots__ = ("_predicate",)

    def __init__(self, source: Cursor, predicate: Callable[[Any], Any]) -> None:
        self._input = source
        self._predicate = predicate

    def __next__(self) -> Structure:
        predicate = self._predicate
        for element in self._input:
            if predicate(element):
                return element
        raise StopIteration


class EnumerateDataset(UnaryDataset):
    """Pairs of an index and the element."""

    _public_name = "_ZipDataset"

    def __init__(self, source: Dataset, start: Any) -> None:
        super().__init__(source)
        self._start = integer(start, "start")

    def _cursor(self, context: Context) -> Cursor:
        return EnumerateCursor(self._input._cursor(context), self._start)

    def _make_spec(self) -> Structure:
        return (TensorSpec([], dtypes.int64), self._input.element_spec)


class EnumerateCursor(InputCursor):
    """Counts the elements."""

    __slots__ = ("_number",)

    def __init__(self, source: Cursor, start: int) -> None:
        self._input = source
        self._number = start

    def __next__(self) -> Structure:
        number = self._number
        try:
            element = next(self._input)
        finally:
            self._number = number + 1
        return (_core.convert(number, dtypes.int64, None), element)

    def state(self) -> object:
        return {"input": self._input.state(), "number": self._number}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._number = state["number"]


def scanned(source: Dataset, initial_state: Structure, function: Any) -> Dataset:
    """The dataset for `Dataset.scan`."""
    state = structure.strengthened(structure.normalize(initial_state))
    function, _ = traced_with_state(
        function,
        structure.spec_of(state),
        source.element_spec,
        "Dataset.scan()",
        "scan_func",
        _state_of_pair,
    )
    return ScanDataset(source, state, function)


def _state_of_pair(result: Structure) -> Any:
    if type(result) is not tuple or len(result) != 2:
        raise TypeError(
            "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the "
            f"output value but its return type is {result}."
        )
    return result[0]


class ScanDataset(UnaryDataset):
    """The outputs of a function of each element and a state."""

    def __init__(self, source: Dataset, initial: Any, function: ElementFunction) -> None:
        super().__init__(source)
        self._function = function
        self._initial = initial

    def _cursor(self, context: Context) -> Cursor:
        function = context.caller(self._function)
        return ScanCursor(self._input._cursor(context), self._initial, function)

    def _make_spec(self) -> Structure:
        return self._function.result[1]


class ScanCursor(InputCursor):
    """Passes the state from element to element."""

    __slots__ = ("_function", "_state")

    def __init__(self, source: Cursor, initial: Any, function: Callable[[Any], Any]) -> None:
        self._input = source
        self._state = initial
        self._function = function

    def __next__(self) -> Structure:
        element = next(self._input)
        try:
            self._state, output = self._function((self._state, element))
        except (StopIteration, errors.OutOfRangeError) as error:
            raise not_the_end(error, errors.InvalidArgumentError) from error
        return output

    def state(self) -> object:
        return {"input": self._input.state(), "state": structure.flatten(self._state)}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._state = structure.pack(self._state, state["state"])


class TakeWhileDataset(UnaryDataset):
    """The elements up to the first for which a predicate fails."""

    def __init__(self, source: Dataset, predicate: ElementFunction) -> None:
        super().__init__(source)
        self._predicate = predicate

    def _cursor(self, context: Context) -> Cursor:
        return TakeWhileCursor(self._input._cursor(context), context.caller(self._predicate))

    def _count(self) -> int:
        return UNKNOWN


class TakeWhileCursor(InputCursor):
    """Yields elements until the predicate is false."""

    __slots__ = ("_ended", "_predicate")

    def __init__(self, source: Cursor, predicate: Callable[[Any], Any]) -> None:
        self._input = source
        self._predicate = guarded(predicate)
        self._ended = False

    def __next__(self) -> Structure:
        if self._ended:
            raise StopIteration
        element = next(self._input)
        if self._predicate(element):
            return element
        self._ended = True
        raise StopIteration

    def state(self) -> object:
        return {"input": self._input.state(), "ended": self._ended}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._ended = state["ended"]


class IgnoreErrorsDataset(UnaryDataset):
    """The elements that are computed without an error."""

    def __init__(self, source: Dataset, log_warning: bool) -> None:
        super().__init__(source)
        self._log_warning = log_warning

    def _cursor(self, context: Context) -> Cursor:
        return IgnoreErrorsCursor(self._input._cursor(context), self._log_warning)

    def _count(self) -> int:
        return UNKNOWN


class IgnoreErrorsCursor(InputCursor):
    """Goes on after an operation's error."""

    __slots__ = ("_log_warning",)

    def __init__(self, source: Cursor, log_warning: bool) -> None:
        self._input = source
        self._log_warning = log_warning

    def __next__(self) -> Structure:
        while True:
            try:
                return next(self._input)
            except errors.OpError as error:
                if self._log_warning:
                    print(f"Error raised with error message {error}", file=sys.stderr)


class UniqueDataset(UnaryDataset):
    """The elements without those that came before."""

    def __init__(self, source: Dataset) -> None:
        super().__init__(source)
        leaves = structure.flatten(source.element_spec)
        for leaf in leaves:
            _check_unique(leaf)
        if len(leaves) != 1 or not isinstance(leaves[0], TensorSpec):
            raise invalid("tf.data.Dataset.unique takes elements that are one tensor each.")

    def _cursor(self, context: Context) -> Cursor:
        return UniqueCursor(self._input._cursor(context))

    def _count(self) -> int:
        return UNKNOWN


def _check_unique(leaf: Any) -> None:
    names = ("int32", "int64", "string")
    if getattr(getattr(leaf, "dtype", None), "name", None) not in names:
        raise TypeError(
            "`tf.data.Dataset.unique` does not support type "
            f"{getattr(leaf, 'dtype', leaf)!r} -- only `tf.int32`, `tf.int64`, and `tf.string` are "
            "supported."
        )


class UniqueCursor(InputCursor):
    """Keeps the set of elements it has yielded."""

    __slots__ = ("_keys", "_seen")

    def __init__(self, source: Cursor) -> None:
        self._input = source
        self._seen: set[Any] = set()

    def __next__(self) -> Structure:
        for element in self._input:
            leaf = structure.flatten(element)[0]
            _check_unique(leaf)
            key = _key_of(leaf)
            if key not in self._seen:
                self._seen.add(key)
                return element
        raise StopIteration

    def state(self) -> object:
        return {"input": self._input.state(), "seen": [list(key) for key in self._seen]}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._seen = {_frozen(key) for key in state["seen"]}


def _key_of(tensor: Tensor) -> tuple[Any, ...]:
    if tensor.dtype is dtypes.string:
        values: Any = tensor.numpy()
        flat = tuple(values.ravel().tolist()) if tensor.ndim else (values,)
        return (tuple(tensor._shape_tuple()), flat)
    return (tuple(tensor._shape_tuple()), tensor.numpy().tobytes())


def _frozen(key: object) -> Any:
    return tuple(_frozen(part) for part in key) if isinstance(key, (list, tuple)) else key


class AssertCardinalityDataset(UnaryDataset):
    """The same elements; their count is declared, and checked at the end."""

    def __init__(self, source: Dataset, expected: Any) -> None:
        super().__init__(source)
        self._expected = integer(expected, "expected_cardinality")

    def _cursor(self, context: Context) -> Cursor:
        return AssertCardinalityCursor(self._input._cursor(context), self._expected)

    def _count(self) -> int:
        return self._expected


class AssertCardinalityCursor(InputCursor):
    """Counts the elements, and raises if the count is wrong; after the end once."""

    __slots__ = ("_ended", "_expected", "_number")

    def __init__(self, source: Cursor, expected: int) -> None:
        self._input = source
        self._expected = expected
        self._number = 0
        self._ended = False

    def __next__(self) -> Structure:
        if self._ended:
            raise StopIteration
        try:
            element = next(self._input)
        except StopIteration:
            self._ended = True
            if self._number != self._expected and self._expected != UNKNOWN:
                raise errors.FailedPreconditionError._of(
                    f"Input dataset was expected to contain {self._text()} but "
                    f"contained only {self._number} element{'s' if self._number != 1 else ''}."
                ) from None
            raise
        self._number += 1
        if self._number > self._expected >= 0:
            raise errors.FailedPreconditionError._of(
                f"Input dataset was expected to contain {self._text()} but contained at least "
                f"{self._number} element{'s' if self._number != 1 else ''}."
            )
        return element

    def _text(self) -> str:
        if self._expected == INFINITE:
            return "an infinite number of elements"
        return f"{self._expected} element{'s' if self._expected != 1 else ''}"

    def state(self) -> object:
        return {"input": self._input.state(), "number": self._number, "ended": self._ended}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._number, self._ended = state["number"], state["ended"]
