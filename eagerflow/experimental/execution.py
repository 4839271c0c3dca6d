"""How operations are run: at once and one after the other, whatever a program asks for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from eagerflow.errors import NotFoundError

_EXECUTORS = (None, "", "DEFAULT", "SINGLE_THREADED_EXECUTOR")


@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """A context in which operations may run while the program continues.

    They are done when they return, so that there is nothing to wait for at its end, and errors are
    raised where they come up.

    >>> with tf.experimental.async_scope():
    ...     x = tf.constant(1) + 1
    >>> int(x)
    2
    """
    yield


def async_clear_error() -> None:
    """Forgets the errors of operations under way; there are none after an operation has returned."""


@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A context that chooses what runs the operations of a `tf.function`.

    Args:
        executor_type: None, "DEFAULT" or "SINGLE_THREADED_EXECUTOR"; functions run their operations
            one after the other with all of them.

    Raises:
        tf.errors.NotFoundError: for another name.
    """
    if executor_type not in _EXECUTORS:
        raise NotFoundError._of(
            f"No executor factory registered for the given executor type: {executor_type}"
        )
    yield
