"""What an iterator's cursors have in common: the options that the whole pipeline runs with."""

from __future__ import annotations

import os
from typing import Any, NamedTuple


class Context(NamedTuple):
    """The settings of one run of a pipeline."""

    deterministic: bool = True
    threads: int = 1


def context_of(options: Any) -> Context:
    """The settings that a dataset's options ask for."""
    threads = options.threading.private_threadpool_size
    return Context(
        deterministic=options.deterministic is not False,
        threads=threads if threads else available_cores(),
    )


def available_cores() -> int:
    """The number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
