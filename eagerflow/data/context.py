"""What an iterator's cursors share: the options of the whole pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eagerflow.framework import random_seed


@dataclass(frozen=True)
class Context:
    """The settings of one run of a pipeline, and the random state of its functions."""

    deterministic: bool = True
    threads: int = 1
    fused: bool = True
    streams: dict[Any, random_seed.TraceSeeds] = field(
        default_factory=dict, compare=False, repr=False
    )

    def drawing(self, dataset: Any, function: Callable[..., Any]) -> Callable[..., Any]:
        """A dataset's function, with random state that continues from cursor to cursor.

        Args:
            dataset: the dataset, which has a `_draws`.
            function: a function of the program.
        """
        key, seed = dataset._draws
        if key is None:
            key = dataset
        streams = self.streams.get(key)
        if streams is None:
            streams = self.streams[key] = random_seed.TraceSeeds(seed)
        return random_seed.as_traced(function, streams)


def draws_of(function: Callable[..., Any]) -> tuple[Any, Any]:
    """The key of a function that draws random values, and the global seed.

    A function that another function of the pipeline passes to a dataset is identified by its code,
    as it is made anew for each element; any other by its dataset, with None as its key.
    """
    inside = random_seed.inside_function()
    return getattr(function, "__code__", None) if inside else None, random_seed.current()


def context_of(options: Any) -> Context:
    """The settings from a dataset's options."""
    threads = options.threading.private_threadpool_size
    optimization = options.experimental_optimization
    fused = optimization.map_and_batch_fusion
    if fused is None:
        fused = optimization.apply_default_optimizations is not False
    return Context(
        fused=fused,
        deterministic=options.deterministic is not False,
        threads=threads if threads else available_cores(),
    )


def available_cores() -> int:
    """The number of cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
