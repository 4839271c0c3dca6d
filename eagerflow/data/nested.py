"""Transformations whose functions make datasets: flat_map and interleave."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from eagerflow import _core, errors
from eagerflow.data import structure
from eagerflow.data.arguments import AUTOTUNE, INFINITE, UNKNOWN, integer, invalid, positive
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, pack_elements, unpack_elements
from eagerflow.data.dataset import Dataset, DatasetSpec
from eagerflow.data.elementwise import FunctionDataset
from eagerflow.data.functions import (
    Debugging,
    ElementFunction,
    guarded,
    not_the_end,
    traced,
    traced_number,
)
from eagerflow.data.parallel import PrefetchCursor
from eagerflow.data.sources import GroupDataset
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.typing import Structure


def traced_opener(function: Any, spec: Structure, used_by: str) -> ElementFunction:
    """A function of the program that returns a dataset for an element.

    Raises:
        TypeError: if it returns something else.
    """
    mapper = traced(function, spec, used_by, "map_func")
    if not isinstance(mapper.result, DatasetSpec):
        kind = getattr(mapper.result, "value_type", type(mapper.result))
        raise TypeError(f"The `map_func` argument must return a `Dataset` object. Got {kind!r}.")
    return mapper


class NestingDataset(FunctionDataset):
    """The base of datasets whose function makes datasets."""

    def _count(self) -> int:
        return UNKNOWN

    def _make_spec(self) -> Structure:
        return self._function.result.element_spec


class FlatMapDataset(NestingDataset):
    """The elements of one dataset after the other."""

    def _cursor(self, context: Context) -> Cursor:
        source = self._input._cursor(context)
        function = guarded(context.caller(self._function), place=context.place(self))
        return FlatMapCursor(source, function, context, self._input)


class FlatMapCursor(Cursor):
    """Opens a dataset whenever the one before has ended."""

    __slots__ = ("_call", "_context", "_dataset", "_element", "_inner", "_input")

    def __init__(
        self, source: Cursor, function: Callable[[Any], Any], context: Context, dataset: Dataset
    ) -> None:
        self._input = source
        self._call = function
        self._context = context
        self._dataset = dataset
        self._element: Any = None
        self._inner: Cursor | None = None

    def __next__(self) -> Structure:
        while True:
            if self._inner is None:
                self._element = next(self._input)
                self._inner = self._call(self._element)._cursor(self._context)
            try:
                return next(self._inner)
            except StopIteration:
                self._inner = None

    def state(self) -> object:
        if self._inner is None:
            return {"input": self._input.state(), "element": None, "inner": None}
        return {
            "input": self._input.state(),
            "element": structure.flatten(self._element),
            "inner": self._inner.state(),
        }

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._inner = None
        if state["element"] is not None:
            self._element = structure.pack(self._dataset.element_spec, state["element"])
            self._inner = self._call(self._element)._cursor(self._context)
            self._inner.restore(state["inner"])


class InterleaveDataset(NestingDataset):
    """The elements of several datasets by turns."""

    _threads = 0

    def __init__(self, source: Dataset, function: ElementFunction, cycle: int, block: int) -> None:
        super().__init__(source, function)
        self._cycle = cycle
        self._block = block

    def _cursor(self, context: Context) -> Cursor:
        return InterleaveCursor(self, context, self._threads)

    def _details(self) -> str:
        return f"{super()._details()}, cycle_length={self._cycle}, block_length={self._block}"


class ParallelInterleaveDataset(InterleaveDataset):
    """The elements of several datasets by turns, read ahead by threads."""

    def __init__(
        self, source: Dataset, function: ElementFunction, cycle: int, block: int, threads: int
    ) -> None:
        super().__init__(source, function, cycle, block)
        self._threads = threads

    def _count(self) -> int:
        return INFINITE if self._input._count() == INFINITE else UNKNOWN

    def _how(self) -> str:
        if self._threads == AUTOTUNE:
            return "worker threads, if reading is slow"
        return f"up to {min(self._threads, self._cycle)} worker threads"


def interleaved(
    source: Dataset,
    function: Any,
    cycle_length: Any,
    block_length: Any,
    num_parallel_calls: Any,
    deterministic: bool | None,
) -> Dataset:
    """The dataset for `Dataset.interleave`."""
    function = traced_opener(function, source.element_spec, "Dataset.interleave()")
    block = 1 if block_length is None else positive(block_length, "block_length")
    cycle = AUTOTUNE if cycle_length is None else integer(cycle_length, "cycle_length")
    if cycle < 1 and cycle != AUTOTUNE:
        raise invalid("cycle_length must be greater than zero.")
    if num_parallel_calls is None or Debugging.enabled:
        cycle = _core.default_threads() if cycle == AUTOTUNE else cycle
        return InterleaveDataset(source, function, cycle, block)
    threads = integer(num_parallel_calls, "num_parallel_calls")
    if threads < 1 and threads != AUTOTUNE:
        raise invalid("num_parallel_calls must be greater than zero.")
    if cycle == AUTOTUNE:
        # As many as TensorFlow reads at a time, which counts two more for each that it opens ahead.
        cores = _core.default_threads()
        cycle = -(-cores // 3) if threads == AUTOTUNE else min(threads, cores)
    elif threads > cycle:
        raise invalid(
            "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either "
            "`tf.data.AUTOTUNE` or a value less than or equal to `cycle_length`. However, "
            f"`num_parallel_calls` is {threads} and `cycle_length` is {cycle}"
        )
    return ParallelInterleaveDataset(source, function, cycle, block, threads)


_END = object()
# How many elements of an open dataset a thread reads ahead.
_AHEAD = 32


class _Open:
    """A dataset that is being read, and the element it was made from."""

    __slots__ = ("cursor", "element", "threaded")

    def __init__(self, element: Any, cursor: Any, threaded: bool) -> None:
        self.element = element
        self.cursor = cursor
        self.threaded = threaded

    def state(self) -> list[Any]:
        """The element, whether threads read, and the position."""
        failed = type(self.cursor) is _Failed
        leaves = None if failed else structure.flatten(self.element)
        return [leaves, self.threaded, self.cursor.state()]


class _Failed(Cursor):
    """Replaces a dataset that could not be made: raises the error instead of an element."""

    __slots__ = ("_error",)

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    def __next__(self) -> Structure:
        error, self._error = self._error, None
        if error is None:
            raise StopIteration
        try:
            raise error
        finally:
            # The error's traceback holds this frame: break the reference cycle.
            del error

    def state(self) -> Any:
        if self._error is not None:
            raise self._error

    def restore(self, state: object) -> None:
        pass


class InterleaveCursor(Cursor):
    """Takes a block from each open dataset in turn; a slot that becomes free is filled again.

    With threads, up to that many open datasets are read ahead. Under AUTOTUNE they are only once
    reading has proven slow. With threads, an error replaces an element or a dataset; without,
    it replaces none.
    """

    __slots__ = (
        "_block",
        "_call",
        "_context",
        "_cycle",
        "_dataset",
        "_ended",
        "_input",
        "_open",
        "_parallel",
        "_place",
        "_seconds",
        "_taken",
        "_threads",
        "_trials",
    )

    _TRIALS = 16
    _SLOW_SECONDS = 2e-4

    def __init__(self, dataset: InterleaveDataset, context: Context, threads: int) -> None:
        self._dataset = dataset._input
        self._input = dataset._input._cursor(context)
        self._call = guarded(context.caller(dataset._function), place=context.place(dataset))
        self._context = context
        self._cycle = dataset._cycle
        self._block = dataset._block
        self._open: list[_Open | None] = [None] * self._cycle
        self._place = 0
        self._taken = 0
        self._ended = False
        self._trials = self._TRIALS if threads == AUTOTUNE else 0
        self._seconds = 0.0
        self._threads = 0 if threads == AUTOTUNE else threads
        self._parallel = threads != 0

    def __next__(self) -> Structure:
        while True:
            current = self._open[self._place]
            if current is not None:
                try:
                    element = next(current.cursor) if not self._trials else self._timed(current)
                except StopIteration:
                    self._open[self._place] = None
                    self._advance()
                    continue
                except Exception:
                    if self._parallel:
                        self._count()
                    raise
                self._count()
                return element
            if not self._ended:
                self._fill()
            elif any(item is not None for item in self._open):
                self._advance()
            else:
                raise StopIteration

    def _count(self) -> None:
        self._taken += 1
        if self._taken == self._block:
            self._advance()

    def _fill(self) -> None:
        """Opens a dataset in this slot; if reading ahead, in all free slots."""
        for step in range(self._cycle if self._threads else 1):
            position = (self._place + step) % self._cycle
            if self._open[position] is None:
                try:
                    element = next(self._input, _END)
                    if element is _END:
                        self._ended = True
                        return
                    item = self._opened(element)
                except Exception as error:
                    if not self._parallel:
                        raise
                    item = _Open(None, _Failed(error), False)
                self._open[position] = item
                if item.threaded:
                    item.cursor.start()

    def _timed(self, current: _Open) -> Any:
        begin = time.perf_counter()
        element = next(current.cursor)
        self._seconds += time.perf_counter() - begin
        self._trials -= 1
        if not self._trials and self._seconds > self._TRIALS * self._SLOW_SECONDS:
            self._threads = self._context.threads
        return element

    def _opened(self, element: Structure) -> _Open:
        dataset = self._call(element)
        cursor: Any = dataset._cursor(self._context)
        threaded = sum(1 for item in self._open if item and item.threaded) < self._threads
        if threaded:
            cursor = PrefetchCursor(cursor, max(_AHEAD, self._block), dataset)
        return _Open(element, cursor, threaded)

    def _advance(self) -> None:
        self._taken = 0
        self._place = (self._place + 1) % self._cycle

    def state(self) -> object:
        states = [None if item is None else item.state() for item in self._open]
        return {
            "input": self._input.state(),
            "place": self._place,
            "taken": self._taken,
            "ended": self._ended,
            "open": states,
        }

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._place, self._taken, self._ended = state["place"], state["taken"], state["ended"]
        for slot, saved in enumerate(state["open"]):
            if saved is None:
                continue
            leaves, threaded, position = saved
            if leaves is None:
                self._open[slot] = _Open(None, _Failed(None), False)
                continue
            threads = self._threads
            self._threads = self._cycle if threaded else 0
            element = structure.pack(self._dataset.element_spec, leaves)
            opened_again = self._opened(element)
            self._threads = threads
            opened_again.cursor.restore(position)
            self._open[slot] = opened_again


KEY = TensorSpec([], dtypes.int64)


def grouped(source: Dataset, key_func: Any, reduce_func: Any, window_size_func: Any) -> Dataset:
    """The dataset for `Dataset.group_by_window`."""
    name, spec = "Dataset.group_by_window()", source.element_spec
    key = traced_number(key_func, spec, name, "key_func", dtypes.int64)
    windows = traced(reduce_func, (KEY, DatasetSpec(spec)), name, "reduce_func")
    if not isinstance(windows.result, DatasetSpec):
        raise TypeError(
            f"Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but "
            f"its return type is {windows.result}."
        )
    sizes = traced_number(window_size_func, KEY, name, "window_size_func", dtypes.int64)
    return GroupByWindowDataset(source, key, windows, sizes)


class GroupByWindowDataset(NestingDataset):
    """Windows of elements that have the same key, each made into a dataset by a function."""

    def __init__(
        self,
        source: Dataset,
        key: ElementFunction,
        windows: ElementFunction,
        sizes: ElementFunction,
    ) -> None:
        super().__init__(source, windows)
        self._key = key
        self._sizes = sizes

    def _count(self) -> int:
        return INFINITE if self._input._count() == INFINITE else UNKNOWN

    def _cursor(self, context: Context) -> Cursor:
        return GroupByWindowCursor(self, context)


def _key_tensor(key: int) -> _core.Tensor:
    return _core.convert(key, dtypes.int64, None)


class GroupByWindowCursor(Cursor):
    """Collects elements by key; a window that is full is made into a dataset and read."""

    __slots__ = (
        "_context",
        "_ended",
        "_groups",
        "_inner",
        "_input",
        "_key",
        "_owner",
        "_size_of",
        "_sizes",
        "_window",
        "_windows",
    )

    def __init__(self, owner: GroupByWindowDataset, context: Context) -> None:
        self._owner = owner
        self._context = context
        self._input = owner._input._cursor(context)
        self._key = context.caller(owner._key)
        self._size_of = guarded(context.caller(owner._sizes))
        self._windows = guarded(context.caller(owner._function))
        self._groups: dict[int, list[Any]] = {}
        self._sizes: dict[int, int] = {}
        self._ended = False
        self._inner: Cursor | None = None
        self._window: tuple[int, list[Any]] | None = None

    def __next__(self) -> Structure:
        while True:
            if self._inner is not None:
                try:
                    return next(self._inner)
                except StopIteration:
                    self._inner = None
            if self._ended:
                if not self._groups:
                    raise StopIteration
                self._flush(min(self._groups))
                continue
            try:
                element = next(self._input)
            except StopIteration:
                self._ended = True
                continue
            try:
                key = int(self._key(element))
            except (StopIteration, errors.OutOfRangeError) as error:
                raise not_the_end(error) from error
            if key not in self._sizes:
                self._sizes[key] = self._size_for(key)
            group = self._groups.setdefault(key, [])
            group.append(element)
            if len(group) == self._sizes[key]:
                self._flush(key)

    def _size_for(self, key: int) -> int:
        size = int(self._size_of(_key_tensor(key)))
        if size <= 0:
            raise invalid(f"Window size must be greater than zero, but got {size}.")
        return size

    def _flush(self, key: int) -> None:
        self._open_window(key, self._groups.pop(key))

    def _open_window(self, key: int, elements: list[Structure]) -> None:
        self._window = (key, elements)
        group = GroupDataset(elements, self._owner._input)
        dataset = self._windows((_key_tensor(key), group))
        self._inner = dataset._cursor(self._context)

    def state(self) -> object:
        window = None
        if self._inner is not None and self._window is not None:
            window = [self._window[0], pack_elements(self._window[1]), self._inner.state()]
        return {
            "input": self._input.state(),
            "ended": self._ended,
            "groups": [[key, pack_elements(group)] for key, group in self._groups.items()],
            "sizes": [list(item) for item in self._sizes.items()],
            "window": window,
        }

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._ended = state["ended"]
        like = self._owner._input.element_spec
        self._groups = {key: unpack_elements(like, flat) for key, flat in state["groups"]}
        self._sizes = dict(state["sizes"])
        if state["window"] is not None:
            key, flat, position = state["window"]
            self._open_window(key, unpack_elements(like, flat))
            assert self._inner is not None
            self._inner.restore(position)
