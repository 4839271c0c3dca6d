"""Version 1's tf.gradients and tf.hessians: version 2 has dropped an argument in their middle."""

from __future__ import annotations

from typing import Any

from eagerflow.graph import gradients as version_2
from eagerflow.typing import Structure


def gradients(
    ys: Structure,
    xs: Structure,
    grad_ys: Structure = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    stop_gradients: Structure = None,
    unconnected_gradients: str | None = None,
) -> list[Any]:
    """The derivatives of the sum of `ys` by each of `xs`: version 2's `tf.gradients`.

    Args:
        ys: a tensor of the graph, or a list.
        xs: a tensor or variable of the graph, or a list.
        grad_ys: weights of the elements of `ys`; ones by default.
        name: the node's name.
        colocate_gradients_with_ops: whether the operations of a gradient are on the device and in the
            groups of the operation whose gradient they compute.
        gate_gradients: accepted, like the following one.
        aggregation_method: see above.
        stop_gradients: tensors that are treated as constants.
        unconnected_gradients: "none" or "zero": the result for tensors that no `ys` depends on.

    Returns:
        A list with one tensor for each of `xs`, or None.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     (dx,) = tf.compat.v1.gradients(x * x, x, None, "by_x", True)
    ...     with tf.compat.v1.Session() as session:
    ...         print(session.run(dx, {x: 2.0}))
    4.0
    """
    return version_2.added(
        ys,
        xs,
        grad_ys,
        name,
        aggregation_method,
        stop_gradients,
        unconnected_gradients,
        bool(colocate_gradients_with_ops),
    )


def hessians(
    ys: Structure,
    xs: Structure,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: object = None,
) -> list[Any]:
    """The second derivatives of the sum of `ys` by each of `xs`: version 2's `tf.hessians`.

    Args:
        ys: a tensor of the graph, or a list.
        xs: a tensor or variable of the graph of known shape, or a list.
        name: the nodes' name.
        colocate_gradients_with_ops: accepted, like the two following ones.
        gate_gradients: see above.
        aggregation_method: see above.

    Returns:
        A list with one tensor for each of `xs`, of its shape twice.
    """
    return version_2.hessians(ys, xs, gate_gradients, aggregation_method, name)
