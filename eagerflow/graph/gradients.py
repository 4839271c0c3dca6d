"""tf.gradients: derivatives as nodes of the graph that is being built."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.autodiff import graph_gradients
from eagerflow.framework import context
from eagerflow.framework.name_scope import name_scope
from eagerflow.graph.symbols import as_tensors


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = None,
) -> list[Any]:
    """The derivatives of the sum of `ys` by each of `xs`.

    Args:
        ys: a tensor of the graph, or a list.
        xs: a tensor or variable of the graph, or a list.
        grad_ys: weights of the elements of `ys`; ones by default.
        name: the node's name.
        gate_gradients: accepted, like the following one.
        aggregation_method: see above.
        stop_gradients: tensors that are treated as constants.
        unconnected_gradients: "none" or "zero": the result for tensors that no `ys` depends on.

    Returns:
        A list with one tensor for each of `xs`, or None.

    Raises:
        RuntimeError: if operations run eagerly.
        TypeError: if `ys` or `xs` are not tensors, or one of `ys` is complex and has no `grad_ys`.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     (dx,) = tf.gradients(x * x * x, x)
    ...     with tf.compat.v1.Session() as session:
    ...         print(session.run(dx, {x: 2.0}))
    12.0
    """
    return added(ys, xs, grad_ys, name, aggregation_method, stop_gradients, unconnected_gradients)


def added(
    ys: Any,
    xs: Any,
    grad_ys: Any,
    name: str = "gradients",
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = None,
    colocate: bool = False,
) -> list[Any]:
    """`gradients`; with `colocate`, in the groups of the operations of the program's graph."""
    graph = _core.building()
    if graph is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead."
        )
    program = context.building_graph()
    if program is not None:
        ys, xs = as_tensors(ys, program), as_tensors(xs, program)
    with name_scope(name):
        return graph_gradients.gradients(
            ys, xs, grad_ys, aggregation_method, stop_gradients, unconnected_gradients,
            colocate and program is not None,
        )  # fmt: skip


def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    name: str = "hessians",
) -> list[Any]:
    """The second derivatives of the sum of `ys` by each of `xs`.

    Args:
        ys: a tensor of the graph, or a list.
        xs: a tensor or variable of the graph of known shape, or a list.
        gate_gradients: accepted, like the following one.
        aggregation_method: see above.
        name: the nodes' name.

    Returns:
        A list with one tensor for each of `xs`, of its shape twice.
    """
    program = context.building_graph()
    if program is not None:
        ys, xs = as_tensors(ys, program), as_tensors(xs, program)
    return graph_gradients.hessians(ys, xs)
