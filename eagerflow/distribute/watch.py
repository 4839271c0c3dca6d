"""A thread that detects processes that wait for each other in vain, and ends all of them with the reason.

Each process records its collectives in ledgers (`core/distribute/channel.h`), which the watches compare. A
process that waits for another one that has exited, has called other collectives, or does not arrive before
the timeout, ends the job and names the rank at fault.

Environment variables:
    EAGERFLOW_DISTRIBUTED_TIMEOUT: the seconds that a process may wait for others; by default 1800.
    EAGERFLOW_DISTRIBUTED_LOG: 1 prints every collective with its size and time.
"""

from __future__ import annotations

import atexit
import os
import platform
import sys
import threading
import time
import traceback
import weakref
from typing import Any

from eagerflow.util import lazy, own_code

MPI = lazy.Module("mpi4py.MPI")

DEFAULT_TIMEOUT = 1800.0

# The seconds between two checks, and until a watch tells others what this process waits for.
_PERIOD = 0.25
_PATIENCE = 1.0
# The seconds for which a watch waits for answers.
_ANSWERS = 2.0


def timeout_of_environment() -> float:
    """The seconds that a process may wait for others.

    Raises:
        ValueError: if the environment variable is not a positive number.
    """
    text = os.environ.get("EAGERFLOW_DISTRIBUTED_TIMEOUT", "")
    try:
        seconds = float(text) if text else DEFAULT_TIMEOUT
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise ValueError(
            f"EAGERFLOW_DISTRIBUTED_TIMEOUT must be a positive number of seconds, but is {text!r}."
        )
    return seconds


