"""Bytes that the engine's tensors use, as operations."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.config import experimental
from eagerflow.ops.host_functions import py_function


def _counted(count: Callable[[], int]) -> Any:
    result = py_function(count, [], "int64")
    result.set_shape([])
    return result


def BytesInUse() -> _core.Tensor:
    """The bytes in use, int64: in a graph, when the node runs.

    >>> bool(tf.contrib.memory_stats.BytesInUse() >= 0)
    True
    """
    return _counted(lambda: experimental.get_memory_info("CPU:0")["current"])


def MaxBytesInUse() -> _core.Tensor:
    """The most bytes that were in use, int64."""
    return _counted(lambda: experimental.get_memory_info("CPU:0")["peak"])


def BytesLimit() -> _core.Tensor:
    """The bytes of the machine's memory, int64."""
    return _counted(lambda: os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
