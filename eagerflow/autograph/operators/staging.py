"""Which values decide at run time, and the graphs in which code runs to see what it would do."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import FuncGraph, dims_of

Tensor = _core.Tensor

# Python's values that become tensors as variables of loops and branches.
VALUES = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def is_staged(value: object) -> bool:
    """Whether a function is being traced, and a value is a tensor or a variable of it."""
    return isinstance(value, Tensor | _core.Variable) and _core.building() is not None


def placeholder_like(graph: FuncGraph, value: object) -> Any:
    """A tensor of the graph for a Python value that has one, anything else as it is."""
    if not isinstance(value, VALUES):
        return value
    tensor = _core.as_tensor(value)
    return graph.placeholder(tensor.dtype, dims_of(tensor.shape), "loop_variable")


def as_tensor(value: object) -> Any:
    """The tensor of a Python value that has one, anything else as it is."""
    return _core.as_tensor(value) if isinstance(value, VALUES) else value


def condition(value: Any, statement: str) -> Any:
    """A staged condition, checked.

    Args:
        value: the condition.
        statement: what it belongs to, for the message.

    Returns:
        A scalar; a tensor that has one element, or may turn out to, is reshaped.

    Raises:
        ValueError: if it is not boolean, or has more elements.
    """
    value = _core.as_tensor(value)
    rank = value.shape.rank
    if value.dtype is dtypes.bool:
        if rank == 0:
            return value
        if not rank or all(size in (None, 0, 1) for size in value.shape):
            return _core.ops.reshape(value, [])
    hint = "to check for None, use `is not None`"
    if value.dtype is not dtypes.bool:
        hint = "to use as boolean Tensor, use `tf.cast`; " + hint
    raise ValueError(
        f"condition of {statement} expected to be `tf.bool` scalar, got {value!s}; {hint}"
    )


def scratch_graph(name: str) -> AbstractContextManager[FuncGraph]:
    """A graph of which nothing is kept: code that runs in it shows what it would give."""
    return FuncGraph(name).as_default()
