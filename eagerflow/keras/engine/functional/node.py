"""Layer calls in functional models, and the shapes of their outputs."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from eagerflow import nest
from eagerflow.framework import dtypes
from eagerflow.framework.context import process
from eagerflow.framework.shapes import Dimension, TensorShape
from eagerflow.keras.engine.calls.arguments import flatten_arguments, map_arguments
from eagerflow.keras.engine.calls.context import context
from eagerflow.keras.engine.calls.errors import explained
from eagerflow.keras.engine.calls.first_call import note_arguments
from eagerflow.keras.engine.calls.input_spec import assert_input_compatibility
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor, symbolic_tensor
from eagerflow.keras.engine.functional.shape_inference import infer
from eagerflow.keras.engine.tracking import TrackedModule
from eagerflow.typing import Structure
from eagerflow.util import lazy, own_code

if TYPE_CHECKING:
    from eagerflow.keras.engine.layer import Layer
    from eagerflow.keras.engine.model import Model

# Imported when they are first used: they import this module.
layers = lazy.Module("eagerflow.keras.engine.layer")
op_layer = lazy.Module("eagerflow.keras.engine.functional.op_layer")
# Imported when it is first used: who builds no graphs never imports it.
graph_mode = lazy.Module("eagerflow.keras.engine.graph_mode")


class KerasHistory(NamedTuple):
    """Which layer call, and which of its outputs, a symbolic tensor is."""

    layer: Any
    node_index: int
    tensor_index: int


class Node:
    """One call of a layer with symbolic tensors.

    Args:
        layer: the layer.
        call_args: the positional arguments, in which symbolic tensors may be anywhere.
        call_kwargs: the keyword arguments.
        outputs: the symbolic tensors that came out, a structure.
    """

    is_own = False  # whether it is the graph of the model itself

    def __init__(
        self,
        layer: Any,
        call_args: tuple = (),
        call_kwargs: dict[str, Any] | None = None,
        outputs: Any = None,
    ) -> None:
        self.layer = layer
        self.call_args = call_args
        self.call_kwargs = call_kwargs or {}
        self.outputs = outputs
        self.is_input = not call_args and not self.call_kwargs
        flat = flatten_arguments(call_args, self.call_kwargs)
        self.keras_inputs = [value for value in flat if isinstance(value, KerasTensor)]
        index = len(layer._inbound_nodes)
        layer._inbound_nodes.append(self)
        for tensor in self.keras_inputs:
            tensor._keras_history.layer._outbound_nodes.append(self)
        for position, tensor in enumerate(nest.flatten(outputs)):
            if isinstance(tensor, KerasTensor):
                tensor._keras_history = KerasHistory(layer, index, position)

    @property
    def outbound_layer(self) -> Any:
        """The layer that is called."""
        return self.layer

    @property
    def input_tensors(self) -> Any:
        """The first argument of the call, in a list with the further inputs if there are any."""
        if self.is_input:
            return shown([self.outputs])
        first = self.call_args[0] if self.call_args else next(iter(self.call_kwargs.values()))
        first = _single(first)
        further = nest.flatten([self.call_kwargs.get(k, []) for k in self.layer._further_inputs])
        if not any(isinstance(value, KerasTensor) for value in further):
            return shown(first)
        return shown([first, *further])

    @property
    def output_tensors(self) -> Any:
        """The outputs; that of an input in a list."""
        return shown([self.outputs] if self.is_input else self.outputs)

    @property
    def input_shapes(self) -> Any:
        """The shapes of the first argument."""
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self.input_tensors)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the outputs."""
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self.output_tensors)

    @property
    def flat_input_ids(self) -> list[str]:
        """The ids of the symbolic tensors of the call, as text."""
        return [str(id(x)) for x in self.keras_inputs]

    @property
    def flat_output_ids(self) -> list[str]:
        """The ids of the symbolic outputs, as text."""
        return [str(id(x)) for x in nest.flatten(self.outputs)]

    @property
    def _keras_inputs(self) -> list[KerasTensor]:
        return self.keras_inputs

    @property
    def _flat_arguments(self) -> list[Any]:
        return flatten_arguments(self.call_args, self.call_kwargs)

    @property
    def _keras_inputs_ids_and_indices(self) -> list[tuple[str, int]]:
        """The id of each symbolic tensor, as text, and its place in the flat arguments."""
        flat = enumerate(self._flat_arguments)
        return [(str(id(x)), place) for place, x in flat if isinstance(x, KerasTensor)]

    @property
    def _single_positional_tensor_passed(self) -> bool:
        return (
            not self.call_kwargs
            and len(self.call_args) == 1
            and isinstance(self.call_args[0], KerasTensor)
        )

    def map_arguments(self, tensor_dict: dict[str, list[Any]]) -> tuple[Any, dict[str, Any]]:
        """The arguments of the call with values in place of symbolic tensors.

        Args:
            tensor_dict: by the tensors' ids, as text, lists of values; the last one is taken out.
        """

        def value(leaf: object) -> Any:
            return tensor_dict[str(id(leaf))].pop() if isinstance(leaf, KerasTensor) else leaf

        args, kwargs = map_arguments(value, self.call_args, self.call_kwargs)
        return tuple(args), kwargs

    @property
    def parent_nodes(self) -> list[Node]:
        """The calls whose outputs are inputs of this one."""
        nodes: dict[int, Node] = {}
        for tensor in self.keras_inputs:
            node = tensor.node
            nodes[id(node)] = node
        return list(nodes.values())

    @property
    def inbound_layers(self) -> Any:
        """The layers whose outputs are inputs of this call; the layer itself if there is only one."""
        if self.is_input:
            return []
        return nest.map_structure(
            lambda x: x._keras_history.layer if isinstance(x, KerasTensor) else None,
            self.call_args[0] if self.call_args else self.keras_inputs,
        )

    def iterate_inbound(self) -> Iterator[tuple[Any, int, int, KerasTensor]]:
        """Layer, node index, tensor index and tensor of each symbolic input."""
        for tensor in self.keras_inputs:
            history = tensor._keras_history
            yield history.layer, history.node_index, history.tensor_index, tensor


