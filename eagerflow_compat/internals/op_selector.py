"""tensorflow.python.ops.op_selector: which operations of a graph others depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from eagerflow import _core, nest
from eagerflow.functions.variable_creation import UnliftableError

__all__ = [
    "UnliftableError",
    "check_graphs",
    "concatenate_unique",
    "get_backward_walk_ops",
    "get_consuming_ops",
    "get_generating_ops",
    "get_tensors",
    "get_unique_graph",
    "graph_inputs",
    "is_differentiable",
    "is_iterable",
    "make_list_of_op",
    "make_list_of_t",
]


def is_iterable(obj: object) -> bool:
    """Whether an object has elements that a loop may go through."""
    try:
        iter(obj)  # type: ignore[call-overload]
    except Exception:
        return False
    return True


def concatenate_unique(la: list[Any], lb: Iterable[Any]) -> list[Any]:
    """A list with the elements of another one that it lacks appended to it."""
    known = {id(item) for item in la}
    for item in lb:
        if id(item) not in known:
            la.append(item)
            known.add(id(item))
    return la


def _flat(values: Any) -> list[Any]:
    return [] if values is None else nest.flatten(values)


def _operation(value: Any) -> Any:
    return value.op if isinstance(value, _core.Tensor) else value


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Any:
    """The graph that tensors and operations belong to.

    Args:
        tops: a tensor, an operation, or a structure of them.
        check_types: the classes that they may have.
        none_if_empty: whether None is returned where there are none of them.

    Raises:
        TypeError: for something of another class.
        ValueError: if there are several graphs, or none.
    """
    if hasattr(tops, "get_operations"):
        return tops
    graph = None
    for item in _flat(tops):
        if not hasattr(item, "graph") or (check_types and not isinstance(item, check_types)):
            raise TypeError(f"Expected tensors and operations of a graph, got {type(item)}.")
        if graph is not None and item.graph is not graph:
            raise ValueError(f"{item} does not belong to the graph of the others.")
        graph = item.graph
    if graph is None and not none_if_empty:
        raise ValueError("There are no operations or tensors, and so there is no graph of them.")
    return graph


def check_graphs(*args: Any) -> None:
    """Raises a ValueError if tensors and operations belong to several graphs."""
    get_unique_graph([arg for arg in args if arg is not None], none_if_empty=True)


def get_tensors(graph: Any) -> list[Any]:
    """All tensors of a graph."""
    if not hasattr(graph, "get_operations"):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [tensor for operation in graph.get_operations() for tensor in operation.outputs]


def _listed(
    values: Any, tensors: bool, expected: str, check_graph: bool, ignore: bool
) -> list[Any]:
    """The tensors, or the operations, in a structure; others are left out if they are to be ignored."""
    found = _flat(values)
    others = [item for item in found if isinstance(item, _core.Tensor) != tensors]
    if others and not ignore:
        raise TypeError(f"Expected {expected} {others[0]}.")
    found = [item for item in found if isinstance(item, _core.Tensor) == tensors]
    if check_graph:
        get_unique_graph(found, none_if_empty=True)
    return found


def make_list_of_op(
    tops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> list[Any]:
    """A list of operations.

    Args:
        tops: an operation, a structure of them, or a graph.
        check_graph: whether they must belong to one graph.
        allow_graph: whether `tops` may be a graph.
        ignore_ts: whether tensors are left out, instead of refused.
    """
    if hasattr(tops, "get_operations"):
        if not allow_graph:
            raise TypeError("A graph is not accepted here.")
        return list(tops.get_operations())
    return _listed(tops, False, "operations, got the tensor", check_graph, ignore_ts)


def make_list_of_t(
    ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> list[Any]:
    """A list of tensors.

    Args:
        ts: a tensor, a structure of them, or a graph.
        check_graph: whether they must belong to one graph.
        allow_graph: whether `ts` may be a graph.
        ignore_ops: whether operations are left out, instead of refused.
    """
    if hasattr(ts, "get_operations"):
        if not allow_graph:
            raise TypeError("A graph is not accepted here.")
        return get_tensors(ts)
    return _listed(ts, True, "tensors, got", check_graph, ignore_ops)


def get_generating_ops(ts: Any) -> list[Any]:
    """The operations that compute tensors."""
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> list[Any]:
    """The operations that take tensors."""
    found: list[Any] = []
    for tensor in make_list_of_t(ts, allow_graph=False):
        concatenate_unique(found, tensor.consumers())
    return found


def graph_inputs(op: Any) -> list[Any]:
    """The operations whose outputs an operation takes."""
    return [tensor.op for tensor in op.inputs]


def is_differentiable(op: Any) -> bool:
    """Whether gradients go through an operation."""
    return any(output.dtype.is_floating or output.dtype.is_complex for output in op.outputs)


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Any = None,
    within_ops_fn: Callable[[Any], bool] | None = None,
    stop_at_ts: Any = (),
    control_inputs: bool = False,
    only_differentiable: bool = False,
) -> list[Any]:
    """The operations that others depend on, the nearest first.

    Args:
        seed_ops: operations or tensors.
        inclusive: whether these operations are among the result.
        within_ops: operations, the only ones that are looked at.
        within_ops_fn: says which ones are looked at.
        stop_at_ts: tensors behind which nothing is looked at.
        control_inputs: whether dependencies of control count.
        only_differentiable: whether only operations count that gradients go through.
    """
    seeds = [_operation(item) for item in _flat(seed_ops)]
    get_unique_graph(seeds, none_if_empty=True)
    stop = {tensor.name for tensor in make_list_of_t(stop_at_ts)}
    allowed = None if within_ops is None else {_operation(item) for item in within_ops}

    def inside(operation: Any) -> bool:
        return (
            (allowed is None or operation in allowed)
            and (within_ops_fn is None or within_ops_fn(operation))
            and not (only_differentiable and not is_differentiable(operation))
        )

    # Keys, in the order of the walk.
    found: dict[Any, None] = {}
    wave = dict.fromkeys(seeds)
    while wave:
        found |= wave
        next_wave: dict[Any, None] = {}
        for operation in wave:
            earlier = [tensor.op for tensor in operation.inputs if tensor.name not in stop]
            if control_inputs:
                earlier += list(operation.control_inputs)
            for other in earlier:
                if other not in found and other not in next_wave and inside(other):
                    next_wave[other] = None
        wave = next_wave
    return list(found) if inclusive else [op for op in found if op not in seeds]
