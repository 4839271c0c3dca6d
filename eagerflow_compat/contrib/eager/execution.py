"""tf.contrib.eager's modes of execution, of which there is one here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from eagerflow.framework.context import executing_eagerly

DEVICE_PLACEMENT_EXPLICIT = 0
DEVICE_PLACEMENT_WARN = 1
DEVICE_PLACEMENT_SILENT = 2
DEVICE_PLACEMENT_SILENT_FOR_INT32 = 3
SYNC = 0
ASYNC = 1


def set_execution_mode(mode: Any) -> None:
    """Accepts `SYNC`, `ASYNC` or None; an operation has always run when its call returns.

    Raises:
        ValueError: for another mode.
    """
    if mode not in (None, SYNC, ASYNC):
        raise ValueError(f"Execution mode should be None/SYNC/ASYNC. Got {mode}")


@contextmanager
def execution_mode(mode: Any) -> Iterator[None]:
    """A context in which a mode is set, see `set_execution_mode`."""
    set_execution_mode(mode)
    yield


def async_wait() -> None:
    """Returns at once: operations are not queued."""


def async_clear_error() -> None:
    """Returns at once: errors are raised by the call that causes them."""


def in_graph_mode() -> bool:
    """Whether a graph is being built.

    >>> tf.contrib.eager.in_graph_mode()
    False
    """
    return not executing_eagerly()
