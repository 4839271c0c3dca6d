"""Optimizers' updates as nodes of a graph."""

from __future__ import annotations

from typing import Any

from eagerflow import context
from eagerflow.graph.recording import record


def apply_gradients(optimizer: Any, pairs: list, global_step: Any, name: str) -> Any:
    """An operation that changes variables by their gradients, and then adds one to the step.

    Args:
        optimizer: one of version 1's.
        pairs: gradients and variables.
        global_step: a variable, or None.
        name: the operation's name.
    """
    chosen = [(gradient, variable) for gradient, variable in pairs if gradient is not None]

    def update(gradients: list, variables: list, step: Any) -> None:
        optimizer.apply_gradients(zip(gradients, variables, strict=True), global_step=step)

    return record(
        context.default_graph(),
        update,
        ([gradient for gradient, _ in chosen], [variable for _, variable in chosen], global_step),
        kind=name,
        name=name,
        infers=False,
    )
