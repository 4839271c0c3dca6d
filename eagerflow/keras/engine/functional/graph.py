"""The graph of layer calls between a functional model's inputs and outputs, and how it runs."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.keras.engine.calls.arguments import map_arguments
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.functional.node import Node
from eagerflow.ops.conversion import cast
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

_ops = _core.ops
_Tensor = _core.Tensor


class _Step:
    """One layer call: the slots of its arguments and of its results."""

    __slots__ = ("args", "done_with", "kwargs", "layer", "output", "outputs", "several", "single")

    def __init__(self, layer: Any) -> None:
        self.layer = layer
        self.single: int | None = None  # set if one symbolic tensor is the only argument
        self.several: list[int] | None = None  # set if a list of them is the only argument
        self.args: Any = ()
        self.kwargs: dict[str, Any] = {}
        self.output: int | None = None  # the only result
        self.outputs: list[int] = []
        self.done_with: tuple[int, ...] = ()


class _Slot:
    """The slot, in recorded arguments, of a symbolic tensor's value."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class Graph:
    """The layer calls between inputs and outputs, in an order in which they can be run.

    Args:
        inputs: the symbolic tensors of input layers, in any structure.
        outputs: the symbolic output tensors, in any structure.
        extra_outputs: symbolic tensors that are computed too, but not returned: added losses and
            metrics.

    Raises:
        ValueError: for a value that is not a symbolic tensor, a repeated input, an output that
            does not depend on the inputs only, or two layers with one name.
    """

    def __init__(self, inputs: Any, outputs: Any, extra_outputs: list[KerasTensor]) -> None:
        self.nested_inputs = _without_list(inputs)
        self.nested_outputs = _without_list(outputs)
        self.inputs: list[KerasTensor] = nest.flatten(inputs)
        self.outputs: list[KerasTensor] = nest.flatten(outputs)
        self.extra_outputs = extra_outputs
        self._check_tensors(inputs)
        visited, indices = _visit([*self.outputs, *extra_outputs])
        self.node_depths, self.layer_depths = _depths(self.inputs, visited, indices)
        keys = sorted(self.layer_depths, key=lambda key: (-self.layer_depths[key][1], indices[key]))
        self.layers = [self.layer_depths[key][0] for key in keys]
        self.layer_depth = {id(layer): depth for layer, depth in self.layer_depths.values()}
        order = {id(node): index for index, node in enumerate(visited)}
        nodes = [node for node, _ in self.node_depths.values()]
        nodes.sort(key=lambda node: (-self.node_depths[id(node)][1], order.get(id(node), -1)))
        self.nodes: list[Node] = nodes
        self._check_names()
        self._check_batch_sizes()
        self._plan()

    def _check_tensors(self, inputs: object) -> None:
        for tensor in self.inputs + self.outputs:
            if not isinstance(tensor, KerasTensor) or tensor._keras_history is None:
                raise ValueError(
                    "Found unexpected instance while processing input tensors for keras "
                    "functional model. Expecting KerasTensor which is from tf.keras.Input() or "
                    f"output from keras layer call(). Got: {tensor}"
                )
        if len({id(tensor) for tensor in self.inputs}) != len(self.inputs):
            raise ValueError(
                "The list of inputs passed to the model contains the same input multiple times. "
                f"All inputs should only appear once. Received inputs={inputs}"
            )

    def _check_names(self) -> None:
        names = [layer.name for layer in self.layers]
        for name in names:
            if names.count(name) != 1:
                raise ValueError(
                    f'The name "{name}" is used {names.count(name)} times in the model. '
                    "All layer names should be unique."
                )

    def _check_batch_sizes(self) -> None:
        shapes = [tensor.shape.as_list() for tensor in self.inputs if tensor.shape.rank]
        known = {shape[0] for shape in shapes if shape[0] is not None}
        if len(known) > 1:
            logging.warning(
                "Found incompatible static batch sizes among the inputs. Batch sizes: "
                f"{sorted(known)}"
            )

    def _plan(self) -> None:
        """Assigns slots to the tensors and lists the steps."""
        slots: dict[int, int] = {}

        def slot(tensor: KerasTensor) -> int:
            return slots.setdefault(id(tensor), len(slots))

        self.input_slots = [slot(tensor) for tensor in self.inputs]
        steps = []
        for node in self.nodes:
            if node.is_input:
                continue
            for tensor in node.keras_inputs:
                if id(tensor) not in slots:
                    raise disconnected(tensor, node)
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
            step.outputs = [slot(tensor) for tensor in nest.flatten(node.outputs)]
            if not nest.is_nested(node.outputs):
                step.output = step.outputs[0]
            steps.append((step, [slots[id(tensor)] for tensor in node.keras_inputs]))
        outputs = [*self.outputs, *self.extra_outputs]
        for tensor in outputs:
            if id(tensor) not in slots:
                raise disconnected(tensor, None)
        self.output_slots = [slots[id(tensor)] for tensor in outputs]
        self.size = len(slots)
        # A value is released after the last step that reads it.
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
        """The layers, if each has the only output of its predecessor as its only input."""
        # The last layer returns its output without the structure around it.
        if len(self.inputs) != 1 or not isinstance(self.nested_outputs, KerasTensor):
            return None
        if self.extra_outputs:
            return None
        current = self.input_slots[0]
        for step in self.steps:
            if step.single != current or step.output is None:
                return None
            current = step.output
        return [step.layer for step in self.steps] if current == self.output_slots[0] else None

    @property
    def input_names(self) -> list[str]:
        """The names of the input layers."""
        return [tensor._keras_history.layer.name for tensor in self.inputs]

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that compute the outputs, with a suffix if one repeats."""
        counts: dict[str, int] = {}
        names = []
        for tensor in self.outputs:
            name = tensor._keras_history.layer.name
            count = counts[name] = counts.get(name, -1) + 1
            names.append(f"{name}_{count}" if count else name)
        return names

    def input_spec(self) -> Any:
        """The InputSpec of each input, with any batch size; None where they are nested deeper."""
        inputs = self.nested_inputs
        if nest.is_nested(inputs) and len(self.inputs) != len(inputs):
            return None
        # Values may come by the names of the inputs' layers.
        names = sorted(inputs) if isinstance(inputs, dict) else self.input_names
        specs = []
        for name, tensor in zip(names, self.inputs, strict=True):
            shape = None
            if tensor.shape.rank is not None:
                shape = (None, *tensor.shape.as_list()[1:])
            optional = getattr(tensor._keras_history.layer, "optional", False)
            specs.append(
                InputSpec(shape=shape, allow_last_axis_squeeze=True, name=name, optional=optional)
            )
        return specs if nest.is_nested(inputs) else specs[0]

    def call(self, inputs: Any, mask: Any, name: str) -> Any:
        """The outputs in their structure.

        Args:
            inputs: values in the structure of the inputs, or a dictionary by the inputs' names.
            mask: masks of the inputs, or None.
            name: the model's name, for messages.
        """
        if self.only_input and isinstance(inputs, _Tensor):
            if self.chain is not None and mask is None:
                if inputs.dtype is not self.first_dtype or inputs.ndim != self.first_rank:
                    inputs = conform(inputs, self.inputs[0])
                for layer in self.chain:
                    inputs = layer(inputs)
                return inputs
            flat = [inputs]
        else:
            flat = self._flatten_inputs(inputs, name)
        if mask is not None:
            for value, one in zip(flat, nest.flatten(mask), strict=False):
                if one is not None and isinstance(value, _Tensor):
                    value._keras_mask = one
        outputs = self._run(self._conformed(flat))
        if isinstance(self.nested_outputs, KerasTensor):
            return outputs[0]
        return nest.pack_sequence_as(self.nested_outputs, outputs[: len(self.outputs)])

    def conformed(self, inputs: Any, name: str) -> list[Any]:
        """The values for the graph's inputs, of their ranks and dtypes.

        Args:
            inputs: as for `call`.
            name: the model's name, for messages.
        """
        return self._conformed(self._flatten_inputs(inputs, name))

    def _conformed(self, flat: list[Any]) -> list[Any]:
        return [conform(*pair) for pair in zip(flat, self.inputs, strict=True)]

    def _flatten_inputs(self, inputs: object, name: str) -> list[Any]:
        """Inputs in the order of the graph's, whether they come in order or by name."""
        if isinstance(inputs, dict):
            nested = self.nested_inputs
            names = sorted(nested) if isinstance(nested, dict) else self.input_names
            if len(inputs) > len(names):
                others = [key for key in inputs if key not in names]
                warn(
                    f"Input dict contained keys {others} which did not match any model input. They "
                    "will be ignored by the model."
                )
            if all(name in inputs for name in names):
                return [value for name in names for value in nest.flatten(inputs[name])]
            missing = next(name for name in names if name not in inputs)
            raise ValueError(
                f'Missing data for input "{missing}". You passed a data dictionary with keys '
                f"{list(inputs)}. Expected the following keys: {names}"
            )
        flat = nest.flatten(inputs)
        if len(flat) != len(self.inputs):
            raise ValueError(
                f'Layer "{name}" expects {len(self.inputs)} input(s), but it received {len(flat)} '
                f"input tensors. Inputs received: {inputs}"
            )
        return flat

    def _run(self, inputs: list[Any]) -> list[Any]:
        """The outputs, including extra outputs, for flat inputs."""
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
                # An override of `__call__` may return fewer than `call` does.
                for index, value in zip(step.outputs, nest.flatten(result), strict=False):
                    values[index] = value
            for index in step.done_with:
                values[index] = None
        return [values[index] for index in self.output_slots]


