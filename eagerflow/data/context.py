"""The state that an iterator's cursors share: the options of the pipeline."""

from __future__ import annotations

import functools
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
    root: Any = field(default=None, compare=False, repr=False)  # the dataset that is read

    def caller(self, function: Any) -> Callable[[Any], Any]:
        """The callable of this iteration for an `ElementFunction`."""
        return function.caller(self.streams)

    def place(self, dataset: Any) -> Callable[[], str]:
        """A function that says which step of the pipeline a dataset is, for messages of errors."""
        return functools.partial(_described, self.root, dataset)


def _described(root: Any, dataset: Any) -> str:
    # Datasets that functions of the pipeline return have no path from its root.
    path = _path(root, dataset) or [_step(dataset)]
    kind = type(dataset).__name__
    return f"{kind} transformation with iterator: Iterator::Root::{'::'.join(path)}"


def _path(dataset: Any, wanted: Any) -> list[str]:
    """The names of the steps from a dataset to another one; an empty list if there is no path."""
    if dataset is wanted:
        return [_step(dataset)]
    inputs = () if dataset is None else dataset._inputs
    for number, source in enumerate(inputs):
        found = _path(source, wanted)
        if found:
            if dataset._own_options is not None:  # it changes no elements
                return found
            index = f"[{number}]" if len(inputs) > 1 else ""
            return [_step(dataset) + index, *found]
    return []


def _step(dataset: Any) -> str:
    return type(dataset).__name__.removesuffix("Dataset")


def context_of(options: Any, root: Any = None) -> Context:
    """The settings of one reading.

    Args:
        options: a dataset's options.
        root: the dataset.
    """
    threads = options.threading.private_threadpool_size
    optimization = options.experimental_optimization
    fused = optimization.map_and_batch_fusion
    if fused is None:
        fused = optimization.apply_default_optimizations is not False
    return Context(
        root=root,
        fused=fused,
        deterministic=options.deterministic is not False,
        threads=threads if threads else _core.default_threads(),
    )