def abort(comm: Any) -> None:
    """Ends all processes, after the launcher has had time to forward their output.

    It drops output that it has not read by then, and several processes may raise the same error at once.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    time.sleep(0.3)
    comm.Abort(1)


class Ledger:
    """The collectives of one communicator, as its watch sees them.

    Args:
        path: names the communicator; the same in all its processes.
        channel: contains the entries.
        members: the global ranks of the communicator's processes.
        described: descriptions of signatures for messages.
    """

    def __init__(
        self, path: str, channel: Any, members: list[int], described: dict[int, str]
    ) -> None:
        self.path = path
        self.channel = channel
        self.members = members
        self._described = described
        self.told = 0  # the waiting collective that others have been told of
        self.beaten = 0  # the last collective that was announced to the next process
        self.shown = 0  # the last collective that has been printed

    def text(self, entry: Any) -> str:
        """A description of a collective for messages.

        Args:
            entry: an entry of the channel.
        """
        what = self._described.get(entry[2], "collective")
        return f"{what}, number {entry[0]}"

    def waits(self) -> tuple[Any, float] | None:
        """The collective in which this process is, and for how many seconds; None outside of them."""
        entry = self.channel.last()
        if not entry[0] or entry[5]:
            return None
        return entry, time.perf_counter() - entry[4]

    def state(self) -> tuple[int, int, str]:
        """The index, the history and the description of the last collective."""
        entry = self.channel.last()
        return entry[0], entry[1], self.text(entry)


class Watch:
    """The watch of this process.

    Args:
        comm: the communicator of all processes.
    """

    def __init__(self, comm: Any) -> None:
        self._comm = comm.Dup()
        self.rank, self.size = comm.rank, comm.size
        self.timeout = timeout_of_environment()
        self._logs = os.environ.get("EAGERFLOW_DISTRIBUTED_LOG", "") not in ("", "0")
        if self._logs:
            print(
                f"eagerflow: rank {self.rank} of {self.size} is process {os.getpid()} on "
                f"{platform.node()}",
                file=sys.stderr,
            )
        self._ledgers: weakref.WeakSet[Ledger] = weakref.WeakSet()
        self._ended: set[int] = set()
        self._sent: list[Any] = []
        # What others have said of communicators: by path and rank.
        self._said: dict[tuple[str, int], tuple[int, int, str]] = {}
        self._answers: dict[int, str] = {}
        self._asked_at = 0.0
        self._beaten_at = 0.0
        self._main = threading.main_thread().ident
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="eagerflow watch", daemon=True)
        self._thread.start()
        atexit.register(self._finish)

    def add(self, ledger: Ledger) -> None:
        """Watches a communicator from now on, as long as its ledger lives."""
        self._ledgers.add(ledger)

    def ledgers(self) -> list[Ledger]:
        """The ledgers of the communicators that live, in the order of their names."""
        return sorted(self._ledgers, key=lambda ledger: ledger.path)

    def explain(self) -> None:
        """Waits for the watches to find the cause of an error of MPI, and to end the job."""
        time.sleep(8 * _PATIENCE)

    # The thread

    def _run(self) -> None:
        while not self._stopped.wait(_PERIOD):
            self._look()

    def _look(self) -> None:
        self._receive()
        now = time.perf_counter()
        beats = now - self._beaten_at > 2 * _PATIENCE
        if beats:
            self._beaten_at = now
        for ledger in self.ledgers():
            if self._logs:
                self._print(ledger)
            if beats:
                self._beat(ledger)
            self._compare(ledger)
            self._check_wait(ledger)
        self._sent = [request for request in self._sent if not request.Test()]

    def _send(self, rank: int, *message: Any) -> None:
        self._sent.append(self._comm.isend(message, rank, 0))

    def _receive(self) -> None:
        while self._comm.Iprobe(MPI.ANY_SOURCE, 0):
            status = MPI.Status()
            kind, *about = self._comm.recv(source=MPI.ANY_SOURCE, tag=0, status=status)
            rank = status.Get_source()
            if kind == "ended":
                self._ended.add(rank)
            elif kind == "state":
                path, state = about
                self._said[path, rank] = state
            elif kind == "ask":
                self._send(rank, "answer", self._where())
            else:
                self._answers[rank] = about[0]

    def _beat(self, ledger: Ledger) -> None:
        """Announces new collectives to the next process."""
        state = ledger.state()
        if state[0] > ledger.beaten and len(ledger.members) > 1:
            ledger.beaten = state[0]
            position = ledger.members.index(self.rank)
            following = ledger.members[(position + 1) % len(ledger.members)]
            self._send(following, "state", ledger.path, state)

    def _compare(self, ledger: Ledger) -> None:
        """Ends the job if another process has called other collectives than this one."""
        for rank in ledger.members:
            state = self._said.get((ledger.path, rank))
            if state is None:
                continue
            number, history, text = state
            entry = ledger.channel.find(number)
            if entry is None:
                continue  # not yet, or long ago
            del self._said[ledger.path, rank]
            if entry[1] != history:
                self._fail(
                    f"the processes have called different collectives: rank {rank} is in, or was in, "
                    f"the {text}, which in rank {self.rank} is the {ledger.text(entry)}. All must call "
                    "the same ones in the same order, with tensors of the same shapes."
                )

    def _check_wait(self, ledger: Ledger) -> None:
        waits = ledger.waits()
        if waits is None or waits[1] < _PATIENCE:
            return
        entry, seconds = waits
        if ledger.told < entry[0]:
            ledger.told = entry[0]
            for rank in ledger.members:
                if rank != self.rank:
                    self._send(rank, "state", ledger.path, ledger.state())
        gone = [rank for rank in ledger.members if rank in self._ended]
        if gone:
            self._fail(
                f"rank {gone[0]} has ended its program, while rank {self.rank} waits for it in the "
                f"{ledger.text(entry)}. All processes must make the same number of steps: one has "
                "perhaps run out of data early. Datasets that a strategy shares out, or "
                "`dataset.repeat()` and `steps_per_epoch`, give all as many."
            )
        if seconds < self.timeout:
            return
        now = time.perf_counter()
        if not self._asked_at:
            self._asked_at = now
            for rank in ledger.members:
                if rank != self.rank:
                    self._send(rank, "ask")
        elif now - self._asked_at > _ANSWERS:
            missing = "does not answer: it has stopped, or something holds Python's lock"
            others = "; ".join(
                f"rank {rank} {self._answers.get(rank, missing)}"
                for rank in ledger.members
                if rank != self.rank
            )
            self._fail(
                f"rank {self.rank} has waited for {seconds:.0f} s in the {ledger.text(entry)}: "
                f"{others}. The environment variable EAGERFLOW_DISTRIBUTED_TIMEOUT, now "
                f"{self.timeout:g}, says how long processes wait for each other."
            )

    def _where(self) -> str:
        """A description of what this process is doing, for others that wait for it."""
        for ledger in self.ledgers():
            waits = ledger.waits()
            if waits is not None:
                return f"waits in the {ledger.text(waits[0])}"
        frame = sys._current_frames().get(self._main or 0)
        lines = traceback.extract_stack(frame) if frame else []
        own = [line for line in lines if not line.filename.startswith(own_code.FOLDERS)]
        if not own:
            return "is in no collective"
        return f"is in no collective, but at {own[-1].filename}:{own[-1].lineno} in {own[-1].name}"

    def _fail(self, text: str) -> None:
        print(f"eagerflow: {text} The processes are ended.", file=sys.stderr)
        abort(self._comm)

    def _print(self, ledger: Ledger) -> None:
        for entry in entries_after(ledger, ledger.shown):
            ledger.shown = entry[0]
            if entry[5]:
                milliseconds = 1e3 * (entry[5] - entry[4])
                print(
                    f"eagerflow: rank {self.rank}: {ledger.text(entry)} of communicator {ledger.path}: "
                    f"{entry[3]} bytes in {milliseconds:.3f} ms",
                    file=sys.stderr,
                )

    # The end

    def _finish(self) -> None:
        """Announces that this process ends, and keeps watching until the others end, too."""
        self._stopped.set()
        self._thread.join()
        for rank in range(self.size):
            if rank != self.rank:
                self._send(rank, "ended")
        while len(self._ended) < self.size - 1 or self._sent:
            self._look()
            time.sleep(0.002)


def entries_after(ledger: Ledger, number: int) -> list[Any]:
    """The finished collectives after an index that the ledger still contains.

    Args:
        ledger: the ledger.
        number: the index.
    """
    last = ledger.channel.last()[0]
    entries = [ledger.channel.find(each) for each in range(max(number, last - 4096) + 1, last + 1)]
    return [entry for entry in entries if entry is not None and entry[5]]


_watch: Watch | None = None


def watch_over(comm: Any) -> Watch | None:
    """The watch of this process, which begins now if there is none. All processes call this.

    Args:
        comm: the communicator of all processes.

    Returns:
        The watch; None if MPI does not allow threads.
    """
    global _watch
    if _watch is None and MPI.Query_thread() == MPI.THREAD_MULTIPLE:
        _watch = Watch(comm)
    return _watch


def current() -> Watch | None:
    """The watch of this process, if there is one."""
    return _watch
