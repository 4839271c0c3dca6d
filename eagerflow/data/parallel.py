"""Worker threads that compute a bounded number of elements ahead of the program.

A worker never holds a reference to the cursor that the program reads. When that cursor is deleted,
finished or not, its workers stop. When it is kept but not read, as in a traceback that an
interactive program keeps, idle workers end, and new ones start when it is read again.

Passing an element between threads costs as much as computing a small one. So cheap elements are
passed in blocks, and a reader that would wait while no worker is busy computes the next element
itself.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from eagerflow import _core, errors
from eagerflow.data.cursor import Cursor, Failure, pack_elements, unpack_elements
from eagerflow.data.dataset import Dataset
from eagerflow.data.functions import Place, guarded, not_the_end
from eagerflow.framework import context

# The teams of workers that are alive; they must end before the interpreter does.
_teams: weakref.WeakSet[Any] = weakref.WeakSet()
# How long computing a block should take, and how many elements it has at most.
_BLOCK_SECONDS = 5e-4
_LARGEST_BLOCK = 32
# How long a worker waits for work.
_PATIENCE_SECONDS = 1.0
# How many elements each worker computes one by one before their time is relied upon.
_TRIALS = 8
# In place of an element, if none is ready.
_NONE: Any = object()


class Block:
    """Consecutive elements that one thread computes: those computed and not read yet, in order."""

    __slots__ = ("done", "results", "size")

    def __init__(self, size: int) -> None:
        self.done = False
        self.results: list[Any] = []
        # How many slots of the queue it occupies.
        self.size = size


class Team:
    """Threads that fill a bounded queue from one cursor.

    Args:
        source: where the elements come from; one thread at a time reads it.
        make: the function that is called with each element, or None.
        make_all: the same for the first ones of a list of elements, in which failures are
            kept; or None.
        workers: the number of threads, and of calls of `make` at the same time.
        room: how many elements may be ready or in progress.
        ordered: whether elements keep their order.
        elastic: whether there is more room for cheap elements.
    """

    def __init__(
        self,
        source: Cursor,
        make: Callable[[Any], Any] | None,
        workers: int,
        room: int,
        ordered: bool,
        elastic: bool = False,
        make_all: Callable[[list[Any]], list[Any]] | None = None,
    ) -> None:
        self.source = source
        self.make = make
        self.make_all = make_all
        self.room = room
        self.ordered = ordered
        self.elastic = elastic
        self.blocks: deque[Block] = deque()
        # The block that the reader reads next, without a lock.
        self.out: deque[Any] = deque()
        # A garbage collection in a worker may cancel the worker's own team.
        self.lock = threading.RLock()
        self.ready = threading.Condition(self.lock)
        self.space = threading.Condition(self.lock)
        self.cancelled = False
        self.ended = False
        self.paused = False
        self.reading = False
        self.hungry = False
        self.idle = 0
        self.busy = 0
        self.reserved = 0
        self.size = 1
        self.made = 0
        self.pace: float | None = None
        self.workers = workers
        self.threads: set[threading.Thread] = set()
        self.started = False

    def start(self) -> None:
        """Starts the workers."""
        if self.started:
            return
        _teams.add(self)
        for _ in range(self.workers - len(self.threads)):
            self._hire()
        self.started = True

    def _hire(self) -> None:
        """Adds a worker."""
        thread = threading.Thread(target=_work, args=(self,), name="eagerflow-data", daemon=True)
        self.threads.add(thread)
        thread.start()

    def cancel(self) -> None:
        """Stops the workers."""
        with self.lock:
            self.cancelled = True
            self.blocks.clear()
            self.out.clear()
            self.space.notify_all()
            self.ready.notify_all()

    def next(self) -> Any:
        """The next element; waits until there is one."""
        try:
            value = self.out.popleft()
        except IndexError:
            value = _NONE
        # Not in the clause above, which would chain errors of the pipeline to the empty queue's.
        if value is _NONE:
            value = self._wait()
        if type(value) is not Failure:
            return value
        try:
            raise value.error
        finally:
            # The error's traceback holds this frame: break the reference cycle.
            del value

    def _wait(self) -> Any:
        """The next element, once it is there, or computed here if no worker is busy.

        Only one is computed here: the input of the next may depend on what the program does with
        it. An interrupt may be raised anywhere in here; only the element in progress is lost.
        """
        if not self.started:
            self.start()
        here = False
        reading = False
        ended = False
        try:
            with self.lock:
                while True:
                    if self.out or self._collect():
                        value = self.out.popleft()
                        self._invite()
                        return value
                    if self.cancelled:
                        message = "The pipeline has been cancelled."
                        raise errors.CancelledError._of(message)
                    if self.ended and not self.blocks:
                        raise StopIteration
                    if not self.busy and self._may_begin():
                        here = reading = True
                        self.busy = 1
                        self.reading = True
                        break
                    # A worker that adds to its block before it sees this wakes no thread.
                    self.hungry = True
                    if not self._collect():
                        self._invite()
                        self.ready.wait()
            try:
                value = next(self.source)
            except StopIteration:
                ended = True
                raise
            self.reading = reading = False
            if self.make is None:
                return value
            if self.idle or len(self.threads) < self.workers:
                with self.lock:
                    self._invite()
            return self.make(value)
        finally:
            interrupt: BaseException | None = None
            while here:
                # A signal's handler may raise while this thread waits for the lock.
                try:
                    with self.lock:
                        here = False
                        # By now a worker may be reading.
                        if reading:
                            self.reading = False
                        self.busy -= 1
                        self.ended = self.ended or ended
                        if self.ended:
                            self.space.notify_all()
                        else:
                            self._invite()
                        if self.hungry:
                            self._announce()
                except BaseException as error:
                    interrupt = error
            if interrupt is not None:
                raise interrupt

    def _collect(self) -> bool:
        """Moves the ready elements to the reader's side."""
        blocks = self.blocks
        index = 0
        while index < len(blocks):
            block = blocks[index]
            done = block.done
            made = len(block.results)
            if made:
                self.out.extend(block.results[:made])
                del block.results[:made]
            if done:
                del blocks[index]
                self.reserved -= block.size
            if made:
                return True
            if not done:
                if self.ordered:
                    return False
                index += 1
        return False

    def _may_begin(self) -> bool:
        """Whether a thread may begin a block."""
        return not (
            self.reading
            or self.cancelled
            or self.ended
            or self.paused
            or self.busy >= self.workers
            or self.reserved + len(self.out) + self.size > self.room
        )

    def _invite(self) -> None:
        """Wakes a worker if there is work, or starts one in place of one that has ended."""
        if not self._may_begin():
            return
        if self.idle:
            self.space.notify()
        elif self.started and len(self.threads) < self.workers:
            self._hire()

    def _begin(self) -> Block:
        """A block that the calling worker is to fill."""
        block = Block(self.size)
        self.blocks.append(block)
        self.reserved += block.size
        self.busy += 1
        self.reading = True
        return block

    def _fill(self, block: Block) -> None:
        """Reads a block's inputs, then computes its elements."""
        begin = time.perf_counter()
        results, make = block.results, self.make
        element: Any = None
        elements = results if make is None else []
        made: list[Any] = []
        count = 0
        ended = False
        try:
            source, size = self.source, block.size
            while True:
                elements.append(next(source))
                count += 1
                if count == size or time.perf_counter() - begin > _BLOCK_SECONDS:
                    break
                if make is None and self.hungry:
                    self._announce()
        except StopIteration:
            ended = True
        except BaseException as error:
            elements.append(Failure(error))
            count += 1
        with self.lock:
            self.reading = False
            self.ended = self.ended or ended
            self.reserved -= block.size - count
            block.size = count
            self._invite()
        if self.make_all is not None:
            while elements and not self.cancelled:
                made = self.make_all(elements)
                results.extend(made)
                del elements[: len(made)]
                if self.hungry:
                    self._announce()
        elif make is not None:
            for element in elements:
                if self.cancelled:
                    break
                if type(element) is not Failure:
                    try:
                        element = make(element)
                    except BaseException as error:
                        element = Failure(error)
                results.append(element)
                if self.hungry:
                    self._announce()
        with self.lock:
            block.done = True
            self.busy -= 1
            if count:
                self._adapt(count, time.perf_counter() - begin)
            if self.ended:
                self.space.notify_all()
            else:
                self._invite()
            self._announce()
        # The traceback of a failure's error holds this frame: break the reference cycle.
        del element, elements, made, results, block

    def _announce(self) -> None:
        """Wakes the threads that wait for elements."""
        with self.lock:
            self.hungry = False
            self.ready.notify_all()

    def _adapt(self, count: int, seconds: float) -> None:
        """Chooses the block size by the time that `count` elements took.

        Waiting for other threads makes quick elements look slow, but nothing makes slow ones look
        quick.
        """
        pace = seconds / count
        self.pace = pace if self.pace is None else min(pace, 2 * self.pace)
        self.made += count
        workers = self.workers
        if self.made < _TRIALS * workers:
            return
        size = int(_BLOCK_SECONDS / self.pace) if self.pace > 0 else _LARGEST_BLOCK
        if self.elastic:
            self.size = max(1, min(size, _LARGEST_BLOCK))
            self.room = 2 * workers * self.size
        else:
            self.size = max(1, min(size, _LARGEST_BLOCK, self.room // (4 * workers)))

    def hold(self) -> list[Any]:
        """Pauses the workers, and returns the elements that are ready."""
        with self.lock:
            self.paused = True
            while self.busy:
                self.hungry = True
                self.ready.wait()
            return [*self.out, *(value for block in self.blocks for value in block.results)]

    def go_on(self) -> None:
        """Resumes the workers after `hold`."""
        with self.lock:
            self.paused = False
            self.space.notify_all()
            self._announce()


def _work(team: Team) -> None:
    """The loop of a worker."""
    # In programs of version 1, new threads add operations to the default graph.
    with context.running_eagerly():
        while True:
            with team.lock:
                woken = True
                while not team._may_begin():
                    if team.cancelled or team.ended or not woken:
                        team.threads.discard(threading.current_thread())
                        return
                    team.idle += 1
                    woken = team.space.wait(_PATIENCE_SECONDS)
                    team.idle -= 1
                block = team._begin()
            team._fill(block)
            del block


@atexit.register
def _end_all() -> None:
    """Ends the workers before the interpreter does."""
    teams = list(_teams)
    for team in teams:
        team.cancel()
    deadline = time.monotonic() + 5
    for team in teams:
        for thread in list(team.threads):
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
        """Lets the workers start before the first element is requested."""
        self._team.start()

    def state(self) -> object:
        team = self._team
        ready = team.hold()
        try:
            return {
                "input": team.source.state(),
                "ended": team.ended,
                "ready": pack_elements(ready),
            }
        finally:
            team.go_on()

    def restore(self, state: Any) -> None:
        team = self._team
        team.source.restore(state["input"])
        team.ended = state["ended"]
        like = self._dataset.element_spec if state["ready"] else None
        team.out.extend(unpack_elements(like, state["ready"]))


class PrefetchCursor(TeamCursor):
    """Reads ahead in its own thread."""

    __slots__ = ()

    def __init__(self, source: Cursor, room: int, dataset: Dataset) -> None:
        super().__init__(Team(source, None, 1, room, True), dataset)


class ParallelMapCursor(TeamCursor):
    """Calls a function in several threads."""

    __slots__ = ()

    def __init__(
        self,
        source: Cursor,
        function: Callable[[Any], Any],
        workers: int,
        ordered: bool,
        dataset: Dataset,
        place: Place,
    ) -> None:
        make = guarded(function, errors.InvalidArgumentError, place)
        make_all = mapping(function, place) if is_native(function) else None
        team = Team(source, make, workers, 2 * workers, ordered, True, make_all)
        super().__init__(team, dataset)


def is_native(function: object) -> bool:
    """Whether calls of a function run no Python."""
    return isinstance(function, _core.ElementFunction) and not function.needs_host


def mapping(function: Any, place: Place) -> Callable[..., Any]:
    """The native function of lists of elements for one of single elements."""

    def failed(error: BaseException) -> Failure:
        return Failure(not_the_end(error, errors.InvalidArgumentError, place))

    return lambda elements: function.map(elements, Failure, failed)


class AdaptiveMapCursor(_core.MapReader, Cursor):
    """Calls a function here while it is quick, and in worker threads once it proves slow.

    Passing an element between threads costs some ten microseconds, so cheap functions are
    faster without.
    """

    __slots__ = ("_calls", "_dataset", "_ordered", "_place", "_seconds", "_team", "_workers")

    # Calls that are timed, and how long they must take on average to be worth threads.
    _TRIALS = 8
    _SLOW_SECONDS = 5e-5

    def __init__(
        self,
        source: Cursor,
        function: Callable[[Any], Any],
        workers: int,
        ordered: bool,
        dataset: Dataset,
        place: Place,
    ) -> None:
        super().__init__(source, function)
        self._place = place
        self._watched = True
        self._workers = workers
        self._ordered = ordered
        self._dataset = dataset
        self._calls = 0
        self._seconds = 0.0
        self._team: ParallelMapCursor | None = None

    def _watch(self) -> _core.Tensor:
        """An element whose computation is timed, or one that the team has computed."""
        if self._team is not None:
            return next(self._team)
        element = next(self._input)
        begin = time.perf_counter()
        try:
            value = self._function(element)
        except Exception as error:
            raised = self._error_of(error)
            if raised is error:
                raise
            raise raised from error
        # The first call may include one-time costs.
        if self._calls:
            self._seconds += time.perf_counter() - begin
        self._calls += 1
        if self._calls == self._TRIALS:
            if self._seconds > self._SLOW_SECONDS * (self._TRIALS - 1) and self._workers > 1:
                self._hire()
            else:
                self._watched = False
        return value

    def _error_of(self, error: BaseException) -> BaseException:
        return not_the_end(error, errors.InvalidArgumentError, self._place)

    def _hire(self) -> ParallelMapCursor:
        self._team = ParallelMapCursor(
            self._input,
            self._function,
            self._workers,
            self._ordered,
            self._dataset,
            self._place,
        )
        return self._team

    def state(self) -> object:
        if self._team is not None:
            return {"team": self._team.state()}
        return {"input": self._input.state()}

    def restore(self, state: Any) -> None:
        if "team" in state:
            self._hire().restore(state["team"])
        else:
            self._input.restore(state["input"])
