"""Transformations that choose elements by their position: take, skip, shard, repeat."""

from __future__ import annotations

from typing import Any

from eagerflow.data.arguments import INFINITE, UNKNOWN, integer, invalid
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.data.dataset import Dataset, UnaryDataset


class TakeDataset(UnaryDataset):
    """The first elements; all of them if the count is negative."""

    def __init__(self, source: Dataset, count: Any) -> None:
        super().__init__(source)
        self._limit = integer(count, "count")

    def _cursor(self, context: Context) -> Cursor:
        if self._limit < 0:
            return self._input._cursor(context)
        return TakeCursor(self._input._cursor(context), self._limit)

    def _count(self) -> int:
        count = self._input._count()
        if self._limit < 0:
            return count
        if count == INFINITE:
            return self._limit
        if count == UNKNOWN:
            return UNKNOWN
        return min(count, self._limit)

    def _details(self) -> str:
        return str(self._limit)


class TakeCursor(InputCursor):
    """Counts down."""

    __slots__ = ("_left",)

    def __init__(self, source: Cursor, count: int) -> None:
        self._input = source
        self._left = count

    def __next__(self) -> Any:
        if self._left <= 0:
            raise StopIteration
        element = next(self._input)
        self._left -= 1
        return element

    def state(self) -> object:
        return {"input": self._input.state(), "left": self._left}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._left = state["left"]


class SkipDataset(UnaryDataset):
    """The elements after the first ones; none if the count is negative."""

    def __init__(self, source: Dataset, count: Any) -> None:
        super().__init__(source)
        self._skipped = integer(count, "count")

    def _cursor(self, context: Context) -> Cursor:
        source = self._input._cursor(context)
        if self._skipped < 0:
            return TakeCursor(source, 0)
        return SkipCursor(source, self._skipped)

    def _count(self) -> int:
        count = self._input._count()
        if count < 0:
            return count
        return 0 if self._skipped < 0 else max(0, count - self._skipped)

    def _details(self) -> str:
        return str(self._skipped)


class SkipCursor(InputCursor):
    """Skips the first elements when the first one is requested."""

    __slots__ = ("_skipped",)

    def __init__(self, source: Cursor, count: int) -> None:
        self._input = source
        self._skipped = count

    def __next__(self) -> Any:
        if self._skipped:
            self._input.skip(self._skipped)
            self._skipped = 0
        return next(self._input)

    def state(self) -> object:
        return {"input": self._input.state(), "skipped": self._skipped}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._skipped = state["skipped"]


class ShardDataset(UnaryDataset):
    """Each n-th element."""

    def __init__(self, source: Dataset, num_shards: Any, index: Any) -> None:
        super().__init__(source)
        self._shards = integer(num_shards, "num_shards")
        self._index = integer(index, "index")
        if self._shards < 1:
            raise invalid(
                f"Number of shards must be greater than zero (currently num_shards = {self._shards})."
            )
        if self._index < 0 or self._index >= self._shards:
            raise invalid(
                f"Index must be between 0 and {self._shards - 1} (currently index = {self._index})."
            )

    def _cursor(self, context: Context) -> Cursor:
        return ShardCursor(self._input._cursor(context), self._shards, self._index)

    def _count(self) -> int:
        count = self._input._count()
        return count if count < 0 else len(range(self._index, count, self._shards))

    def _details(self) -> str:
        return f"{self._index} of {self._shards}"


class ShardCursor(InputCursor):
    """Skips the elements of the other shards."""

    __slots__ = ("_before", "_shards")

    def __init__(self, source: Cursor, shards: int, index: int) -> None:
        self._input = source
        self._shards = shards
        self._before = index

    def __next__(self) -> Any:
        self._input.skip(self._before)
        self._before = 0
        element = next(self._input)
        self._before = self._shards - 1
        return element

    def state(self) -> object:
        return {"input": self._input.state(), "before": self._before}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._before = state["before"]


class RepeatDataset(UnaryDataset):
    """The elements repeated."""

    def __init__(self, source: Dataset, count: Any) -> None:
        super().__init__(source)
        times = -1 if count is None else integer(count, "count")
        self._times = -1 if times < 0 else times

    @property
    def _begins_another(self) -> bool:
        """Whether a pass over the input is begun, but not read, after the last one.

        TensorFlow does so, which draws the next seeds of the shuffles before. A shuffle that is
        repeated itself is one dataset with its repetition there, and begins none.
        """
        return self._times > 1 and not self._input._repeats_itself

    def _cursor(self, context: Context) -> Cursor:
        return RepeatCursor(self._input, context, self._times, self._begins_another)

    def _count(self) -> int:
        count = self._input._count()
        if self._times < 0:
            return 0 if count == 0 else INFINITE
        if self._times == 0:
            return 0
        return count if count < 0 else count * self._times

    def _details(self) -> str:
        return "" if self._times < 0 else str(self._times)


class RepeatCursor(Cursor):
    """Reads the input from its start whenever it has ended."""

    __slots__ = ("_begins_another", "_context", "_dataset", "_empty", "_epoch", "_input", "_times")

    def __init__(
        self, dataset: Dataset, context: Context, times: int, begins_another: bool
    ) -> None:
        self._dataset = dataset
        self._context = context
        self._times = times
        self._begins_another = begins_another
        self._epoch = 0
        self._empty = True
        self._input: Cursor | None = dataset._cursor(context) if times else None

    def __next__(self) -> Any:
        while self._input is not None:
            try:
                element = next(self._input)
            except StopIteration:
                self._next_epoch()
            else:
                self._empty = False
                return element
        raise StopIteration

    def _next_epoch(self) -> None:
        self._epoch += 1
        self._input = None
        if (self._times < 0 and not self._empty) or self._epoch < self._times:
            self._input = self._dataset._cursor(self._context)
        elif self._begins_another:
            self._dataset._cursor(self._context)

    def state(self) -> object:
        position = None if self._input is None else self._input.state()
        return {"epoch": self._epoch, "empty": self._empty, "input": position}

    def restore(self, state: Any) -> None:
        self._epoch, self._empty = state["epoch"], state["empty"]
        if state["input"] is None:
            self._input = None
            return
        self._input = self._dataset._cursor(self._context)
        self._input.restore(state["input"])
