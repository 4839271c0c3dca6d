"""Whether functions called by a thread are converted."""

from __future__ import annotations

import enum
import threading


class Status(enum.Enum):
    """Whether functions that are called now are converted."""

    UNSPECIFIED = 0  # nobody has said: nothing is being traced
    ENABLED = 1
    DISABLED = 2


class _Thread(threading.local):
    status = Status.UNSPECIFIED


_thread = _Thread()


def current() -> Status:
    """The status of the code that runs in this thread."""
    return _thread.status


class using:
    """A context manager in which this thread has a status.

    Args:
        status: the status.
    """

    __slots__ = ("_before", "_status")

    def __init__(self, status: Status) -> None:
        self._status = status

    def __enter__(self) -> None:
        self._before = _thread.status
        _thread.status = self._status

    def __exit__(self, *error: object) -> None:
        _thread.status = self._before
