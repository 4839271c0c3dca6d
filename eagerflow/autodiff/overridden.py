"""Gradients of graphs in which programs have replaced the gradients of some operations."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.autodiff import graph_gradients
from eagerflow.util import lazy

# Few programs have gradients of their own.
node_messages = lazy.Module("eagerflow.graphdef.node_messages")

_ops = _core.ops


def gradients(
    graph: Any,
    overridden: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    sources: Sequence[object],
    stopped: Sequence[Any],
    colocate: bool = False,
) -> list[Any]:
    """The results of `_core.graph_gradients`, except for operations with a program's own gradients.

    The engine's gradients end at the outputs of these operations. They are visited from newest to
    oldest: everything that depends on one has been visited when its function is called.

    Args:
        graph: the graph.
        overridden: the operations, oldest first.
        targets: tensors.
        weights: the gradients of the targets; None for ones.
        sources: tensors and variables.
        stopped: tensors that do not depend on anything.
        colocate: whether the gradient of an operation is in its groups.
    """
    ended = {_core.name_of(tensor) for tensor in stopped if _core.is_symbolic(tensor)}
    overridden = [
        operation
        for operation in overridden
        if any(_core.name_of(output) not in ended for output in operation.outputs)
    ]
    ends = [output for operation in overridden for output in operation.outputs]
    requested = [*sources, *ends]
    terms: list[list[Any]] = [[] for _ in requested]

    def spread(targets: Sequence[Any], weights: Sequence[Any]) -> None:
        parts = graph_gradients.added(
            graph, targets, weights, requested, [*stopped, *ends], colocate
        )
        for own, part in zip(terms, parts, strict=True):
            if part is not None:
                own.append(part)

    spread(targets, weights)
    at = len(requested)
    for operation in reversed(overridden):
        outputs = operation.outputs
        at -= len(outputs)
        known = [_sum(terms[at + k]) for k in range(len(outputs))]
        if all(gradient is None for gradient in known):
            continue
        function = graph.gradient_function_of(operation)
        if function is None:
            continue
        arguments = [
            _ops.zeros_like(output) if gradient is None else gradient
            for output, gradient in zip(outputs, known, strict=True)
        ]
        operation = node_messages.as_written(operation)
        beside = graph.colocate_with(operation) if colocate else contextlib.nullcontext()
        with beside:
            results = checked(function(operation, *arguments), operation)
        pairs = [
            (own, _core.as_tensor(result))
            for own, result in zip(operation.inputs, results, strict=True)
            if result is not None
        ]
        if pairs:
            spread([own for own, _ in pairs], [result for _, result in pairs])
    return [_sum(own) for own in terms[: len(sources)]]


def checked(results: Any, operation: Any) -> list[Any]:
    """What the gradient of a program has returned, for each input of the operation.

    Raises:
        ValueError: if there are more or fewer gradients than inputs.
    """
    results = list(results) if isinstance(results, list | tuple) else [results]
    if len(results) != len(operation.inputs):
        raise ValueError(
            f"Num gradients {len(results)} generated for op {operation.name} do not match num "
            f"inputs {len(operation.inputs)}"
        )
    return results


def _sum(gradients: Sequence[_core.Tensor]) -> Any:
    """The sum of gradients; None if there are none."""
    if len(gradients) > 1:
        return _ops.add_n(gradients)
    return gradients[0] if gradients else None
