"""Worker processes that answer requests.

Each process answers its own requests, one after the other. It ends with the process that started it,
however that ends: a thread of its own waits for that. Ctrl-C is left to the program, whose iterators
end their processes.
"""

from __future__ import annotations

import contextlib
import faulthandler
import itertools
import multiprocessing
import os
import pickle
import queue
import random
import signal
import sys
import threading
import time
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing import connection, resource_tracker
from typing import Any

import numpy as np

from eagerflow import errors
from eagerflow.config import threading as engine_threads
from eagerflow.data.shared_arrays import Channel
from eagerflow.framework import random_seed

# What an answer is, and its value or error.
Answer = tuple[int, Any]
_VALUE, _ERROR, _END, _UNREADABLE = range(4)
# Has a process write where it is.
_ASK_WHERE = getattr(signal, "SIGUSR1", None) if hasattr(faulthandler, "register") else None
# How long a process has to say where it is, and to end.
_PATIENCE_SECONDS = 1.0
_names = itertools.count()
# A process that starts while another one's ends of pipes are open would inherit them, and keep them open.
_starting = threading.Lock()


class WorkerTraceback(Exception):
    """The cause of an error that a worker process has sent: its traceback there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._text = text

    def __str__(self) -> str:
        return f"\n{self._text}"


def seed_all(words: tuple[int, ...]) -> None:
    """Seeds the random values that a program's function draws: Python's, NumPy's and `tf.random`'s.

    Args:
        words: integers of up to 64 bits.
    """
    random.seed(sum((word & (2**64 - 1)) << (64 * k) for k, word in enumerate(words)))
    np.random.seed([random.getrandbits(32) for _ in range(4)])
    random_seed.set_seed(random.getrandbits(31))


def start_method() -> Any:
    """The program's way to start processes; by default they are forked where that is safe."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    if chosen is None and sys.platform == "linux":
        chosen = "fork"
    return multiprocessing.get_context(chosen)


