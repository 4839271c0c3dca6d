"""Layer calls in functional models, and the shapes of what they give."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

from eagerflow import _core, nest, random_seed
from eagerflow import dtype as dtypes
from eagerflow.context import process, running_eagerly
from eagerflow.keras import naming
from eagerflow.keras.engine.call_context import context, inferring_shapes
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.shapes import TensorShape

_ops = _core.ops
# What stands for unknown sizes while shapes are inferred: a batch, and any other axis. The second
# of a pair tells which sizes depend on unknown ones. Larger ones serve models that shrink or regroup
# their inputs much.
_SIZES = (((12, 480), (24, 960)), ((1680, 7680), (3360, 15360)), ((1, 1), (2, 2)))


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
        found: list[KerasTensor] = []
        self._flat_arguments = flatten_arguments(call_args, self.call_kwargs)
        for value in self._flat_arguments:
            if isinstance(value, KerasTensor):
                found.append(value)
        self.keras_inputs = found
        index = len(layer._inbound_nodes)
        layer._inbound_nodes.append(self)
        for tensor in found:
            inbound = tensor._keras_history.layer
            inbound._outbound_nodes.append(self)
        for number, tensor in enumerate(nest.flatten(outputs)):
            if isinstance(tensor, KerasTensor):
                tensor._keras_history = KerasHistory(layer, index, number)

    @property
    def input_tensors(self) -> Any:
        """The first argument of the call."""
        if self.is_input:
            return self.outputs
        return self.call_args[0] if self.call_args else next(iter(self.call_kwargs.values()))

    @property
    def output_tensors(self) -> Any:
        """The outputs."""
        return self.outputs

    @property
    def input_shapes(self) -> Any:
        """The shapes of the first argument."""
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self.input_tensors)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the outputs."""
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self.outputs)

    @property
    def parent_nodes(self) -> list[Node]:
        """The calls whose outputs this one takes."""
        nodes: dict[int, Node] = {}
        for tensor in self.keras_inputs:
            node = tensor.node
            nodes[id(node)] = node
        return list(nodes.values())

    @property
    def inbound_layers(self) -> Any:
        """The layers whose outputs this call takes; one by itself if there is only one."""
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


def flatten_arguments(args: tuple, kwargs: dict[str, Any]) -> list[Any]:
    """All leaves of a call's arguments."""
    flat: list[Any] = []
    for value in (*args, *kwargs.values()):
        if nest.is_nested(value):
            flat.extend(nest.flatten(value))
        elif isinstance(value, slice):
            flat.extend((value.start, value.stop, value.step))
        else:
            flat.append(value)
    return flat


