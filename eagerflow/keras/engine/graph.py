"""Graphs of layer calls: in which order a functional model runs its layers."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.keras.engine.call_arguments import map_arguments
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.keras.engine.node import Node

_Tensor = _core.Tensor


class _Step:
    """One layer call: where its arguments come from and where its results go."""

    __slots__ = ("args", "done_with", "kwargs", "layer", "output", "outputs", "several", "single")

    def __init__(self, layer: Any) -> None:
        self.layer = layer
        self.single: int | None = None  # the only argument, where it is one symbolic tensor
        self.several: list[int] | None = None  # a list of them, where it is all there is
        self.args: Any = ()
        self.kwargs: dict[str, Any] = {}
        self.output: int | None = None  # the only result
        self.outputs: list[int] = []
        self.done_with: tuple[int, ...] = ()


class _Slot:
    """Stands in recorded arguments for the value of a symbolic tensor."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class Graph:
    """The layer calls between inputs and outputs, in an order in which they can be run.

    Args:
        inputs: the symbolic input tensors, flat.
        outputs: the symbolic output tensors, flat.

    Raises:
        ValueError: if an output does not follow from the inputs, or two layers share a name.
    """

    def __init__(self, inputs: list[KerasTensor], outputs: list[KerasTensor]) -> None:
        self.inputs = inputs
        self.outputs = outputs
        visited, indices = _visit(inputs, outputs)
        self.node_depths, self.layer_depths = _depths(inputs, visited, indices)
        keys = sorted(self.layer_depths, key=lambda key: (-self.layer_depths[key][1], indices[key]))
        self.layers = [self.layer_depths[key][0] for key in keys]
        self.layer_depth = {id(layer): depth for layer, depth in self.layer_depths.values()}
        order = {id(node): number for number, node in enumerate(visited)}
        nodes = [node for node, _ in self.node_depths.values()]
        nodes.sort(key=lambda node: (-self.node_depths[id(node)][1], order.get(id(node), -1)))
        self.nodes: list[Node] = nodes
        self._check_names()
        self._plan()

    def _check_names(self) -> None:
        names = [layer.name for layer in self.layers]
        for name in names:
            if names.count(name) != 1:
                raise ValueError(
                    f'The name "{name}" is used {names.count(name)} times in the model. '
                    "All layer names should be unique."
                )

    def _plan(self) -> None:
        """Numbers the tensors and lists the steps."""
        slots: dict[int, int] = {}

        def slot(tensor: KerasTensor) -> int:
            return slots.setdefault(id(tensor), len(slots))

        self.input_slots = [slot(tensor) for tensor in self.inputs]
        given = {id(tensor) for tensor in self.inputs}
        steps = []
        for node in self.nodes:
            flat_outputs = nest.flatten(node.outputs)
            if node.is_input or all(id(tensor) in given for tensor in flat_outputs):
                continue
            for tensor in node.keras_inputs:
                if id(tensor) not in slots:
                    raise _disconnected(tensor, node)
            step = _Step(node.layer)
            simple = len(node.call_args) == 1 and not node.call_kwargs
            if simple and isinstance(node.call_args[0], KerasTensor):
                step.single = slots[id(node.call_args[0])]
            elif simple and _is_list_of_tensors(node.call_args[0]):
                step.several = [slots[id(tensor)] for tensor in node.call_args[0]]
            else:
                step.args, step.kwargs = map_arguments(
                    lambda value: (
                        _Slot(slots[id(value)]) if isinstance(value, KerasTensor) else value
                    ),
                    node.call_args,
                    node.call_kwargs,
                )
            step.outputs = [slot(tensor) for tensor in flat_outputs]
            if not nest.is_nested(node.outputs):
                step.output = step.outputs[0]
            steps.append((step, [slots[id(tensor)] for tensor in node.keras_inputs]))
        for tensor in self.outputs:
            if id(tensor) not in slots:
                raise _disconnected(tensor, None)
        self.output_slots = [slots[id(tensor)] for tensor in self.outputs]
        self.size = len(slots)
        # A value is let go after the last step that reads it.
        keep = set(self.output_slots)
        for step, read in reversed(steps):
            last = [index for index in dict.fromkeys(read) if index not in keep]
            keep.update(last)
            step.done_with = tuple(last)
        self.steps = [step for step, _ in steps]
        self.chain = self._as_chain()
        first = self.inputs[0]
        self.only_input = len(self.inputs) == 1
        self.first_rank = first.shape.rank
        self.first_dtype = first.dtype

    def _as_chain(self) -> list[Any] | None:
        """The layers, if each takes the only output of the one before and nothing else."""
        if len(self.inputs) != 1 or len(self.outputs) != 1:
            return None
        current = self.input_slots[0]
        for step in self.steps:
            if step.single != current or step.output is None:
                return None
            current = step.output
        return [step.layer for step in self.steps] if current == self.output_slots[0] else None

    def run(self, inputs: list[Any]) -> list[Any]:
        """The outputs for flat inputs."""
        if self.chain is not None:
            value = inputs[0]
            for layer in self.chain:
                value = layer(value)
            return [value]
        values: list[Any] = [None] * self.size
        for index, value in zip(self.input_slots, inputs, strict=True):
            values[index] = value
        for step in self.steps:
            if step.single is not None:
                result = step.layer(values[step.single])
            elif step.several is not None:
                result = step.layer([values[index] for index in step.several])
            else:
                args, kwargs = map_arguments(
                    lambda value: values[value.index] if type(value) is _Slot else value,
                    step.args,
                    step.kwargs,
                )
                result = step.layer(*args, **kwargs)
            if step.output is not None:
                values[step.output] = result
            else:
                for index, value in zip(step.outputs, nest.flatten(result), strict=True):
                    values[index] = value
            for index in step.done_with:
                values[index] = None
        return [values[index] for index in self.output_slots]


