"""Models from tensors in the middle of other models."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.keras.engine.call_arguments import map_arguments
from eagerflow.keras.engine.graph import disconnected
from eagerflow.keras.engine.input_layer import Input
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.keras.engine.node import Node, connect


def with_input_layers(inputs: Any, outputs: Any) -> tuple[Any, Any]:
    """Inputs and outputs of the same calculation, with an input layer for each input that a call made.

    The layers between are called anew, on the new inputs: the layers before are no part of the model.

    Args:
        inputs: symbolic tensors in any structure.
        outputs: symbolic tensors in any structure.

    Raises:
        ValueError: for an output that depends on more than the inputs, or an input that no output
            depends on, where one of the inputs is from a call.
    """
    flat = nest.flatten(inputs)
    ends = nest.flatten(outputs)
    if not all(isinstance(x, KerasTensor) and x._keras_history for x in flat + ends):
        return inputs, outputs  # which the model's graph refuses
    if all(tensor.node.is_input for tensor in flat):
        return inputs, outputs
    calls = _calls_between(flat, ends)
    for node in calls:
        if node.is_input and not any(tensor is node.outputs for tensor in flat):
            raise disconnected(node.outputs, None)
    used = {id(tensor) for node in calls for tensor in node.keras_inputs}
    unused = [tensor for tensor in flat if id(tensor) not in used and tensor.node not in calls]
    if unused:
        raise ValueError(
            f"Found unvisited input tensors that are disconnected from the outputs: {unused}"
        )
    copies = {id(x): x if x.node.is_input else Input(tensor=x) for x in flat}
    given = nest.pack_sequence_as(inputs, [copies[id(x)] for x in flat])
    for node in calls:
        if node.is_input:
            continue
        args, kwargs = map_arguments(
            lambda value: copies.get(id(value), value), node.call_args, node.call_kwargs
        )
        made = connect(node.layer, tuple(args), kwargs, node.outputs)
        for before, after in zip(nest.flatten(node.outputs), nest.flatten(made), strict=True):
            copies[id(before)] = after
    return given, nest.pack_sequence_as(outputs, [copies.get(id(x), x) for x in ends])


def _calls_between(inputs: list[KerasTensor], outputs: list[KerasTensor]) -> list[Node]:
    """The calls that make the outputs from the inputs, each after those it needs."""
    given = {id(tensor) for tensor in inputs}
    finished: dict[int, Node] = {}
    stack = [(tensor.node, False) for tensor in reversed(outputs)]
    while stack:
        node, entered = stack.pop()
        if entered:
            finished[id(node)] = node
        elif id(node) not in finished:
            stack.append((node, True))
            needed = [tensor for tensor in reversed(node.keras_inputs) if id(tensor) not in given]
            stack += [(tensor.node, False) for tensor in needed]
    return list(finished.values())