class OwnNode(Node):
    """The first node of a model: from its own inputs to its own outputs."""

    is_own = True

    def __init__(self, model: Model, inputs: Any, outputs: object) -> None:
        self.layer = model
        self.call_args = (inputs,)
        self.call_kwargs = {}
        self.outputs = outputs
        self.is_input = False
        self.keras_inputs = nest.flatten(inputs)


def shown(values: Any) -> Any:
    """Symbolic tensors as a program gets them: in the graph that it builds, as tensors of that."""
    return graph_mode.shown(values) if process.graphs_used else values


def symbols(values: Any) -> Any:
    """Tensors that a program got from models, and what it computes from them, as symbolic tensors."""
    return graph_mode.symbols(values) if process.graphs_used else values


def real_tensor(tensor: object) -> Any:
    """The symbolic tensor itself, or the output of a `MaskOf` layer for a mask without a history."""
    owner = getattr(tensor, "_mask_of", None)
    if isinstance(tensor, KerasTensor) and tensor._keras_history is None and owner is not None:
        return op_layer.MaskOf()(owner)
    return tensor


def call_symbolically(layer: Any, inputs: Any, rest: tuple, kwargs: dict[str, Any]) -> Any:
    """Calls a layer with symbolic tensors: builds it, infers the outputs, and records the call."""
    args, kwargs = map_arguments(real_tensor, (inputs, *rest), kwargs)
    inputs = args[0]
    context.layers.append(layer)
    try:
        assert_input_compatibility(layer._input_spec, inputs, layer._name)
        if not layer.built:
            if len(args) + len(kwargs) > 1:
                note_arguments(layer, tuple(args[1:]), kwargs)
            layer._maybe_build(inputs)
    finally:
        context.layers.pop()
    explicit = {key: value for key, value in kwargs.items() if not is_default(key, value)}
    context.inferred_losses = []
    try:
        outputs = _infer_layer(layer, tuple(args), explicit)
    except Exception as error:
        raise explained(error, layer, layer.call, tuple(args), explicit) from None
    outputs = nest.map_structure(of_number, outputs)
    for owner, dtype in context.inferred_losses:
        owner._list("_symbolic_losses").append(KerasTensor([], dtype))
    return connect(layer, tuple(args), explicit, outputs)


def of_number(output: object) -> Any:
    """A symbolic scalar for a Python scalar that a layer returns; other values unchanged."""
    if type(output) in (int, float):
        return KerasTensor([], dtypes.int32 if type(output) is int else dtypes.float32)
    return output


def _infer_layer(layer: Any, args: tuple, kwargs: dict[str, object]) -> Any:
    """The outputs' shapes: from a run on placeholders, or else from `compute_output_shape`."""
    outer, context.layers = context.layers, []
    try:
        # What the class itself does: the caller is in the `__call__` of a subclass, if it has one.
        outputs = infer(functools.partial(layers.Layer.__call__, layer), args, kwargs)
    except Exception:
        if not _has_own_shapes(layer, args[0]):
            raise
        shapes = nest.map_structure(lambda x: x.shape, args[0])
        dtype = layer._dtype_policy.compute or nest.flatten(args[0])[0].dtype
        return _from_shapes(layer.compute_output_shape(shapes), dtype)
    finally:
        context.layers = outer
    if hasattr(layer, "kernel_size") or hasattr(layer, "pool_size"):
        _check_windows(layer, args[0], outputs)
    return outputs