def map_arguments(function: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[list, dict]:
    """The arguments of a call with `function` applied to every leaf."""

    def mapped(value: Any) -> Any:
        if isinstance(value, slice):
            return slice(function(value.start), function(value.stop), function(value.step))
        if nest.is_nested(value):
            return nest.map_structure(mapped, value)
        return function(value)

    return [mapped(value) for value in args], {key: mapped(value) for key, value in kwargs.items()}


def placeholder(dtype: Any, shape: list[int]) -> Any:
    """A tensor of known dtype and shape on which operations only infer theirs."""
    return _core.symbolic(dtype, shape)


def _stand_in(tensor: KerasTensor, sizes: tuple[int, int]) -> Any:
    """A placeholder for a symbolic tensor; `sizes` are for an unknown first axis and for others."""
    if tensor._values is not None:
        value = tensor._values.get(sizes, tensor._values.get(None))
        if value is not None:
            return value
    shape = tensor.shape
    if shape.rank is None:
        raise ValueError(f"The rank of {tensor} is not known: its shape must be set first.")
    dims = [sizes[axis > 0] if size is None else size for axis, size in enumerate(shape.as_list())]
    dtype = tensor.dtype
    found = placeholder(dtype, dims)
    if tensor._keras_mask is not None:
        mask = tensor._keras_mask
        found._keras_mask = (
            _stand_in(mask, sizes) if isinstance(mask, KerasTensor) else placeholder("bool", dims)
        )
    return found


def _value_of(result: Any) -> Any:
    """A small tensor whose value is known though nothing is computed: a shape, a constant."""
    if isinstance(result, _core.Tensor) and result._size <= 64 and not _core.is_symbolic(result):
        return result
    return None


def _merged(first: Any, second: Any, sizes: tuple = (None, None)) -> Any:
    """A symbolic tensor for two results whose unknown sizes differ."""
    if not hasattr(first, "shape") or not hasattr(first, "dtype"):
        return first
    one, other = first.shape.as_list(), second.shape.as_list()
    if len(one) != len(other):
        shape = TensorShape(None)
    else:
        shape = TensorShape([a if a == b else None for a, b in zip(one, other, strict=True)])
    result = KerasTensor(shape, first.dtype)
    values = {size: _value_of(value) for size, value in zip(sizes, (first, second), strict=True)}
    if None not in values.values():
        result._values = values
    mask = getattr(first, "_keras_mask", None)
    if mask is not None:
        result._keras_mask = _merged(mask, second._keras_mask)
        result._keras_mask._mask_of = result
    return result


def _run(function: Any, args: tuple, kwargs: dict[str, Any], sizes: tuple[int, int]) -> Any:
    # The same symbolic tensor is the same placeholder wherever it stands.
    known: dict[int, Any] = {}

    def stand_in(value: Any) -> Any:
        if not isinstance(value, KerasTensor):
            return value
        if id(value) not in known:
            known[id(value)] = _stand_in(value, sizes)
        return known[id(value)]

    run_args, run_kwargs = map_arguments(stand_in, args, kwargs)
    # Functions of version 1 that a layer calls would else add to the graph that is being built.
    at_once = running_eagerly() if process.graphs_used else contextlib.nullcontext()
    apart = naming.apart(until_building=True)
    with inferring_shapes(), _core.stop_recording(), apart, at_once:
        return function(*run_args, **run_kwargs)


def infer(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What a function gives for symbolic arguments, as symbolic tensors without a history."""
    unknown = any(
        isinstance(value, KerasTensor)
        and (len(value._values or ()) > 1 or None in (value.shape.as_list() if value.ndim else ()))
        for value in flatten_arguments(args, kwargs)
    )
    # What is drawn only for shapes leaves the program's numbers as they are.
    function = random_seed.as_traced(function, random_seed.FunctionStreams())
    if not unknown:
        result = _run(function, args, kwargs, _SIZES[0][0])
        return nest.map_structure(lambda x: _merged(x, x), result)
    failure: Exception | None = None
    for first_sizes, second_sizes in _SIZES:
        try:
            first = _run(function, args, kwargs, first_sizes)
            second = _run(function, args, kwargs, second_sizes)
        except Exception as error:  # another choice of sizes may fit
            failure = failure or error
            continue
        merge = functools.partial(_merged, sizes=(first_sizes, second_sizes))
        return nest.map_structure(merge, first, second)
    assert failure is not None
    raise failure


def real_tensor(tensor: Any) -> Any:
    """A symbolic tensor that has a history, for one that may be the mask of another."""
    owner = getattr(tensor, "_mask_of", None)
    if isinstance(tensor, KerasTensor) and tensor._keras_history is None and owner is not None:
        from eagerflow.keras.engine.op_layer import MaskOf

        return MaskOf()(owner)
    return tensor


def call_symbolically(layer: Any, inputs: Any, rest: tuple, kwargs: dict[str, Any]) -> Any:
    """Calls a layer with symbolic tensors: builds it, infers the outputs, and notes the call."""
    from eagerflow.keras.engine.input_spec import assert_input_compatibility

    args, kwargs = map_arguments(real_tensor, (inputs, *rest), kwargs)
    inputs = args[0]
    context.layers.append(layer)
    try:
        assert_input_compatibility(layer._input_spec, inputs, layer._name)
        if not layer.built:
            layer._build_for(inputs)
    finally:
        context.layers.pop()
    explicit = {key: value for key, value in kwargs.items() if not _is_default(key, value)}
    outputs = _infer_layer(layer, tuple(args), explicit)
    if explicit.get("training", context.training):
        for inner in layer._all_inner_layers():
            generator = getattr(inner, "_random_generator", None)
            if generator is not None:
                generator.pass_over()
    return connect(layer, tuple(args), explicit, outputs)


def _infer_layer(layer: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The outputs' shapes: from a run on placeholders, or else from `compute_output_shape`."""
    from eagerflow.keras.engine.layer import Layer

    outer, context.layers = context.layers, []
    try:
        return infer(layer, args, kwargs)
    except Exception:
        if type(layer).compute_output_shape is Layer.compute_output_shape:
            raise
        shapes = nest.map_structure(lambda x: x.shape, args[0])
        found = layer.compute_output_shape(shapes)
        dtype = layer._dtype_policy.compute or nest.flatten(args[0])[0].dtype
        return _from_shapes(found, dtype)
    finally:
        context.layers = outer


def _from_shapes(shapes: Any, dtype: Any) -> Any:
    if isinstance(shapes, TensorShape):
        return KerasTensor(shapes, dtype)
    if isinstance(shapes, tuple | list) and all(
        size is None or isinstance(size, int) for size in shapes
    ):
        return KerasTensor(shapes, dtype)
    if isinstance(shapes, dict):
        return {key: _from_shapes(value, dtype) for key, value in shapes.items()}
    return type(shapes)([_from_shapes(value, dtype) for value in shapes])


def _is_default(key: str, value: Any) -> bool:
    return key in ("training", "mask") and value is None


def connect(layer: Any, args: tuple, kwargs: dict[str, Any], outputs: Any) -> Any:
    """Notes a call of a layer and names its outputs after it."""
    node_number = len(layer._inbound_nodes)
    flat = nest.flatten(outputs)
    taken = {id(value) for value in flatten_arguments(args, kwargs)}
    for number, tensor in enumerate(flat):
        if isinstance(tensor, KerasTensor):
            # A layer that gives back what it got still makes a tensor of its own.
            if id(tensor) in taken or tensor._keras_history is not None:
                tensor = flat[number] = KerasTensor(tensor.shape, tensor.dtype)
            if tensor._name is None:
                tensor._name = layer.name if node_number == 0 else f"{layer.name}_{node_number}"
    outputs = nest.pack_sequence_as(outputs, flat)
    Node(layer, args, kwargs, outputs)
    return outputs


def infer_output_shape(layer: Any, input_shape: Any, function: Any = None) -> Any:
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


def _is_shape(value: Any) -> bool:
    if isinstance(value, TensorShape):
        return True
    return isinstance(value, tuple | list) and all(
        size is None or isinstance(size, int) for size in value
    )


def _tensor_shapes(value: Any) -> Any:
    if _is_shape(value):
        return TensorShape(value)
    if isinstance(value, dict):
        return {key: _tensor_shapes(item) for key, item in value.items()}
    return [_tensor_shapes(item) for item in value]
