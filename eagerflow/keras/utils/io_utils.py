"""The destination of Keras's messages: standard output or the log."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import Any


class _Interactive(threading.local):
    enabled = True


_interactive = _Interactive()


def enable_interactive_logging() -> None:
    """Sends progress bars and messages to standard output, which is the default."""
    _interactive.enabled = True


def disable_interactive_logging() -> None:
    """Sends progress bars and messages to the logger `eagerflow`."""
    _interactive.enabled = False


def is_interactive_logging_enabled() -> bool:
    """Whether messages go to standard output.

    >>> tf.keras.utils.is_interactive_logging_enabled()
    True
    """
    return _interactive.enabled


def print_msg(message: str, line_break: bool = True) -> None:
    """Writes a message, and a line's end if asked for; nothing where there is no standard output,
    as in programs without a console."""
    if not _interactive.enabled:
        logging.getLogger("eagerflow").info(message)
        return
    if sys.stdout is not None:
        sys.stdout.write(message + "\n" if line_break else message)
        sys.stdout.flush()


def path_to_string(path: Any) -> Any:
    """A path as a string; other values as they are."""
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def ask_to_proceed_with_overwrite(filepath: str) -> bool:
    """Asks on the terminal whether to overwrite a file."""
    answer = input(f"[WARNING] {filepath} already exists - overwrite? [y/n]").strip().lower()
    while answer not in ("y", "n"):
        answer = input('Enter "y" (overwrite) or "n" (cancel).').strip().lower()
    if answer == "n":
        return False
    print_msg("[TIP] Next time specify overwrite=True!")
    return True