def _has_own_shapes(layer: Layer, inputs: object) -> bool:
    """Whether `compute_output_shape` may infer more than a run on placeholders: a program's code may
    need values, and a placeholder needs a known rank."""
    if type(layer).compute_output_shape is layers.Layer.compute_output_shape:
        return False
    cell = getattr(layer, "cell", None)
    parts = [layer, *layer._all_inner_layers(), *([] if cell is None else [cell])]
    if not all(own_code.is_own(type(part).__module__) for part in parts):
        return True
    return any(isinstance(x, KerasTensor) and x.shape.rank is None for x in nest.flatten(inputs))


def _check_windows(layer: Any, inputs: object, outputs: object) -> None:
    """Refuses windows that are larger than the input: the output would be empty."""
    if isinstance(inputs, KerasTensor) and isinstance(outputs, KerasTensor):
        if 0 in outputs.shape.as_list() and 0 not in inputs.shape.as_list():
            window = getattr(layer, "kernel_size", None) or layer.pool_size
            raise ValueError(
                f"Negative dimension size: the windows {tuple(window)} of layer {layer.name!r} are "
                f"larger than its inputs, of shape {inputs.shape}, so that its outputs would have "
                f"the shape {outputs.shape}. Use padding='same', smaller windows or larger inputs."
            )


def _from_shapes(shapes: Any, dtype: dtypes.DType) -> Any:
    if isinstance(shapes, TensorShape):
        return KerasTensor(shapes, dtype)
    if isinstance(shapes, tuple | list) and all(
        size is None or isinstance(size, int) for size in shapes
    ):
        return KerasTensor(shapes, dtype)
    if isinstance(shapes, dict):
        return {key: _from_shapes(value, dtype) for key, value in shapes.items()}
    return type(shapes)([_from_shapes(value, dtype) for value in shapes])


def is_default(key: str, value: object) -> bool:
    return key in ("training", "mask") and value is None


def connect(layer: Any, args: tuple, kwargs: dict[str, object], outputs: object) -> Any:
    """Records a call of a layer and names its outputs after it."""
    node_number = len(layer._inbound_nodes)
    flat = nest.flatten(outputs)
    taken = {id(value) for value in flatten_arguments(args, kwargs)}
    for position, tensor in enumerate(flat):
        if isinstance(tensor, KerasTensor):
            # A layer that returns its input still has a new output tensor.
            if id(tensor) in taken or tensor._keras_history is not None:
                tensor = flat[position] = symbolic_tensor(tensor.type_spec)
            if tensor._name is None:
                tensor._name = layer.name if node_number == 0 else f"{layer.name}_{node_number}"
    outputs = nest.pack_sequence_as(outputs, flat)
    Node(layer, args, kwargs, outputs)
    return outputs


def infer_output_shape(layer: Layer, input_shape: object, function: object = None) -> Any:
    """The shape of a layer's outputs for inputs of a shape, by a run on placeholders."""
    single = _is_shape(input_shape)
    shapes = _tensor_shapes(input_shape)
    dtype = layer._dtype_policy.compute or dtypes.float32
    inputs = (
        KerasTensor(shapes, dtype)
        if single
        else nest.map_structure(lambda shape: KerasTensor(shape, dtype), shapes)
    )
    if not layer.built:
        context.layers.append(layer)
        try:
            layer._build_for(inputs)
        finally:
            context.layers.pop()
    outputs = infer(function or layer, (inputs,), {})
    return nest.map_structure(lambda x: x.shape, outputs)


def _is_shape(value: object) -> bool:
    if isinstance(value, TensorShape):
        return True
    return isinstance(value, tuple | list) and all(
        size is None or isinstance(size, int | Dimension) for size in value
    )


def _tensor_shapes(value: Any) -> Any:
    if _is_shape(value):
        return TensorShape(value)
    if isinstance(value, dict):
        return {key: _tensor_shapes(item) for key, item in value.items()}
    return [_tensor_shapes(item) for item in value]


