"""tf.profiler.experimental: timelines of operations and named steps.

A profile is written in the format of Chrome's trace viewer and of Perfetto, where TensorBoard's
profiles lie: `LOGDIR/plugins/profile/RUN/HOST.trace.json.gz`.
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import threading
import time
from types import TracebackType
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.errors import AlreadyExistsError, UnavailableError
from eagerflow.util import lazy

# Needed where a profile is written.
watch = lazy.Module("eagerflow.distribute.watch")

__all__ = ["Profile", "ProfilerOptions", "Trace", "start", "stop"]


class ProfilerOptions(NamedTuple):
    """The contents of a profile.

    Attributes:
        host_tracer_level: 0 notes named steps only, other levels every operation as well.
        python_tracer_level: accepted; Python's own calls are not noted.
        device_tracer_level: accepted; there is no other device.
        delay_ms: accepted; a profile begins at once.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Recorder:
    """The events of one profile."""

    def __init__(self, logdir: str, options: ProfilerOptions) -> None:
        self.logdir = logdir
        self.options = options
        self.events: list[tuple[Any, ...]] = []
        self._begun = time.perf_counter()
        self._last: dict[int, float] = {}

    def now(self) -> float:
        """Microseconds since the profile began."""
        return (time.perf_counter() - self._begun) * 1e6

    def note(self, name: str, inputs: tuple[object, ...], outputs: tuple[object, ...]) -> None:
        """An operation has ended on this thread; it began after whatever ended before it."""
        end, thread = self.now(), threading.get_ident()
        self.add(name, self._last.get(thread, end), end, {"outputs": len(outputs)})

    def add(self, name: str, begin: float, end: float, details: dict[str, Any]) -> None:
        """Notes an event."""
        thread = threading.get_ident()
        self.events.append((name, begin, end, thread, details))
        self._last[thread] = end

    def mark(self) -> None:
        """From now on the next operation of this thread counts."""
        self._last[threading.get_ident()] = self.now()

    def _communication(self) -> list[dict[str, Any]]:
        """The collectives of several processes since the profile began, a row for each communicator."""
        watching = watch.current()
        events: list[dict[str, Any]] = []
        for number, ledger in enumerate([] if watching is None else watching.ledgers()):
            row = {"pid": os.getpid(), "tid": number}
            name = {"name": f"communicator {ledger.path}"}
            events.append({"ph": "M", "name": "thread_name", **row, "args": name})
            for entry in watch.entries_after(ledger, 0):
                _, _, _, size, begin, end = entry
                if begin >= self._begun:
                    times = {"ts": (begin - self._begun) * 1e6, "dur": (end - begin) * 1e6}
                    about = {"name": ledger.text(entry), "args": {"bytes": str(size)}}
                    events.append({"ph": "X", **row, **times, **about})
        return events

    def save(self) -> str:
        """Writes the file, and returns its path."""
        run = time.strftime("%Y_%m_%d_%H_%M_%S")
        folder = os.path.join(self.logdir, "plugins", "profile", run)
        os.makedirs(folder, exist_ok=True)
        process = os.getpid()
        events: list[dict[str, Any]] = [
            {
                "ph": "M",
                "name": "process_name",
                "pid": process,
                "args": {"name": "/host:CPU"},
            }
        ]
        for name, begin, end, thread, details in self.events:
            events.append(
                {
                    "ph": "X",
                    "name": name,
                    "pid": process,
                    "tid": thread,
                    "ts": begin,
                    "dur": end - begin,
                    "args": {key: str(value) for key, value in details.items()},
                }
            )
        events += self._communication()
        path = os.path.join(folder, f"{platform.node() or 'localhost'}.trace.json.gz")
        with gzip.open(path, "wt") as file:
            json.dump({"displayTimeUnit": "ns", "traceEvents": events}, file)
        return path


_lock = threading.Lock()
_recorder: _Recorder | None = None


def start(logdir: str, options: ProfilerOptions | None = None) -> None:
    """Begins a profile.

    Args:
        logdir: the folder below which `stop` writes it.
        options: what to note.

    Raises:
        tf.errors.AlreadyExistsError: if a profile has begun and not been stopped.
    """
    global _recorder
    with _lock:
        if _recorder is not None:
            raise AlreadyExistsError._of("Another profiler is running.")
        _recorder = _Recorder(os.fspath(logdir), options or ProfilerOptions())
        _recorder.mark()
        if _recorder.options.host_tracer_level:
            _core.add_observer(_recorder.note)


def stop(save: bool = True) -> None:
    """Ends the profile.

    Args:
        save: whether to write it.

    Raises:
        tf.errors.UnavailableError: if none has begun.
    """
    global _recorder
    with _lock:
        if _recorder is None:
            raise UnavailableError._of("Cannot export profiling results. No profiler is running.")
        recorder, _recorder = _recorder, None
        _core.remove_observer(recorder.note)
    if save:
        recorder.save()


class Profile:
    """A context manager that profiles the code inside.

    >>> import glob, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.profiler.experimental.Profile(folder):
    ...         y = tf.exp(1.0)
    ...     len(glob.glob(folder + "/plugins/profile/*/*.trace.json.gz"))
    1
    """

    def __init__(self, logdir: str, options: ProfilerOptions | None = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        stop()


class Trace:
    """A context manager that names a part of the program in profiles.

    Args:
        name: the name.
        kwargs: what else is shown, such as the number of a step.

    >>> with tf.profiler.experimental.Trace("train", step_num=1, _r=1):
    ...     y = tf.exp(1.0)
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name = name
        self._details = kwargs
        self._begin = 0.0
        self._within: _Recorder | None = None

    def __enter__(self) -> Trace:
        self._within = _recorder
        if self._within is not None:
            self._begin = self._within.now()
            self._within.mark()
        return self

    def set_metadata(self, **kwargs: object) -> None:
        """Adds metadata that is shown."""
        self._details.update(kwargs)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._within is not None and self._within is _recorder:
            self._within.add(self._name, self._begin, self._within.now(), self._details)


__dir__ = lazy.listing(__name__)
