"""The state that an iterator's cursors share: the options of the pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eagerflow import _core


@dataclass(frozen=True)
class Context:
    """The settings of one reading of a pipeline, and the positions of its random streams."""

    deterministic: bool = True
    threads: int = 1
    fused: bool = True
    streams: Any = field(default_factory=_core.StreamStates, compare=False, repr=False)

    def caller(self, function: Any) -> Callable[[Any], Any]:
        """The callable of this iteration for an `ElementFunction`."""
        return function.caller(self.streams)


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
        threads=threads if threads else _core.default_threads(),
    )
