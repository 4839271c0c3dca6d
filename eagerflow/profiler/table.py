"""tf.profiler.profile: a table of what ran, for how long, in how much memory, from which line."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

from eagerflow import nest
from eagerflow.debug.source_line import Line
from eagerflow.framework.tensor import Tensor
from eagerflow.profiler.events import Event, Recorder, Recording
from eagerflow.util import lazy
from eagerflow.util.text import Listing

if TYPE_CHECKING:
    from eagerflow.util.pictures import Table

# Needed where a profile is written or shown.
files = lazy.Module("eagerflow.profiler.files")
pictures = lazy.Module("eagerflow.util.pictures")

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_WIDEST = 48  # characters of a cell


class Row(NamedTuple):
    """What one operation did for one line of the program.

    Attributes:
        name: TensorFlow's name of the operation; several that ran as one have commas between them.
        line: the line; in a gradient, that of the operation whose gradient it is. None: not known.
        gradient: whether it belongs to a backward pass.
        calls: how often it ran.
        own: milliseconds, without what ran inside.
        total: milliseconds with what ran inside.
        bytes: memory of tensors that it allocated, in all calls together.
    """

    name: str
    line: Line | None
    gradient: bool
    calls: int
    own: float
    total: float
    bytes: int


# How rows are ordered; the largest value comes first.
_ORDERS: dict[str, Callable[[Row], tuple[float, ...]]] = {
    "self": lambda row: (row.own,),
    "total": lambda row: (row.total,),
    "calls": lambda row: (row.calls, row.own),
    "memory": lambda row: (row.bytes, row.own),
}


class Profile:
    """A profile of the code in its `with` block, of all threads; `tf.profiler.profile` makes it.

    `print` shows the table, and a notebook shows it as HTML.
    """

    def __init__(self) -> None:
        self._recorder = Recorder()
        self._recording: Recording | None = None
        self.result: object = None

    def __enter__(self) -> Profile:
        self._recorder.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._recording = self._recorder.stop()

    def _recorded(self) -> Recording:
        if self._recording is None:
            raise RuntimeError(
                "The profile has not ended: read it after the `with` block of tf.profiler.profile()."
            )
        return self._recording

    @property
    def events(self) -> list[Event]:
        """All that ran, in the order in which it began."""
        return self._recorded().events

    def rows(self, sort_by: str = "self", limit: int | None = None) -> list[Row]:
        """The rows of the table.

        Args:
            sort_by: "self", "total", "calls" or "memory": the largest come first.
            limit: how many rows at most; None: all.

        Raises:
            ValueError: for another order.
        """
        if sort_by not in _ORDERS:
            raise ValueError(
                f"A profile is sorted by one of {', '.join(_ORDERS)}; got sort_by={sort_by!r}."
            )
        found = sorted(_rows(self.events), key=_ORDERS[sort_by], reverse=True)
        return found if limit is None else found[:limit]

    @property
    def peak(self) -> int:
        """The most memory in bytes that tensors of the profile held at the same time."""
        return sum(holder.bytes for holder in self._recorded().holders)

    def memory(self, limit: int | None = None) -> list[tuple[Line | None, int]]:
        """Who held memory when most was in use: lines of the program and bytes, largest first."""
        held: dict[Line | None, int] = {}
        for holder in self._recorded().holders:
            held[holder.line] = held.get(holder.line, 0) + holder.bytes
        found = sorted(held.items(), key=lambda entry: entry[1], reverse=True)
        return found if limit is None else found[:limit]

    def table(self, sort_by: str = "self", limit: int | None = 20) -> str:
        """The table as text, and below it who held memory at the peak.

        Args:
            sort_by: "self", "total", "calls" or "memory": the largest come first.
            limit: how many rows at most; None: all.
        """
        return Listing("\n\n".join(map(str, self._tables(sort_by, limit))))

    def _tables(self, sort_by: str = "self", limit: int | None = 20) -> list[Table]:
        rows = self.rows(sort_by)
        more = [] if limit is None or len(rows) <= limit else [f"... {len(rows) - limit} more rows"]
        cells = [_cells(row) for row in rows[:limit]]
        tables = [pictures.Table(_HEAD, cells, footer=[*more, self._summary()])]
        if held := [(_size(size), _shown(line)) for line, size in self.memory(limit)]:
            title = "Memory at the peak, by line"
            tables.append(pictures.Table(("memory", "line"), held, title))
        return tables

    def _summary(self) -> str:
        recording = self._recorded()
        own = sum(event.own for event in recording.events)
        threads = len({event.thread for event in recording.events})
        return (
            f"{len(recording.events)} events on {threads} thread{'s' * (threads != 1)}, "
            f"{own / 1e6:.3f} ms of {recording.wall / 1e6:.3f} ms; peak memory {_size(self.peak)}"
        )

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return object.__repr__(self) if self._recording is None else str(self)

    def _repr_html_(self) -> str | None:
        if self._recording is None:
            return None
        return "".join(table._html() for table in self._tables())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the timeline, which chrome://tracing and https://ui.perfetto.dev open.

        Args:
            path: the file; it is compressed if the name ends in `.gz`.
        """
        files.write_chrome_trace(self._recorded(), path)


