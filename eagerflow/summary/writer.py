"""Writers of event files, which TensorBoard reads, and the writer in use."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import _core
from eagerflow.framework.host_call import now_or_node
from eagerflow.framework.operation import Operation
from eagerflow.io.os_errors import make_folder, path_text
from eagerflow.io.records import RecordWriter
from eagerflow.protos.event import MESSAGES

_numbers = itertools.count()
VERSION = "brain.Event:2"


class _State(threading.local):
    """The writer, the step and whether to record, as this thread has set them."""

    writer: Any = None
    step: Any = None
    recording: Any = True


state = _State()


def _nothing() -> None:
    pass


def _operation(function: Callable[[], None], kind: str) -> Operation | None:
    """Calls a function; while a graph is built, adds a node that does, and returns its operation."""
    now_or_node(function, None, kind)
    graph = _core.building()
    if graph is None or graph.building_function:
        return None
    return Operation(graph.node(len(graph) - 1))


class SummaryWriter:
    """Where summaries go; made by `tf.summary.create_file_writer`."""

    def set_as_default(self, step: Any = None) -> None:
        """Makes this the current thread's writer.

        Args:
            step: if not None, the default step from now on.
        """
        state.writer = self
        if step is not None:
            state.step = step

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """A context in which this is the writer; at its end the events are flushed.

        Args:
            step: if not None, the default step inside.
        """
        before, step_before = state.writer, state.step
        state.writer = self
        if step is not None:
            state.step = step
        try:
            yield self
        finally:
            self.flush()
            state.writer, state.step = before, step_before

    def init(self) -> Operation | None:
        """Does nothing, as a writer is ready when it is made; in a graph, an operation."""
        return _operation(_nothing, "CreateSummaryFileWriter")

    def add(self, step: int, value: Any) -> bool:
        """Adds a Summary.Value; whether it is written."""
        return False

    def flush(self) -> Operation | None:
        """Writes the buffer; in a graph, an operation that does."""
        return _operation(_nothing, "FlushSummaryWriter")

    def close(self) -> Operation | None:
        """Flushes and closes the file; in a graph, an operation that does."""
        return _operation(_nothing, "CloseSummaryWriter")


class NoopWriter(SummaryWriter):
    """A writer that forgets everything."""


class FileWriter(SummaryWriter):
    """Appends events to one file, from any thread.

    The file is made with the first event, or when the writer is flushed.
    """

    def __init__(self, logdir: Any, max_queue: int, flush_seconds: float, suffix: str) -> None:
        self._folder = path_text(logdir)
        self._suffix = suffix
        self._max_queue = max_queue
        self._flush_seconds = flush_seconds
        self._lock = threading.Lock()
        self._file: RecordWriter | None = None
        self._closed = False
        self._waiting = 0
        self._flushed = time.monotonic()
        self._event, self._value = MESSAGES["Event"], MESSAGES["Summary.Value"]
        make_folder(self._folder)
        name = (
            f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}"
            f".{next(_numbers)}{suffix}"
        )
        self.path = os.path.join(self._folder, name)
        first = self._event(wall_time=time.time(), file_version=VERSION)
        first.source_metadata.writer = "eagerflow.summary"
        self._file = RecordWriter(self.path, "")
        self._file.write(first.SerializeToString())

    def add(self, step: int, value: Any) -> bool:
        """Adds a Summary.Value at a step."""
        event = self._event(wall_time=time.time(), step=step)
        event.summary.value.append(value)
        return self.add_event(event)

    def add_event(self, event: Any) -> bool:
        """Adds an event.

        Raises:
            RuntimeError: if the writer is closed.
        """
        record = event.SerializeToString()
        with self._lock:
            if self._file is None:
                raise RuntimeError(f"SummaryWriter is already closed: {self.path}")
            self._file.write(record)
            self._waiting += 1
            late = time.monotonic() - self._flushed > self._flush_seconds
            if self._waiting > self._max_queue and late:
                self._flush()
        return True

    def _flush(self) -> None:
        assert self._file is not None
        self._file.flush()
        self._waiting = 0
        self._flushed = time.monotonic()

    def flush(self) -> Operation | None:
        """Hands everything to the operating system; in a graph, an operation that does."""
        return _operation(self._flush_now, "FlushSummaryWriter")

    def _flush_now(self) -> None:
        with self._lock:
            if self._file is not None:
                self._flush()

    def close(self) -> Operation | None:
        """Flushes and closes the file; more events are an error. In a graph, an operation that does."""
        return _operation(self._close_now, "CloseSummaryWriter")

    def _close_now(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None


def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: object = None,
) -> SummaryWriter:
    """A writer of an event file in a folder, which TensorBoard shows.

    Args:
        logdir: the folder; made if it is not there.
        max_queue: the number of events to buffer before a flush (10).
        flush_millis: the longest time between flushes in milliseconds (2 minutes).
        filename_suffix: the end of the file's name (".v2").
        name: ignored, as the rest is.
        experimental_trackable: see above.
        experimental_mesh: see above.

    Raises:
        tf.errors.OpError: of the kind that fits, if the file cannot be made.

    >>> import tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(folder)
    >>> with writer.as_default(step=1):
    ...     _ = tf.summary.scalar("loss", 0.5)
    >>> len(os.listdir(folder))
    1
    """
    return FileWriter(
        logdir,
        10 if max_queue is None else int(max_queue),
        120.0 if flush_millis is None else int(flush_millis) / 1000,
        ".v2" if filename_suffix is None else filename_suffix,
    )


def create_noop_writer() -> SummaryWriter:
    """A writer that forgets everything, to switch summaries off.

    >>> with tf.summary.create_noop_writer().as_default(step=0):
    ...     bool(tf.summary.scalar("loss", 1.0))
    False
    """
    return NoopWriter()


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> Operation | None:
    """Writes the buffer of a writer, by default of the current one; in a graph, an operation."""
    target = state.writer if writer is None else writer
    return None if target is None else target.flush()


@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """A context in which summaries are recorded only if a condition holds.

    Args:
        condition: a boolean, a tensor, or a function that is called each time.

    >>> with tf.summary.record_if(False):
    ...     bool(tf.summary.should_record_summaries())
    False
    """
    before = state.recording
    state.recording = condition
    try:
        yield
    finally:
        state.recording = before


def should_record_summaries() -> bool:
    """Whether a summary would be written now: there is a writer, and the condition holds."""
    condition = state.recording
    if state.writer is None:
        return False
    return bool(condition() if callable(condition) else condition)


def get_step() -> Any:
    """The default step, or None."""
    return state.step


def set_step(step: Any) -> None:
    """Sets the default step of this thread: an integer, or a variable that is read each time."""
    state.step = step


@contextlib.contextmanager
def writing_to(writer: SummaryWriter, recording: Any) -> Iterator[None]:
    """A context with this writer, in which summaries are recorded if a condition holds."""
    before = state.writer, state.recording
    state.writer, state.recording = writer, recording
    try:
        yield
    finally:
        state.writer, state.recording = before


def current_step(step: Any) -> int:
    """The argument, or else the default step, as an integer.

    Raises:
        ValueError: if there is none.
    """
    return int(given_step(step))


def given_step(step: Any) -> Any:
    """The argument, or else the default step.

    Raises:
        ValueError: if there is none.
    """
    if step is None:
        step = state.step
        if step is None:
            raise ValueError(
                "No step set. Please specify one either through the `step` argument or through "
                "tf.summary.experimental.set_step()"
            )
    return step() if callable(step) and not hasattr(step, "dtype") else step
