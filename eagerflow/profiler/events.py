"""What a profile notes: operations and named parts of the program, with times, memory and lines."""

from __future__ import annotations

import atexit
import functools
import re
import threading
import time
from typing import NamedTuple, cast

from eagerflow import _core
from eagerflow.debug.source_line import Line
from eagerflow.errors import AlreadyExistsError

# Tells the engine which files are the library's own, so that it finds the program's lines.
from eagerflow.framework import func_graph as func_graph

# What the engine returns: file, number and function; in a gradient, the forward line follows.
_RawLine = tuple[object, ...]

# Names of traced functions as nodes have them: "__inference_step_12".
_FUNCTION = re.compile(r"^__(?:inference|forward|backward)_(.+?)(?:_\d+)?$")


class Event(NamedTuple):
    """Something that ran on one thread.

    Attributes:
        name: TensorFlow's name of the operation; of several that ran as one, all names with commas
            between them; of a `Trace`, its name; of a function, its name.
        line: the line of the program; of a gradient, that of the operation it belongs to.
        gradient: whether it is part of a backward pass.
        thread: the thread's identifier, as `threading.get_ident` returns it.
        begin: nanoseconds since the profile began.
        duration: nanoseconds.
        inner: the part of `duration` in which other events ran inside.
        bytes: memory of tensors that it allocated, without events inside.
        details: what `Trace` was given; None for what is no `Trace`.
    """

    name: str
    line: Line | None
    gradient: bool
    thread: int
    begin: int
    duration: int
    inner: int
    bytes: int
    details: dict[str, str] | None

    @property
    def own(self) -> int:
        """Nanoseconds without the events inside."""
        return self.duration - self.inner


class Holder(NamedTuple):
    """An operation whose results were in memory when most memory was in use."""

    name: str
    line: Line | None
    bytes: int


class Recording(NamedTuple):
    """What one profile has noted.

    Attributes:
        events: the events in the order of their beginnings.
        holders: who held memory at the peak.
        begun: the value of `time.perf_counter()` when the profile began.
        wall: nanoseconds from begin to end.
        threads: names of threads by their identifiers.
    """

    events: list[Event]
    holders: list[Holder]
    begun: float
    wall: int
    threads: dict[int, str]


def with_details(name: str, details: dict[str, object]) -> str:
    """The name of a `Trace` in the engine: as in TensorFlow, its details follow between `#`."""
    return f"{name}#{','.join(f'{key}={value}' for key, value in details.items())}#"


def _parted(name: str) -> tuple[str, dict[str, str] | None]:
    if not name.endswith("#"):
        function = _FUNCTION.match(name)
        return (function[1] if function else name), None
    plain, _, text = name[:-1].partition("#")
    pairs = (pair.partition("=") for pair in text.split(",") if pair)
    return plain, {key: value for key, _, value in pairs}


@functools.cache
def _line(raw: _RawLine) -> Line:
    while len(raw) > 3:
        raw = cast("_RawLine", raw[3])
    return Line(*cast("tuple[str, int, str]", raw))


def _abandon() -> None:
    if _core.profiling():
        _core.end_profile()


class Recorder:
    """Notes what runs, on all threads, from `start` to `stop`. There is one at a time."""

    _lock = threading.Lock()

    def start(self) -> None:
        """Begins.

        Raises:
            tf.errors.AlreadyExistsError: if another profile runs.
        """
        with self._lock:
            if _core.profiling():
                raise AlreadyExistsError._of("Another profiler is running.")
            self._begun = time.perf_counter()
            _core.begin_profile()
            # What is noted has lines of Python, which are let go while there is an interpreter.
            atexit.register(_abandon)

    def stop(self) -> Recording:
        """Ends, and returns what was noted."""
        end = time.perf_counter()
        with self._lock:
            noted, holders = _core.end_profile()
            atexit.unregister(_abandon)
        origin = int(self._begun * 1e9)
        events = []
        for full, raw, gradient, thread, start, stop, inner, size in noted:
            name, details = _parted(full)
            gradient = gradient or (raw is not None and len(raw) > 3)
            events.append(
                Event(
                    name,
                    _line(raw) if raw else None,
                    gradient,
                    thread,
                    start - origin,
                    stop - start,
                    inner,
                    size,
                    details,
                )
            )
        events.sort(key=_place)
        held = [
            Holder(_parted(name)[0], _line(raw) if raw else None, size)
            for name, raw, size in holders
        ]
        threads = {each.ident: each.name for each in threading.enumerate() if each.ident}
        return Recording(events, held, self._begun, int((end - self._begun) * 1e9), threads)


def _place(event: Event) -> tuple[int, int]:
    return event.begin, -event.duration
