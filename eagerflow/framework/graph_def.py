"""Traced functions as TensorFlow's messages: GraphDef, NodeDef, FunctionDef."""

from __future__ import annotations

from typing import Any

from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.shapes import TensorShape
from eagerflow.protos.graph import MESSAGES

# The version of graphs that TensorFlow 2.21 writes, and the first that it still reads.
_PRODUCER = 2474
_MIN_CONSUMER = 12


def attributes(node: Any) -> dict[str, Any]:
    """The attributes of a node by name: dtypes, shapes, numbers, strings, tensors, lists of them."""
    kind = node.type
    outputs = node.outputs
    if kind == "Const":
        return {"value": node.constant, "dtype": outputs[0].dtype}
    if kind == "Placeholder":
        return {
            "shape": outputs[0].shape,
            "dtype": outputs[0].dtype,
            "_user_specified_name": node.name,
        }
    found: dict[str, Any] = {}
    inputs = node.inputs
    if kind == "Cast":
        found["SrcT"], found["DstT"] = inputs[0].dtype, outputs[0].dtype
    elif node.variables:
        found["dtype"] = node.variables[0].dtype
    elif node.callees:
        found["Tin"] = [tensor.dtype for tensor in inputs]
        found["Tout"] = [tensor.dtype for tensor in outputs]
        found["f"] = node.callees[0]
    elif inputs:
        found["T"] = inputs[0].dtype
    elif outputs:
        found["dtype"] = outputs[0].dtype
    found.update(node.attrs)
    return found


def _fill(message: Any, value: Any) -> None:
    """Sets an AttrValue."""
    if isinstance(value, bool):
        message.b = value
    elif isinstance(value, int):
        message.i = value
    elif isinstance(value, float):
        message.f = value
    elif isinstance(value, str | bytes):
        message.s = value.encode() if isinstance(value, str) else value
    elif isinstance(value, DType):
        message.type = value.as_datatype_enum
    elif isinstance(value, TensorShape):
        message.shape.CopyFrom(_shape(value))
    elif isinstance(value, list | tuple):
        _fill_list(message.list, value)
    elif hasattr(value, "nodes"):
        message.func.name = value.name
    elif value is not None:
        fill_tensor(message.tensor, value)


def _fill_list(message: Any, values: Any) -> None:
    for value in values:
        if isinstance(value, bool):
            message.b.append(value)
        elif isinstance(value, int):
            message.i.append(value)
        elif isinstance(value, float):
            message.f.append(value)
        elif isinstance(value, DType):
            message.type.append(value.as_datatype_enum)
        elif isinstance(value, TensorShape):
            message.shape.append(_shape(value))
        elif value is None:  # a number that an input gives when the node runs
            message.i.append(-1)


def _shape(shape: TensorShape) -> Any:
    message = MESSAGES["TensorShapeProto"]()
    if shape.rank is None:
        message.unknown_rank = True
    else:
        for size in shape.as_list():
            message.dim.add(size=-1 if size is None else size)
    return message


def fill_tensor(message: Any, value: Any) -> None:
    """Sets a TensorProto to an eager tensor's value."""
    message.dtype = value.dtype.as_datatype_enum
    message.tensor_shape.CopyFrom(_shape(value.shape))
    array = value.numpy()
    if value.dtype == dtypes.string:
        strings = array.ravel().tolist() if value.shape.rank else [array]
        message.string_val.extend(strings)
    else:
        message.tensor_content = array.tobytes()


def _input_names(node: Any) -> list[str]:
    """The names of the tensors that a node reads; that of a first output is the operation's."""
    ports = (tensor.name.rpartition(":") for tensor in node.inputs)
    return [name if index == "0" else f"{name}:{index}" for name, _, index in ports]


def node_def(node: Any, add_shapes: bool = False) -> Any:
    """A node as a NodeDef message."""
    message = MESSAGES["NodeDef"](name=node.name, op=node.type)
    _set_node(message, node, add_shapes)
    return message


def _set_node(message: Any, node: Any, add_shapes: bool) -> None:
    message.name, message.op = node.name, node.type
    message.input.extend(_input_names(node))
    for name, value in attributes(node).items():
        if value is not None:
            _fill(message.attr[name], value)
    if add_shapes and node.outputs:
        _fill(message.attr["_output_shapes"], [tensor.shape for tensor in node.outputs])


def op_def(node: Any) -> Any:
    """The name of a node's operation, and what it takes and returns, as an OpDef message."""
    message = MESSAGES["OpDef"](name=node.type, is_stateful=node.has_effects)
    for k, tensor in enumerate(node.inputs):
        message.input_arg.add(name=f"input_{k}", type=tensor.dtype.as_datatype_enum)
    for k, tensor in enumerate(node.outputs):
        message.output_arg.add(name=f"output_{k}", type=tensor.dtype.as_datatype_enum)
    return message


def graph_def(graph: Any, add_shapes: bool = False) -> Any:
    """A graph as a GraphDef message, with the functions that it calls."""
    message = MESSAGES["GraphDef"]()
    for node in graph.nodes:
        _set_node(message.node.add(), node, add_shapes)
    for callee in _callees(graph, {}).values():
        message.library.function.append(function_def(callee, callee.name))
    message.versions.producer = _PRODUCER
    message.versions.min_consumer = _MIN_CONSUMER
    return message


def _callees(graph: Any, found: dict[int, Any]) -> dict[int, Any]:
    for node in graph.nodes:
        for callee in node.callees:
            if id(callee) not in found:
                found[id(callee)] = callee
                _callees(callee, found)
    return found


def function_def(graph: Any, name: str) -> Any:
    """A graph as a FunctionDef message."""
    message = MESSAGES["FunctionDef"]()
    signature = message.signature
    signature.name = name
    arguments = {_core_name(tensor) for tensor in _arguments(graph)}
    for k, tensor in enumerate(_arguments(graph)):
        argument = _core_name(tensor)
        signature.input_arg.add(name=argument, type=tensor.dtype.as_datatype_enum)
        message.arg_attr[k].attr["_user_specified_name"].s = argument.encode()
    for node in graph.nodes:
        signature.is_stateful |= node.has_effects
        if node.name in arguments:
            continue
        _set_node(message.node_def.add(), node, False)
    used: dict[str, int] = {}
    for tensor in graph.outputs:
        result = _core_name(tensor).lower().replace("/", "_")
        count = used.get(result, 0)
        used[result] = count + 1
        result = f"{result}_{count}" if count else result
        signature.output_arg.add(name=result, type=tensor.dtype.as_datatype_enum)
        message.ret[result] = tensor.name
    return message


def _arguments(graph: Any) -> list[Any]:
    return [*graph.inputs, *(inner for _, inner in graph.captures)]


def _core_name(tensor: Any) -> str:
    return tensor.name.rpartition(":")[0]
