"""Warnings about functions that are traced too often."""

from __future__ import annotations

import collections
import threading
from typing import Any

from eagerflow.util import lazy

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

# A function is warned about when at least this many of its last calls were traced,
_MANY = 5
# out of about this many calls, and at most `_MOST_WARNINGS` times.
_RECENT = 10
_MOST_WARNINGS = 2
# The maximum number of functions that are watched; the newest ones are kept.
_WATCHED = 100


class History:
    """When calls of functions with the same code were traced: the index of each such call.

    `calls` counts all of them; functions add those that are not traced.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.traced: collections.deque[int] = collections.deque()
        self.warnings = 0

    def add(self) -> None:
        """Notes a call that was traced."""
        self.calls += 1
        self.traced.append(self.calls)
        while len(self.traced) > 1 and self.calls - self.traced[1] + 1 > _RECENT:
            self.traced.popleft()


_histories: collections.OrderedDict[Any, History] = collections.OrderedDict()
_lock = threading.Lock()


def history_of(python_function: object) -> History:
    """The state that functions of the same piece of code share."""
    while hasattr(python_function, "__wrapped__"):
        python_function = python_function.__wrapped__
    python_function = getattr(python_function, "__func__", python_function)
    key = getattr(python_function, "__code__", python_function)
    with _lock:
        history = _histories.pop(key, None) or History()
        _histories[key] = history
        if len(_histories) > _WATCHED:
            _histories.popitem(last=False)
    return history


def note_trace(history: History, python_function: object) -> None:
    """Notes that a call was traced, and warns if many of the last calls were.

    Args:
        history: that of the function.
        python_function: the function, for the message.
    """
    with _lock:
        history.add()
        if len(history.traced) < _MANY or history.warnings >= _MOST_WARNINGS:
            return
        history.warnings += 1
        calls = history.calls - history.traced[0] + 1
    logging.warning(
        "%s out of the last %s calls to %s triggered tf.function retracing. Tracing is expensive and "
        "the excessive number of tracings could be due to (1) creating @tf.function repeatedly in a "
        "loop, (2) passing tensors with different shapes, (3) passing Python objects instead of "
        "tensors. For (1), please define your @tf.function outside of the loop. For (2), @tf.function "
        "has reduce_retracing=True option that can avoid unnecessary retracing. For (3), please refer "
        "to https://www.tensorflow.org/guide/function#controlling_retracing and "
        "https://www.tensorflow.org/api_docs/python/tf/function for  more details.",
        len(history.traced),
        calls,
        python_function,
    )
