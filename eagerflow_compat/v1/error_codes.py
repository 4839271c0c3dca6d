"""Codes of errors, and the context in which version 1 called its runtime."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


def error_code_from_exception_type(cls: type) -> int | None:
    """The status code of a class of errors; None with a warning if it has none.

    >>> tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)
    5
    """
    return getattr(cls, "_code", None)


@contextlib.contextmanager
def raise_exception_on_not_ok_status() -> Iterator[None]:
    """A context that does nothing: calls of the engine raise their errors by themselves."""
    yield