def profile(
    function: Callable[..., object] | None = None, *args: object, **kwargs: object
) -> Profile:
    """Profiles a block of code, or a call of a function: which operations ran, how long, from where.

    The profile has a row for each operation and line of the program. Operations in functions made
    by `tf.function` belong to the lines that were traced, operations of a backward pass to the lines
    whose gradients they compute. Elementwise operations that ran as one are one row, with all names.
    Nothing is slower while no profile runs.

    Args:
        function: a function, which is called once; None: what the `with` block runs.
        *args: the function's arguments.
        **kwargs: its keyword arguments.

    Returns:
        A `Profile`. `print(profile)` shows the table, `table(sort_by, limit)` returns it, `rows()`
        has its values, `memory()` tells which lines held memory at the peak, and
        `save("trace.json")` writes the timeline for chrome://tracing and Perfetto. After a call of a
        function, `result` is what it returned.

    Raises:
        tf.errors.AlreadyExistsError: if another profile runs.

    >>> x = tf.ones([64, 64])
    >>> with tf.profiler.profile() as profile:
    ...     for _ in range(3):
    ...         y = x @ x
    >>> [(row.name, row.calls, row.bytes) for row in profile.rows()]
    [('MatMul', 3, 49152)]
    >>> float(tf.profiler.profile(tf.reduce_sum, x).result)
    4096.0
    """
    made = Profile()
    if function is None:
        return made
    with made:
        made.result = function(*args, **kwargs)
        # Deferred results are computed here, as part of the function.
        for value in nest.flatten(made.result, expand_composites=True):
            if isinstance(value, Tensor) and hasattr(value, "numpy"):
                value.numpy()
    return made


_Key = tuple[str, "Line | None", bool]


def _key(event: Event) -> _Key:
    return event.name, event.line, event.gradient


def _rows(events: Sequence[Event]) -> list[Row]:
    calls: dict[_Key, int] = {}
    own: dict[_Key, int] = {}
    total: dict[_Key, int] = {}
    size: dict[_Key, int] = {}
    open_events: dict[int, list[Event]] = {}
    for event in events:
        key = _key(event)
        outer = open_events.setdefault(event.thread, [])
        while outer and outer[-1].begin + outer[-1].duration <= event.begin:
            outer.pop()
        # What runs inside of its own kind, as in a recursion, is part of its time already.
        inside = any(_key(each) == key for each in outer)
        outer.append(event)
        calls[key] = calls.get(key, 0) + 1
        own[key] = own.get(key, 0) + event.own
        total[key] = total.get(key, 0) + (0 if inside else event.duration)
        size[key] = size.get(key, 0) + event.bytes
    return [Row(*key, calls[key], own[key] / 1e6, total[key] / 1e6, size[key]) for key in calls]


_HEAD = ("operation", "calls", "self ms", "total ms", "memory", "line")


def _cells(row: Row) -> tuple[str, ...]:
    name = f"gradient: {row.name}" if row.gradient else row.name
    numbers = (str(row.calls), f"{row.own:.3f}", f"{row.total:.3f}")
    return (_cut(name), *numbers, _size(row.bytes), _shown(row.line))


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _shown(line: Line | None) -> str:
    if line is None:
        return ""
    return _cut(f"{os.path.basename(line.file)}:{line.number} {line.text()}".rstrip())


def _size(size: float) -> str:
    if size < 1024:
        return f"{size} B" if size else "0"
    unit = 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.1f} {_UNITS[unit]}"
