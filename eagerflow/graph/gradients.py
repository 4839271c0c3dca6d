"""tf.gradients: derivatives as nodes, which the tape of a session's run computes."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, context, nest
from eagerflow.graph.execution import current_run
from eagerflow.graph.recording import record
from eagerflow.graph.structure import is_symbol
from eagerflow.type_spec import TensorSpec

_ops = _core.ops
# Operations whose results do not change with small changes of what they are made from.
_CONSTANT = frozenset(
    {"StopGradient", "Shape", "Size", "Rank", "ArgMax", "ArgMin", "zeros_like", "ones_like"}
    | {"ZerosLike", "OnesLike"}
)


class _Gradients:
    """What a node of derivatives does in a run."""

    def __init__(self, sources: list[Any]) -> None:
        self.gradient_sources = sources
        self.__name__ = "gradients"

    def __call__(self, targets: list[Any], weights: list[Any], sources: list[Any]) -> list[Any]:
        run = current_run()
        assert run is not None and run.tape is not None
        targets = [_tensor(target) for target in targets]
        if weights is not None:
            weights = [
                None if weight is None else _core.convert(weight, None, target.dtype)
                for weight, target in zip(weights, targets, strict=True)
            ]
        found = run.tape.gradient(targets, sources, weights)
        return [
            _ops.zeros_like(_tensor(source)) if gradient is None else gradient
            for gradient, source in zip(found, sources, strict=True)
        ]


def _tensor(value: Any) -> Any:
    return value.read_value() if isinstance(value, _core.Variable) else value


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
        grad_ys: weighs the elements of `ys`; by default each weighs one.
        name: the node's name.
        colocate_gradients_with_ops: accepted, like the two following ones.
        gate_gradients: see above.
        aggregation_method: see above.
        stop_gradients: tensors that are taken for constants.
        unconnected_gradients: "none" or "zero": what to give for tensors that no `ys` depends on.

    Returns:
        A list with one tensor for each of `xs`, or None.

    Raises:
        RuntimeError: if operations run eagerly.
        TypeError: if `ys` or `xs` are not tensors of a graph.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     (dx,) = tf.gradients(x * x * x, x)
    ...     with tf.compat.v1.Session() as session:
    ...         print(session.run(dx, {x: 2.0}))
    12.0
    """
    if context.building_graph() is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead."
        )
    targets = list(ys) if isinstance(ys, list | tuple) else [ys]
    sources = list(xs) if isinstance(xs, list | tuple) else [xs]
    for tensor in [*targets, *sources]:
        if not is_symbol(tensor):
            raise TypeError(
                f"tf.gradients takes tensors of a graph, got {tensor!r} of type "
                f"{type(tensor).__name__}."
            )
    weights = None
    if grad_ys is not None:
        weights = list(grad_ys) if isinstance(grad_ys, list | tuple) else [grad_ys]
        if len(weights) != len(targets):
            raise ValueError(f"Must pass one grad_y for each y, got {len(weights)}.")
    stopped = nest.flatten(stop_gradients) if stop_gradients is not None else []
    zeros = getattr(unconnected_gradients, "value", unconnected_gradients) == "zero"
    connected = _connected(targets, sources, stopped)
    chosen = [source for source, found in zip(sources, connected, strict=True) if found]
    graph = targets[0].graph
    results = iter(())
    if chosen:
        specs = [TensorSpec(source.shape, source.dtype) for source in chosen]
        results = iter(
            record(
                graph,
                _Gradients(chosen) if not stopped else _WithStops(chosen, stopped),
                (targets, weights, chosen),
                kind=name,
                outputs=specs,
            )
        )
    return [
        next(results) if found else (record(graph, _ops.zeros_like, (source,)) if zeros else None)
        for source, found in zip(sources, connected, strict=True)
    ]


class _WithStops(_Gradients):
    """Derivatives that take some tensors for constants."""

    def __init__(self, sources: list[Any], stopped: list[Any]) -> None:
        super().__init__(sources)
        # A tape stops at every source: what comes from beyond is not asked for then.
        self._stopped = stopped
        self.gradient_sources = [*sources, *stopped]

    def __call__(self, targets: list[Any], weights: Any, sources: list[Any]) -> list[Any]:
        run = current_run()
        assert run is not None and run.tape is not None
        total = super().__call__(targets, weights, sources)
        for symbol in self._stopped:
            value = _tensor(run.value(symbol))
            if any(value is source for source in sources):
                continue
            (through,) = run.tape.gradient([_tensor(t) for t in targets], [value], weights)
            if through is None:
                continue
            beyond = run.tape.gradient(value, sources, through)
            total = [
                part if more is None else part - more
                for part, more in zip(total, beyond, strict=True)
            ]
        return total


def _connected(targets: list[Any], sources: list[Any], stopped: list[Any]) -> list[bool]:
    """Which sources the targets depend on, as far as the graph shows."""
    wanted = {id(source) for source in sources}
    stops = {id(symbol) for symbol in stopped}
    found: set[int] = set()
    seen: set[int] = set()
    stack = list(targets)
    while stack:
        tensor = stack.pop()
        if id(tensor) in seen or not _continuous(tensor.dtype):
            continue
        seen.add(id(tensor))
        if id(tensor) in wanted:
            found.add(id(tensor))
        if id(tensor) not in stops and tensor.op.type not in _CONSTANT:
            stack.extend(tensor.op.inputs)
    return [id(source) in found for source in sources]


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
