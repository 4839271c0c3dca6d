"""Messages of the package's logger; `tf.compat.v1.logging` has these functions.

The package calls them as attributes of this module, so that programs can replace them.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from typing import Any

from eagerflow.framework.context import get_logger

DEBUG = logging.DEBUG
INFO = logging.INFO
WARN = logging.WARNING
ERROR = logging.ERROR
FATAL = logging.FATAL

# How often `log_every_n` has been called for each message.
_counts: Counter = Counter()


def _logger() -> logging.Logger:
    logger: logging.Logger = get_logger()
    if not logger.handlers and not logging.getLogger().handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(levelname)s:tensorflow:%(message)s"))
        logger.addHandler(handler)
    return logger


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs a message of a level."""
    _logger().log(level, msg, *args, **kwargs)


def debug(msg: str, *args: object, **kwargs: object) -> None:
    """Logs a message for debugging."""
    log(DEBUG, msg, *args, **kwargs)


def info(msg: str, *args: object, **kwargs: object) -> None:
    """Logs information."""
    log(INFO, msg, *args, **kwargs)


def warning(msg: str, *args: object, **kwargs: object) -> None:
    """Logs a warning."""
    log(WARN, msg, *args, **kwargs)


warn = warning


def error(msg: str, *args: object, **kwargs: object) -> None:
    """Logs an error."""
    log(ERROR, msg, *args, **kwargs)


def fatal(msg: str, *args: object, **kwargs: object) -> None:
    """Logs a fatal error."""
    log(FATAL, msg, *args, **kwargs)


def log_if(level: int, msg: str, condition: object, *args: object) -> None:
    """Logs a message if a condition holds."""
    if condition:
        log(level, msg, *args)


def log_first_n(level: int, msg: str, n: int, *args: object) -> None:
    """Logs a message the first `n` times only."""
    _counts[msg] += 1
    log_if(level, msg, _counts[msg] <= n, *args)


def log_every_n(level: int, msg: str, n: int, *args: object) -> None:
    """Logs a message every `n`-th time."""
    log_if(level, msg, _counts[msg] % n == 0, *args)
    _counts[msg] += 1


def vlog(level: int, msg: str, *args: object, **kwargs: object) -> None:
    """Logs a message at a verbosity level."""
    log(level, msg, *args, **kwargs)


def TaskLevelStatusMessage(msg: str) -> None:
    """Logs the message as an error."""
    error(msg)


def flush() -> None:
    """Flushes the log."""
    for handler in _logger().handlers:
        handler.flush()


def get_verbosity() -> int:
    """The lowest level of messages that are shown."""
    return _logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Sets the lowest level of messages that are shown.

    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    >>> tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.ERROR
    True
    """
    _logger().setLevel(v)
