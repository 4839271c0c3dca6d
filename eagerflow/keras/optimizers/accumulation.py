"""Gradients that are added up over several steps, of which the last changes the variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.variable import Variable, variable_at_once
from eagerflow.ops import control_flow

_ops = _core.ops

SLOT = "gradient_accumulator"
COUNTER = "accumulated_steps"


def checked_steps(steps: Any) -> int | None:
    """The argument `gradient_accumulation_steps`.

    Raises:
        ValueError: if it is neither None nor an integer of at least 2.
    """
    if steps is not None and (not isinstance(steps, int) or steps < 2):
        raise ValueError(
            "`gradient_accumulation_steps` must be an integer >= 2 or None. Received: "
            f"gradient_accumulation_steps={steps}"
        )
    return steps


def counter() -> Variable:
    """A variable for the number of calls of `apply_gradients` so far."""
    return variable_at_once(0, dtype=dtypes.int64, trainable=False, name=COUNTER)


def accumulate(
    calls: Variable,
    steps: int,
    sums: list[Variable],
    gradients: list[Any],
    update: Callable[[list[Any]], None],
    count: Callable[[], Any],
) -> None:
    """Adds gradients to their sums; every so many calls, updates by their mean instead.

    Args:
        calls: the number of calls so far.
        steps: how many calls belong to one update.
        sums: the sums of the gradients since the last update, one for each gradient.
        gradients: tensors or `tf.IndexedSlices`.
        update: called with the means of the gradients.
        count: called at the end: counts the call.
    """
    dense = [_core.as_tensor(gradient) for gradient in gradients]

    def add() -> Any:
        for total, gradient in zip(sums, dense, strict=True):
            total.assign_add(gradient)
        return calls.read_value()

    def apply() -> Any:
        update([(total + g) / steps for total, g in zip(sums, dense, strict=True)])
        for total in sums:
            total.assign(_ops.zeros_like(total))
        return calls.read_value()

    if _core.building() is None:
        (add if (int(calls) + 1) % steps else apply)()
    else:
        is_last = _ops.equal(_ops.floormod(calls.read_value() + 1, steps), 0)
        control_flow.cond(is_last, apply, add)
    count()