def _without_list(tensors: object) -> Any:
    """Unpacks a list of one tensor."""
    if isinstance(tensors, list) and len(tensors) == 1 and len(nest.flatten(tensors)) == 1:
        return tensors[0]
    return tensors


def conform(value: object, like: KerasTensor) -> Any:
    """An input with the rank and dtype of its symbolic tensor."""
    if not isinstance(value, _Tensor):
        if value is None and getattr(like._keras_history.layer, "optional", False):
            return None
        if isinstance(value, _core.Variable):
            value = value.read_value()
        elif like._composite_spec is not None and not hasattr(value, "dtype"):
            return value  # of an extension type
        elif not hasattr(value, "shape") or not hasattr(value, "dtype"):
            value = _core.convert(value, None, like.dtype)
        if not isinstance(value, _Tensor):
            if like.dtype is not None and value.dtype != like.dtype:
                return cast(value, like.dtype)
            return value
    rank = like.shape.rank
    mask = value._keras_mask
    result = value
    if rank is not None and value.ndim != rank:
        if value.ndim == rank - 1 and like.shape[-1] == 1:
            result = _ops.expand_dims(value, -1)
        elif value.ndim == rank + 1 and value.shape[-1] == 1:
            result = _ops.squeeze(value, [value.ndim - 1])
    if result.dtype is not like.dtype and result.dtype != like.dtype:
        result = _ops.cast(result, like.dtype)
    if mask is not None and result is not value:
        result._keras_mask = mask
    return result