class Processes:
    """A number of worker processes; they end when this object is closed or collected.

    Args:
        prepare: called in each process with its index; returns the function that answers requests. A
            StopIteration of that function is an answer. It must be possible to pickle it where processes
            are not forked.
        count: the number of processes.
        room: how many messages with requests each may have at a time.
    """

    def __init__(
        self, prepare: Callable[[int], Callable[[Any], Any]], count: int, room: int
    ) -> None:
        self.room = room
        self.waiting = [0] * count  # the messages to each process that are not answered
        self._workers: list[_Worker] = []
        self.closed = False
        self.failed = False  # whether an error has ended them
        self._end = weakref.finalize(self, _end_all, self._workers, os.getpid())
        if multiprocessing.current_process().daemon:
            raise RuntimeError("A worker process cannot have worker processes of its own.")
        context = start_method()
        resource_tracker.ensure_running()  # one for all processes
        try:
            for index in range(count):
                self._workers.append(_Worker(context, prepare, index, room))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the processes."""
        self.closed = True
        self._end()

    @contextlib.contextmanager
    def unbroken(self) -> Iterator[None]:
        """Ends the processes where an interrupt leaves it open what the block has sent or received."""
        try:
            yield
        except Exception:
            raise
        except BaseException:
            self.close()
            raise

    def ask(self, worker: int, requests: list[Any]) -> None:
        """Sends a message with requests to a process that has room for it."""
        self._check()
        channel = self._workers[worker].channel
        try:
            channel.add(requests)
            channel.send()
        except OSError:
            self._died(worker)
        self.waiting[worker] += 1

    def answers(self, worker: int, read: Callable[[Any], Any] | None = None) -> list[Answer]:
        """The answers of a process to the requests of its next message, which must be there.

        Args:
            worker: its index.
            read: see `Channel.receive`.

        Raises:
            tf.errors.UnavailableError: if the process has ended.
        """
        self._check()

        def take(answer: Answer) -> Answer:
            kind, value = answer
            try:
                return kind, value if kind != _VALUE or read is None else read(value)
            except Exception as error:
                return _UNREADABLE, error

        try:
            results = self._workers[worker].channel.receive(None if read is None else take)
        except (EOFError, OSError):
            self._died(worker)
        self.waiting[worker] -= 1
        return results

    def wait(self, workers: list[int], timeout: float | None = None) -> int:
        """The index of a process, of some, whose answer is there.

        Raises:
            tf.errors.DeadlineExceededError: if there is none after so many seconds; the processes end.
        """
        self._check()
        channels = [self._workers[worker].channel.connection for worker in workers]
        if len(channels) == 1:
            if channels[0].poll(timeout):
                return workers[0]
        else:
            for ready in connection.wait(channels, timeout):
                return workers[channels.index(ready)]  # type: ignore[arg-type]
        where = "".join(self._workers[worker].where() for worker in workers)
        self._fail()
        raise errors.DeadlineExceededError._of(
            f"No element came from worker process {' or '.join(map(str, workers))} within {timeout:g} "
            f"seconds.{where}"
        )

    def _check(self) -> None:
        if self.closed:
            raise errors.CancelledError._of("The worker processes have been ended.")

    def _fail(self) -> None:
        self.failed = True
        self.close()

    def _died(self, worker: int) -> None:
        """Raises the error for a process that has ended."""
        process = self._workers[worker].process
        process.join(_PATIENCE_SECONDS)
        code = process.exitcode
        how = f"with status {code}"
        if code is not None and code < 0:
            how = f"by {signal.Signals(-code).name}"
            if -code == getattr(signal, "SIGKILL", None):
                how += ", as the system does when memory runs out"
        self._fail()
        message = f"Worker process {worker} (process {process.pid}) has ended {how}."
        raise errors.UnavailableError._of(message) from None


class _Worker:
    """A process, as the one that started it sees it."""

    def __init__(self, context: Any, prepare: Callable[..., Any], index: int, room: int) -> None:
        name = f"eagerflow-{os.getpid()}-{next(_names)}-{random_seed.system_entropy(4).hex()}"
        names = (f"{name}-up", f"{name}-down")
        with _starting:
            ours, theirs = context.Pipe()
            self._traces, traces = context.Pipe(duplex=False)
            self.channel = Channel(ours, names[1], names[0], room)
            self.process = context.Process(
                target=_serve,
                args=(prepare, index, theirs, names, room, traces),
                name=f"eagerflow-data-{index}",
                daemon=True,
            )
            try:
                self.process.start()
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                raise TypeError(
                    "A function that worker processes call cannot be sent to them: "
                    f"{error}. Define it at the top level of a module, or have processes forked by "
                    '`multiprocessing.set_start_method("fork")`.'
                ) from error
            finally:
                theirs.close()
                traces.close()

    def where(self) -> str:
        """The lines of the program that the process is in."""
        if _ASK_WHERE is None or not self.process.is_alive():
            return ""
        os.kill(self.process.pid, _ASK_WHERE)
        if not self._traces.poll(_PATIENCE_SECONDS):
            return ""
        time.sleep(0.01)  # it writes line by line
        lines = os.read(self._traces.fileno(), 1 << 16).decode(errors="replace").splitlines()
        own = itertools.takewhile(lambda line: not line.endswith(" in _serve"), lines)
        return "\n" + "\n".join(own)

    def close(self) -> None:
        """Waits for the end of the process, which has been told to end."""
        self.process.join(_PATIENCE_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self._traces.close()
        self.channel.close()


def _end_all(workers: list[_Worker], owner: int) -> None:
    """Ends processes, but not from another process, which has inherited the list."""
    if os.getpid() != owner:
        return
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.close()


# What runs in the process.


def _serve(
    prepare: Callable[[int], Callable[[Any], Any]],
    index: int,
    pipe: connection.Connection,
    names: tuple[str, str],
    room: int,
    traces: connection.Connection,
) -> None:
    """Answers requests until the process is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if _ASK_WHERE is not None:
        faulthandler.register(_ASK_WHERE, file=traces.fileno(), all_threads=False)
    # There is a process for each core, and no need for more threads.
    engine_threads.set_intra_op_parallelism_threads(1)
    channel = Channel(pipe, *names, room)
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(channel, requests), daemon=True).start()
    answer: Callable[[Any], Any] | None = None
    while True:
        message = requests.get()
        for request in message:
            try:
                if answer is None:
                    answer = prepare(index)
                result: Answer = (_VALUE, answer(request))
            except StopIteration:
                result = (_END, None)
            except BaseException as error:
                result = (_ERROR, _report(error))
            try:
                channel.add(result, len(message))
            except Exception as error:
                channel.add((_ERROR, _report(error)))
            del request, result
        del message
        try:
            channel.send()
        except OSError:  # nobody reads
            return