def _is_list_of_tensors(value: Any) -> bool:
    return type(value) is list and all(isinstance(item, KerasTensor) for item in value)


def _visit(
    inputs: list[KerasTensor], outputs: list[KerasTensor]
) -> tuple[list[Node], dict[int, int]]:
    """The calls that lead to the outputs, each after those it needs; layers as they are met."""
    given = {id(tensor) for tensor in inputs}
    finished: dict[int, Node] = {}
    indices: dict[int, int] = {}
    for output in outputs:
        waiting: list[tuple[Node, bool, bool]] = [(output.node, id(output) in given, False)]
        while waiting:
            node, is_given, entered = waiting.pop()
            if id(node) in finished:
                continue
            if entered:
                finished[id(node)] = node
                continue
            indices.setdefault(id(node.layer), len(indices))
            waiting.append((node, is_given, True))
            if not node.is_input and not is_given:
                for tensor in reversed(node.keras_inputs):
                    waiting.append((tensor.node, id(tensor) in given, False))
    return list(finished.values()), indices


def _depths(
    inputs: list[KerasTensor], visited: list[Node], indices: dict[int, int]
) -> tuple[dict[int, tuple[Node, int]], dict[int, tuple[Any, int]]]:
    """How far calls and layers are from the outputs, at most."""
    nodes: dict[int, tuple[Node, int]] = {}
    layers: dict[int, tuple[Any, int]] = {}
    given = {id(tensor) for tensor in inputs}
    for node in reversed(visited):
        layer = node.layer
        depth = max(nodes.get(id(node), (node, 0))[1], layers.get(id(layer), (layer, 0))[1])
        layers[id(layer)] = (layer, depth)
        nodes[id(node)] = (node, depth)
        if all(id(tensor) in given for tensor in nest.flatten(node.outputs)):
            continue
        for parent in node.parent_nodes:
            known = nodes.get(id(parent), (parent, 0))[1]
            nodes[id(parent)] = (parent, max(depth + 1, known))
    for tensor in inputs:
        layer = tensor._keras_history.layer
        if id(layer) not in layers:
            layers[id(layer)] = (layer, 0)
            indices[id(layer)] = -1
            nodes[id(tensor.node)] = (tensor.node, 0)
    return nodes, layers


def _disconnected(tensor: KerasTensor, node: Node | None) -> ValueError:
    where = f' at layer "{node.layer.name}"' if node else ""
    return ValueError(
        f"Graph disconnected: cannot obtain value for tensor {tensor}{where}. The inputs of the "
        "model must include all the inputs that its outputs depend on."
    )