def _is_list_of_tensors(value: object) -> bool:
    return type(value) is list and all(isinstance(item, KerasTensor) for item in value)


def _visit(outputs: list[KerasTensor]) -> tuple[list[Node], dict[int, int]]:
    """The calls that compute outputs, in topological order, and the layers in the order of visits."""
    finished: dict[int, Node] = {}
    indices: dict[int, int] = {}
    for output in outputs:
        stack: list[tuple[Node, bool]] = [(output.node, False)]
        while stack:
            node, entered = stack.pop()
            if id(node) in finished:
                continue
            if entered:
                finished[id(node)] = node
                continue
            indices.setdefault(id(node.layer), len(indices))
            stack.append((node, True))
            stack += [(tensor.node, False) for tensor in reversed(node.keras_inputs)]
    return list(finished.values()), indices


def _depths(
    inputs: list[KerasTensor], visited: list[Node], indices: dict[int, int]
) -> tuple[dict[int, tuple[Node, int]], dict[int, tuple[Any, int]]]:
    """The depths of calls and layers: their largest distance from the outputs."""
    nodes: dict[int, tuple[Node, int]] = {}
    layers: dict[int, tuple[Any, int]] = {}
    for node in reversed(visited):
        layer = node.layer
        depth = max(nodes.get(id(node), (node, 0))[1], layers.get(id(layer), (layer, 0))[1])
        layers[id(layer)] = (layer, depth)
        nodes[id(node)] = (node, depth)
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


def disconnected(tensor: KerasTensor, node: Node | None) -> ValueError:
    """The error for a tensor that a call, or an output, needs and the inputs do not determine."""
    where = f' at layer "{node.layer.name}"' if node else ""
    return ValueError(
        f"Graph disconnected: cannot obtain value for tensor {tensor}{where}. The inputs of the "
        "model must include all the inputs that its outputs depend on."
    )
