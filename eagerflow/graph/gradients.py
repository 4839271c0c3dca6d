"""tf.gradients: derivatives as nodes, which the engine computes with a tape."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff import graph_gradients
from eagerflow.framework import context, dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.outside import as_symbol
from eagerflow.graph.recording import record
from eagerflow.graph.structure import is_symbol

_ops = _core.ops
# Operations whose results do not change with small changes of what they are made from.
_CONSTANT = frozenset(
    {"StopGradient", "Shape", "Size", "Rank", "ArgMax", "ArgMin", "zeros_like", "ones_like"}
    | {"ZerosLike", "OnesLike"}
)


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
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
        colocate_gradients_with_ops: accepted, like the two following ones.
        gate_gradients: see above.
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
    if _core.building() is not None:
        return graph_gradients.gradients(
            ys, xs, grad_ys, aggregation_method, stop_gradients, unconnected_gradients
        )
    if context.building_graph() is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead."
        )
    building = context.building_graph()
    targets = [as_symbol(y, building) for y in (list(ys) if isinstance(ys, list | tuple) else [ys])]
    sources = [as_symbol(x, building) for x in (list(xs) if isinstance(xs, list | tuple) else [xs])]
    for tensor in [*targets, *sources]:
        if not is_symbol(tensor) and not isinstance(tensor, _core.Tensor):
            raise TypeError(
                f"tf.gradients takes tensors of a graph, got {tensor!r} of type "
                f"{type(tensor).__name__}."
            )
    weights = []
    if grad_ys is not None:
        weights = list(grad_ys) if isinstance(grad_ys, list | tuple) else [grad_ys]
        if len(weights) != len(targets):
            raise ValueError(f"Must pass one grad_y for each y, got {len(weights)}.")
    else:
        for target in targets:
            if target.dtype.is_complex:
                raise TypeError(
                    f"Gradients of complex tensors ({target}) must set grad_ys (y.dtype = "
                    f"{target.dtype.name})"
                )
    stopped = nest.flatten(stop_gradients) if stop_gradients is not None else []
    zeros = getattr(unconnected_gradients, "value", unconnected_gradients) == "zero"
    # Eager tensors are constants, which depend on nothing.
    positions = [k for k, target in enumerate(targets) if is_symbol(target)]
    symbols = [targets[k] for k in positions]
    connected = _connected(symbols, sources, stopped)
    reached = [source for source, connects in zip(sources, connected, strict=True) if connects]
    graph = symbols[0].graph if symbols else building
    results = iter(())
    if reached:
        weights = [weights[k] for k in positions] if weights else []
        results = iter(_node(graph, symbols, reached, weights, stopped, name))

    def unconnected(source: Any) -> Any:
        itself = any(source is target for target in targets)
        if itself and grad_ys is None and source.dtype is not dtypes.string:
            return record(graph, _ops.ones_like, (source,))
        return record(graph, _ops.zeros_like, (source,)) if zeros else None

    return [
        next(results) if connects else unconnected(source)
        for source, connects in zip(sources, connected, strict=True)
    ]


def _node(
    graph: Any, targets: list, sources: list, weights: list, stopped: list, name: str
) -> list[Any]:
    """Adds a node that computes derivatives; returns its tensors."""
    if any(weight is not None for weight in weights):
        weights = [
            _weight(graph, weight, target) for weight, target in zip(weights, targets, strict=True)
        ]
    else:
        weights = []
    inputs = [*targets, *sources, *weights, *stopped]
    specs = [TensorSpec(source.shape, source.dtype) for source in sources]
    results = record(graph, _only_engine, (inputs,), kind=name, outputs=specs)
    graph._native.set_gradient(results[0].op._node, len(targets), len(sources), bool(weights))
    return results


def _only_engine(*args: Any) -> None:
    raise AssertionError("The engine computes derivatives.")


def _weight(graph: Any, weight: Any, target: Any) -> Any:
    if weight is None:
        return record(graph, _ops.ones_like, (target,))
    if is_symbol(weight):
        return weight
    return record(graph, _core.convert, (weight, target.dtype, None))


def _connected(targets: list[Any], sources: list[Any], stopped: list[Any]) -> list[bool]:
    """For each source, whether the targets depend on it along differentiable tensors."""
    wanted = {id(source) for source in sources}
    stops = {id(symbol) for symbol in stopped}
    reached: set[int] = set()
    seen: set[int] = set()
    stack = list(targets)
    while stack:
        tensor = stack.pop()
        if id(tensor) in seen or not _continuous(tensor.dtype):
            continue
        seen.add(id(tensor))
        if id(tensor) in wanted:
            reached.add(id(tensor))
        if id(tensor) not in stops and tensor.op.type not in _CONSTANT:
            stack.extend(tensor.op.inputs)
    return [id(source) in reached for source in sources]


def _continuous(dtype: Any) -> bool:
    return dtype.is_floating or dtype.is_complex


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list[Any]:
    """The second derivatives of the sum of `ys` by each of `xs`.

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
    if _core.building() is not None:
        return graph_gradients.hessians(ys, xs)
    sources = list(xs) if isinstance(xs, list | tuple) else [xs]
    results = []
    for source, gradient in zip(sources, gradients(ys, sources, name=name), strict=True):
        shape = source.shape.as_list()
        size = source.shape.num_elements()
        if size is None:
            raise ValueError(f"tf.hessians needs known shapes, got {source!r}.")
        graph = source.graph
        flat = record(graph, _ops.reshape, (gradient, [size]))
        rows = [gradients(flat[k], source, unconnected_gradients="zero")[0] for k in range(size)]
        stacked = record(graph, _ops.stack, (rows,), {"axis": 0})
        results.append(record(graph, _ops.reshape, (stacked, [*shape, *shape])))
    return results