class LayerNodes(TrackedModule):
    """A layer in functional models: its calls, and their symbolic inputs and outputs."""

    # The keyword arguments whose symbolic tensors are inputs, as those of the first argument.
    _further_inputs: tuple[str, ...] = ()

    @property
    def _inbound_nodes(self) -> list[Node]:
        """The calls of this layer."""
        return self._list("_inbound_nodes_value")

    @property
    def _outbound_nodes(self) -> list[Node]:
        """The calls of other layers that use the outputs of this one."""
        return self._list("_outbound_nodes_value")

    @property
    def inbound_nodes(self) -> list[Node]:
        """The calls of this layer with symbolic tensors."""
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Any]:
        """The calls of other layers that use the outputs of this one."""
        return self._outbound_nodes

    def _get_node_attribute_at_index(self, index: int, attribute: str, what: str) -> Structure:
        nodes = self._inbound_nodes
        if not nodes:
            raise RuntimeError(
                f"The layer {self.name} has never been called and thus has no defined {what}."
            )
        if not len(nodes) > index:
            raise ValueError(
                f"Asked to get {what} at node {index}, but the layer has only {len(nodes)} "
                "inbound nodes."
            )
        return shown(_single(getattr(nodes[index], attribute)))

    def _of_first_call(self, attribute: str, what: str) -> Structure:
        nodes = self._inbound_nodes
        if not nodes:
            raise AttributeError(
                f"Layer {self.name} has no inbound nodes: it was never called with a symbolic "
                f"tensor, so there is no {what} to return."
            )
        return shown(_single(getattr(nodes[0], attribute)))

    def get_input_at(self, node_index: int) -> Structure:
        """The inputs of a call of this layer."""
        return self._get_node_attribute_at_index(node_index, "input_tensors", "input")

    def get_output_at(self, node_index: int) -> Structure:
        """The outputs of a call of this layer."""
        return self._get_node_attribute_at_index(node_index, "outputs", "output")

    def get_input_shape_at(self, node_index: int) -> Structure:
        """The shapes of a call's inputs."""
        return _shapes(
            self._get_node_attribute_at_index(node_index, "input_tensors", "input shape")
        )

    def get_output_shape_at(self, node_index: int) -> Structure:
        """The shapes of a call's outputs."""
        return _shapes(self._get_node_attribute_at_index(node_index, "outputs", "output shape"))

    def get_input_mask_at(self, node_index: int) -> Structure:
        """The masks of a call's inputs."""
        inputs = self.get_input_at(node_index)
        return nest.map_structure(lambda x: x._keras_mask, inputs)

    def get_output_mask_at(self, node_index: int) -> Structure:
        """The masks of a call's outputs."""
        outputs = self.get_output_at(node_index)
        return nest.map_structure(lambda x: x._keras_mask, outputs)

    @property
    def input(self) -> Structure:
        """The input of the layer's first call with symbolic tensors.

        Raises:
            AttributeError: if it was never called so.
        """
        return self._of_first_call("input_tensors", "input")

    @property
    def output(self) -> Any:
        """The output of the layer's first call with symbolic tensors.

        Raises:
            AttributeError: if it was never called so.
        """
        return self._of_first_call("outputs", "output")

    @property
    def input_shape(self) -> Any:
        """The shape of the input, as a tuple, or a structure of them.

        Raises:
            AttributeError: if there is none, or there are several.
        """
        return self._only_shape("input_tensors", "input")

    @property
    def output_shape(self) -> Structure:
        """The shape of the output, as a tuple, or a structure of them.

        Raises:
            AttributeError: if there is none, or there are several.
        """
        return self._only_shape("output_tensors", "output")

    def _only_shape(self, attribute: str, what: str) -> Any:
        nodes = self._inbound_nodes
        if not nodes:
            raise AttributeError(
                f'The layer "{self.name}" has never been called and thus has no defined {what} '
                "shape. Note that the layer must be called with a symbolic tensor, or be in a "
                "model that is."
            )
        shapes = [_shapes(getattr(node, attribute)) for node in nodes]
        if any(shape != shapes[0] for shape in shapes):
            raise AttributeError(
                f'The layer "{self.name}" has multiple inbound nodes, with different {what} '
                f'shapes. Hence the notion of "{what} shape" is ill-defined for the layer. Use '
                f"`get_{what}_shape_at(node_index)` instead."
            )
        return shapes[0]

    @property
    def input_mask(self) -> Structure:
        """The mask of the input, or None."""
        return nest.map_structure(lambda x: getattr(x, "_keras_mask", None), self.input)

    @property
    def output_mask(self) -> Structure:
        """The mask of the output, or None."""
        return nest.map_structure(lambda x: getattr(x, "_keras_mask", None), self.output)


def _single(values: Any) -> Any:
    """The element of a list of one, which is what a layer has been called on."""
    return values[0] if isinstance(values, list) and len(values) == 1 else values


def _shapes(tensors: object) -> Any:
    return nest.map_structure(_shape, tensors)


def _shape(tensor: KerasTensor) -> tuple | None:
    shape = TensorShape(tensor.shape)
    return None if shape.rank is None else tuple(shape.as_list())
