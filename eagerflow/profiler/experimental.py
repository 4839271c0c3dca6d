"""tf.profiler.experimental: timelines of operations and named steps.

A profile is written where TensorBoard's profile tab reads it, `LOGDIR/plugins/profile/RUN/HOST.xplane.pb`,
and beside it for Chrome's trace viewer and Perfetto, `HOST.trace.json.gz`.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from types import TracebackType
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.errors import UnavailableError
from eagerflow.profiler.events import Recorder, Recording, with_details
from eagerflow.util import lazy

# Needed where a profile is written.
files = lazy.Module("eagerflow.profiler.files")

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


class _Running(NamedTuple):
    """The profile between `start` and `stop`."""

    recorder: Recorder
    logdir: str
    options: ProfilerOptions
    begun: int  # nanoseconds since 1970


def _save(running: _Running, recording: Recording) -> None:
    """Writes the files of a run: for TensorBoard, and for trace viewers."""
    if not running.options.host_tracer_level:
        parts = [event for event in recording.events if event.details is not None]
        recording = recording._replace(events=parts)
    folder = os.path.join(running.logdir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
    os.makedirs(folder, exist_ok=True)
    host = platform.node() or "localhost"
    with open(os.path.join(folder, f"{host}.xplane.pb"), "wb") as file:
        file.write(files.xspace(recording, host, running.begun))
    files.write_chrome_trace(recording, os.path.join(folder, f"{host}.trace.json.gz"))


_lock = threading.Lock()
_running: _Running | None = None


def start(logdir: str, options: ProfilerOptions | None = None) -> None:
    """Begins a profile.

    Args:
        logdir: the folder below which `stop` writes it.
        options: what to note.

    Raises:
        tf.errors.AlreadyExistsError: if a profile has begun and not been stopped.
    """
    global _running
    recorder, folder = Recorder(), os.fspath(logdir)
    with _lock:
        recorder.start()
        _running = _Running(recorder, folder, options or ProfilerOptions(), time.time_ns())


def stop(save: bool = True) -> None:
    """Ends the profile.

    Args:
        save: whether to write it.

    Raises:
        tf.errors.UnavailableError: if none has begun.
    """
    global _running
    with _lock:
        if _running is None:
            raise UnavailableError._of("Cannot export profiling results. No profiler is running.")
        running, _running = _running, None
        recording = running.recorder.stop()
    if save:
        _save(running, recording)


class Profile:
    """A context manager that profiles the code inside.

    >>> import glob, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.profiler.experimental.Profile(folder):
    ...         y = tf.exp(1.0)
    ...     len(glob.glob(folder + "/plugins/profile/*/*.xplane.pb"))
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
        self._noted = False

    def __enter__(self) -> Trace:
        self._noted = _core.profiling()
        if self._noted:
            _core.begin_part(self._name + "##")
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
        if self._noted:
            _core.end_part(with_details(self._name, self._details))


__dir__ = lazy.listing(__name__)
