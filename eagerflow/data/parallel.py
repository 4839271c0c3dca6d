"""Worker threads: elements that are made ahead of the program, in bounded numbers.

A worker holds on to what it works with, but never to the cursor that the program reads. When that
cursor goes away, however half-way it is, its workers are told to stop, and end.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.cursor import Cursor, caller_of, pack_elements, unpack_elements
from eagerflow.data.dataset import Dataset

Tensor = _core.Tensor

# The teams of workers that are alive; the interpreter must not end under their feet.
_teams: weakref.WeakSet = weakref.WeakSet()


class Slot:
    """The place of one element in a queue: there, or still being made."""

    __slots__ = ("done", "error", "value")

    def __init__(self) -> None:
        self.done = False
        self.value: Any = None
        self.error: BaseException | None = None

    def result(self) -> Any:
        """The element, or the error that came instead."""
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return self.value


class Team:
    """Threads that fill a bounded queue from one cursor.

    Args:
        source: where the elements come from; one worker at a time reads it.
        make: what is done to each element, or None.
        workers: the number of threads.
        room: how many elements may be ready or in the making.
        ordered: whether elements leave in the order in which they came.
    """

    def __init__(
        self,
        source: Cursor,
        make: Callable[[Any], Any] | None,
        workers: int,
        room: int,
        ordered: bool,
    ) -> None:
        self.source = source
        self.make = make
        self.room = room
        self.ordered = ordered
        self.slots: deque[Slot] = deque()
        # A garbage collection in a worker may cancel the worker's own team.
        self.lock = threading.RLock()
        self.reading = threading.Lock()
        self.ready = threading.Condition(self.lock)
        self.space = threading.Condition(self.lock)
        self.cancelled = False
        self.ended = False
        self.paused = False
        self.busy = 0
        self.threads = [
            threading.Thread(target=_work, args=(self,), name="eagerflow-data", daemon=True)
            for _ in range(workers)
        ]
        self.started = False

    def start(self) -> None:
        """Sets the workers to work."""
        if self.started:
            return
        self.started = True
        _teams.add(self)
        for thread in self.threads:
            thread.start()

    def cancel(self) -> None:
        """Tells the workers to end."""
        with self.lock:
            self.cancelled = True
            self.slots.clear()
            self.space.notify_all()
            self.ready.notify_all()

    def next(self) -> Any:
        """The next element; waits until there is one."""
        if not self.started:
            self.start()
        with self.lock:
            while True:
                slot = self._take()
                if slot is not None:
                    break
                if self.ended and not self.slots:
                    raise StopIteration
                self.ready.wait()
            self.space.notify()
        return slot.result()

    def _take(self) -> Slot | None:
        slots = self.slots
        if not slots:
            return None
        if slots[0].done:
            return slots.popleft()
        if not self.ordered:
            for index, slot in enumerate(slots):
                if slot.done:
                    del slots[index]
                    return slot
        return None

    def hold(self) -> list[Slot]:
        """Waits until no worker is at work, and keeps it so; gives what is ready."""
        with self.lock:
            self.paused = True
            while self.busy:
                self.ready.wait()
            return list(self.slots)

    def go_on(self) -> None:
        """Ends what `hold` began."""
        with self.lock:
            self.paused = False
            self.space.notify_all()


def _work(team: Team) -> None:
    """The life of a worker."""
    while True:
        with team.reading:
            slot = Slot()
            with team.lock:
                while (len(team.slots) >= team.room or team.paused) and not team.cancelled:
                    team.space.wait()
                if team.cancelled or team.ended:
                    return
                team.busy += 1
            element = _read(team, slot)
        if element is not _NOTHING:
            try:
                slot.value = element if team.make is None else team.make(element)
            except BaseException as error:
                slot.error = error
        element = None
        with team.lock:
            slot.done = True
            team.busy -= 1
            team.ready.notify()


_NOTHING = object()


def _read(team: Team, slot: Slot) -> Any:
    """Reads an element and gives it its place in the queue."""
    try:
        element = next(team.source)
    except StopIteration:
        with team.lock:
            team.ended = True
            team.space.notify_all()
        return _NOTHING
    except BaseException as error:
        slot.error = error
        element = _NOTHING
    with team.lock:
        if not team.cancelled:
            team.slots.append(slot)
    return element


@atexit.register
def _end_all() -> None:
    """Ends the workers before the interpreter does."""
    teams = list(_teams)
    for team in teams:
        team.cancel()
    deadline = time.monotonic() + 5
    for team in teams:
        for thread in team.threads:
            if thread.is_alive():
                thread.join(max(0.0, deadline - time.monotonic()))


class TeamCursor(Cursor):
    """The base of cursors that have a team of workers."""

    __slots__ = ("_dataset", "_team")

    def __init__(self, team: Team, dataset: Dataset) -> None:
        self._team = team
        self._dataset = dataset
        weakref.finalize(self, team.cancel).atexit = False

    def __next__(self) -> Any:
        return self._team.next()

    def start(self) -> None:
        """Lets the workers begin before the first element is asked for."""
        self._team.start()

    def state(self) -> Any:
        team = self._team
        slots = team.hold()
        try:
            for slot in slots:
                if slot.error is not None:
                    raise slot.error
            return {
                "input": team.source.state(),
                "ended": team.ended,
                "ready": pack_elements([slot.value for slot in slots]),
            }
        finally:
            team.go_on()

    def restore(self, state: Any) -> None:
        team = self._team
        team.source.restore(state["input"])
        team.ended = state["ended"]
        like = self._dataset.element_spec if state["ready"] else None
        for element in unpack_elements(like, state["ready"]):
            slot = Slot()
            slot.value, slot.done = element, True
            team.slots.append(slot)


class PrefetchCursor(TeamCursor):
    """Reads ahead in a thread of its own."""

    __slots__ = ()

    def __init__(self, source: Cursor, room: int, dataset: Dataset) -> None:
        super().__init__(Team(source, None, 1, room, True), dataset)


class ParallelMapCursor(TeamCursor):
    """Calls a function in several threads."""

    __slots__ = ()

    def __init__(
        self, source: Cursor, function: Callable, workers: int, ordered: bool, dataset: Dataset
    ) -> None:
        team = Team(source, mapping(function), workers, 8 * workers, ordered)
        super().__init__(team, dataset)


def mapping(function: Callable) -> Callable[[Any], Any]:
    """What a worker does to an element."""
    call = caller_of(function)

    def make(element: Any) -> Any:
        try:
            value = call(element)
        except StopIteration as error:
            raise RuntimeError("The function given to map() raised StopIteration.") from error
        return value if type(value) is Tensor else structure.normalize_result(value)

    return make


class AdaptiveMapCursor(Cursor):
    """Calls a function here while it is quick, and in worker threads once it proves slow.

    Handing an element from thread to thread costs some ten microseconds, so that quick functions
    are faster without.
    """

    __slots__ = (
        "_calls",
        "_dataset",
        "_function",
        "_input",
        "_make",
        "_ordered",
        "_seconds",
        "_team",
        "_workers",
    )

    # Calls that are timed, and how long they must take on average to be worth threads.
    _TRIALS = 8
    _SLOW_SECONDS = 2e-4

    def __init__(
        self, source: Cursor, function: Callable, workers: int, ordered: bool, dataset: Dataset
    ) -> None:
        self._input = source
        self._function = function
        self._make = mapping(function)
        self._workers = workers
        self._ordered = ordered
        self._dataset = dataset
        self._calls = 0
        self._seconds = 0.0
        self._team: ParallelMapCursor | None = None

    def __next__(self) -> Any:
        if self._team is not None:
            return next(self._team)
        element = next(self._input)
        if self._calls >= self._TRIALS:
            return self._make(element)
        begin = time.perf_counter()
        value = self._make(element)
        # The first call may pay for much that later ones do not.
        if self._calls:
            self._seconds += time.perf_counter() - begin
        self._calls += 1
        if self._calls == self._TRIALS:
            if self._seconds > self._SLOW_SECONDS * (self._TRIALS - 1) and self._workers > 1:
                self._hire()
        return value

    def _hire(self) -> ParallelMapCursor:
        self._team = ParallelMapCursor(
            self._input, self._function, self._workers, self._ordered, self._dataset
        )
        return self._team

    def state(self) -> Any:
        if self._team is not None:
            return {"team": self._team.state()}
        return {"input": self._input.state()}

    def restore(self, state: Any) -> None:
        if "team" in state:
            self._hire().restore(state["team"])
        else:
            self._input.restore(state["input"])
