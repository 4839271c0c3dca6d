"""What the conversion reports, and how much of it."""

from __future__ import annotations

import os
import sys

from eagerflow.util import lazy

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

_VARIABLE = "AUTOGRAPH_VERBOSITY"


class _Settings:
    verbosity: int | None = None
    to_stdout = hasattr(sys, "ps1")


_settings = _Settings()


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much the conversion of functions reports.

    The environment variable AUTOGRAPH_VERBOSITY does the same for programs that do not call this.

    Args:
        level: 0 reports nothing but warnings; 1 which functions are converted; 2 also which are not,
            and why; 3 also the code.
        alsologtostdout: whether reports are printed as well as logged.

    >>> tf.autograph.set_verbosity(0)
    """
    _settings.verbosity = level
    _settings.to_stdout = alsologtostdout


def trace(*args: object) -> None:
    """Prints its arguments while a function is traced.

    >>> @tf.function
    ... def double(x):
    ...     tf.autograph.trace("tracing")
    ...     return 2 * x
    >>> double(tf.constant(1)).numpy()
    tracing
    np.int32(2)
    """
    print(*args)


def enabled(level: int) -> bool:
    """Whether reports of a level are made."""
    if _settings.verbosity is None:
        return int(os.environ.get(_VARIABLE, "0")) >= level
    return _settings.verbosity >= level


def report(level: int, message: str, *args: object) -> None:
    """Logs a message if reports of this level are made."""
    if enabled(level):
        logging.info(message, *args)
        if _settings.to_stdout:
            print(message % args)


def warn(message: str, *args: object) -> None:
    """Logs a warning."""
    logging.warning(message, *args)
    if _settings.to_stdout:
        print("WARNING: " + message % args, flush=True)
