"""tf.autograph: Python's control flow runs as it is, so there is nothing to convert."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def do_not_convert(func: Any = None) -> Any:
    """Returns the function, which is never converted; also usable as `@do_not_convert()`.

    >>> @tf.autograph.experimental.do_not_convert
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return func if func is not None else do_not_convert


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Accepted; there is no conversion to report on."""


def trace(*args: Any) -> None:
    """Prints its arguments, as a traced function would once."""
    print(*args)


experimental = SimpleNamespace(do_not_convert=do_not_convert)
