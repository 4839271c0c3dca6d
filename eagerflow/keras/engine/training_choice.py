"""What layers do in training and elsewhere, where only the run of a graph knows which it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.keras.engine import call_context
from eagerflow.ops import control_flow

_Tensor = _core.Tensor


def _known(training: Any) -> Any:
    """The value of `training`; None for a tensor of the graph that is being built, which has none."""
    if isinstance(training, _Tensor) and is_symbolic(training):
        return _core.static_value(training)
    return bool(training)


def resolved(training: Any) -> Any:
    """The value of `training`; in a program's graph the learning phase where none was given."""
    if training is None and context.process.graphs_used:
        return call_context.learning_phase()
    return training


def may_train(training: Any) -> bool:
    """Whether a call is in training, or may be when its graph runs."""
    training = resolved(training)
    known = _known(training)
    return known is None or bool(known)


def by_training(training: Any, compute: Callable[[bool], Any]) -> Any:
    """`compute(True)` in training, else `compute(False)`; a choice of the graph if that is unknown."""
    training = resolved(training)
    known = _known(training)
    if known is not None:
        return compute(bool(known))
    in_training = _core.ops.cast(training, dtypes.bool)
    return control_flow.cond(in_training, lambda: compute(True), lambda: compute(False))
