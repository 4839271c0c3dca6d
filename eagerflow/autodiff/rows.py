"""Gradients of one tensor under many weightings, while a function is traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.util import lazy

func_graph = lazy.Module("eagerflow.framework.func_graph")


def gradients_of_rows(
    gradients: Callable[[Any], list[Any]], target: Any, weights: Any
) -> list[Any]:
    """The gradients for each row of `weights`, stacked.

    Args:
        gradients: a function of a weight of `target`, which is called once.
        target: a tensor of shape `s`.
        weights: a tensor of shape `[n] + s`.

    Returns:
        For each gradient that the function returns a tensor with `n` rows, or None for None.
    """
    if weights.shape.rank is not None and weights.shape[0] == 1:
        only = gradients(_core.ops.gather(weights, 0, 0, 0))
        return [None if g is None else _core.ops.expand_dims(_core.as_tensor(g), 0) for g in only]
    graph = func_graph.FuncGraph("rows")
    with graph.as_default():
        row = graph.placeholder(target.dtype, func_graph.dims_of(target.shape), "row")
        row_gradients = [None if g is None else _core.as_tensor(g) for g in gradients(row)]
        graph.finish([gradient for gradient in row_gradients if gradient is not None])
    stacks = iter(_core.rows_node(graph, [weights]) if graph.outputs else ())
    return [None if gradient is None else next(stacks) for gradient in row_gradients]