def _listen(channel: Channel, requests: queue.SimpleQueue[Any]) -> None:
    """Takes requests off the pipe, so that the other process never waits; ends this one after that."""
    if _ASK_WHERE is not None:
        signal.pthread_sigmask(signal.SIG_BLOCK, [_ASK_WHERE])
    parent: Any = multiprocessing.parent_process()
    try:
        while True:
            if channel.connection not in connection.wait([channel.connection, parent.sentinel]):
                break
            requests.put(*channel.receive())
    except (EOFError, OSError):
        pass
    finally:
        os._exit(0)


def _report(error: BaseException) -> tuple[bytes | None, str]:
    """An error, pickled if that is possible, and its traceback."""
    text = "".join(traceback.format_exception(error))
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:
        return None, text
    return pickled, text


def opened(answer: Answer) -> Any:
    """The value of an answer.

    Raises:
        StopIteration: where the process's function has raised it.
        Exception: the error of the function, with a `WorkerTraceback` as its cause.
    """
    kind, result = answer
    if kind == _END:
        raise StopIteration
    if kind == _UNREADABLE:
        raise result
    if kind == _ERROR:
        error, text = result
        raise _loaded(error, text) from WorkerTraceback(text)
    return result


def _loaded(pickled: bytes | None, text: str) -> BaseException:
    """The error of a report."""
    if pickled is not None:
        error = pickle.loads(pickled)
        if isinstance(error, Exception):
            return error
    return RuntimeError(f"A worker process has raised {text.rstrip().rpartition(chr(10))[2]}")


class Answers:
    """The answers to requests from an iterator.

    Args:
        processes: who answers.
        requests: yields the requests.
        ordered: whether answers keep the order of the requests.
        read: see `Channel.receive`.
        timeout: how many seconds to wait for a message.
        size: how many requests a message has.
    """

    def __init__(
        self,
        processes: Processes,
        requests: Iterator[Any],
        ordered: bool = True,
        read: Callable[[Any], Any] | None = None,
        timeout: float | None = None,
        size: int = 1,
    ) -> None:
        self._processes = processes
        self._requests = requests
        self._ordered = ordered
        self._read = read
        self._timeout = timeout
        self._size = size
        self._ended = False
        self._next: list[Any] = []  # the requests of the next message
        # The processes that were asked and their requests, or None and the error that took a request's place.
        self._pending: deque[tuple[int | None, Any]] = deque()
        # The requests of the last message that came, and their answers.
        self._answered: deque[tuple[Any, Answer]] = deque()

    def __iter__(self) -> Answers:
        return self

    def __next__(self) -> Any:
        if not self._answered:
            self._receive()
        try:
            return opened(self._answered.popleft()[1])
        except StopIteration:
            raise RuntimeError("A function of the pipeline raised StopIteration.") from None

    def unanswered(self) -> list[Any]:
        """The requests that have been sent, and whose answers have not been read.

        Raises:
            Exception: the error that took the place of a request.
        """
        unread = [request for request, _ in self._answered]
        for worker, requests in self._pending:
            if worker is None:
                raise requests
            unread += requests
        return unread + self._next

    def _receive(self) -> None:
        """Waits for the next message."""
        processes = self._processes
        if processes.failed:
            raise StopIteration
        self._fill()
        if not self._pending:
            processes.close()
            raise StopIteration
        worker, requests = self._pending[0]
        if worker is None:
            del self._pending[0]
            raise requests
        asked = [worker]
        if not self._ordered:
            asked = sorted({each for each, _ in self._pending if each is not None})
        worker = processes.wait(asked, self._timeout)
        index = next(k for k, (each, _) in enumerate(self._pending) if each == worker)
        with processes.unbroken():
            _, requests = self._pending[index]
            del self._pending[index]
            self._answered.extend(zip(requests, processes.answers(worker, self._read), strict=True))

    def _fill(self) -> None:
        """Sends requests while there is room."""
        waiting, room = self._processes.waiting, self._processes.room
        while not self._ended:
            worker = waiting.index(min(waiting))
            if waiting[worker] >= room:
                return
            failed = None
            try:
                while len(self._next) < self._size:
                    self._next.append(next(self._requests))
            except StopIteration:
                self._ended = True
            except Exception as error:
                failed = error
            if self._next:
                with self._processes.unbroken():
                    requests, self._next = self._next, []
                    self._processes.ask(worker, requests)
                    self._pending.append((worker, requests))
            if failed is not None:
                self._pending.append((None, failed))
                return
