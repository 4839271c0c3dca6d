"""Whether layers are in training mode: the learning phase, and choices that are made when a graph runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.context import building_graph, process
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.ops import control_flow

_Tensor = _core.Tensor

phase = threading.local()  # its `value` is the phase that was set outside of programs' graphs


def learning_phase() -> Any:
    """1 or True if layers run in training mode by default, else 0.

    In a program's graph, unless it has been set there, it is a tensor that is False if it is not fed.
    """
    graph = building_graph() if process.graphs_used else None
    return getattr(phase, "value", 0) if graph is None else graph.learning_phase()


def learning_phase_is_set() -> bool:
    """Whether a program has chosen the learning phase."""
    graph = building_graph()
    return hasattr(phase, "value") if graph is None else graph.set_phase is not None


def set_learning_phase(value: object) -> None:
    """Sets the mode of layers that are called without `training`: 0 for inference, 1 for training.

    In a program's graph it is set for this graph alone.

    Raises:
        ValueError: for other integers.
    """
    if isinstance(value, int) and value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    graph = building_graph()
    if graph is None:
        phase.value = value
    else:
        graph.set_phase = value


def clear_learning_phase() -> None:
    """Forgets what `set_learning_phase` has set."""
    graph = building_graph()
    if graph is not None:
        graph.set_phase = None
    elif learning_phase_is_set():
        del phase.value


def _known(training: bool | _Tensor) -> _Tensor | bool | None:
    """The value of `training`; None for a tensor of the graph that is being built, which has none."""
    if isinstance(training, _Tensor) and is_symbolic(training):
        return _core.static_value(training)
    return bool(training)


def resolved(training: bool | _Tensor | None) -> Any:
    """The value of `training`; for None in a program's graph the learning phase."""
    if training is None and process.graphs_used:
        return learning_phase()
    return training


def may_train(training: bool | _Tensor) -> bool:
    """Whether a call is in training, or may be when its graph runs."""
    training = resolved(training)
    known = _known(training)
    return known is None or bool(known)


def by_training(training: bool | _Tensor, compute: Callable[[bool], Any]) -> Any:
    """`compute(True)` in training, else `compute(False)`; a `tf.cond` if the phase is unknown."""
    training = resolved(training)
    known = _known(training)
    if known is not None:
        return compute(bool(known))
    in_training = _core.ops.cast(training, dtypes.bool)
    return control_flow.cond(in_training, lambda: compute(True), lambda: compute(False))
