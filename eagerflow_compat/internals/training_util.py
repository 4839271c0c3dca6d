"""tensorflow.python.training: what estimators ask of the global step, and of devices."""

from __future__ import annotations

import itertools
from typing import Any

from eagerflow.framework import context
from eagerflow_compat.v1.global_step import get_global_step

__all__ = [
    "GLOBAL_STEP_READ_KEY",
    "STANDARD_PS_OPS",
    "_RoundRobinStrategy",
    "_get_or_create_global_step_read",
]

GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"
# The kinds of operations that version 1 places on parameter servers.
STANDARD_PS_OPS = (
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator",
    "DecisionTreeResource",
)


class _RoundRobinStrategy:
    """Returns the numbers of tasks in turn, for operations that are placed one after the other.

    Args:
        num_tasks: how many there are.
    """

    def __init__(self, num_tasks: int) -> None:
        self._tasks = itertools.cycle(range(num_tasks))

    def __call__(self, unused_op: object) -> int:
        return next(self._tasks)


def _get_or_create_global_step_read(graph: Any = None) -> Any:
    """The tensor of a graph that has the global step before it is counted up; None without a step."""
    graph = graph or context.default_graph()
    reads = graph.get_collection(GLOBAL_STEP_READ_KEY)
    if reads:
        return reads[0]
    step = get_global_step(graph)
    if step is None:
        return None
    with graph.as_default():
        read = step.read_value() + 0
    graph.add_to_collection(GLOBAL_STEP_READ_KEY, read)
    return read
