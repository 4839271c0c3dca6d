"""Single nodes as messages: NodeDef and OpDef, and the values of attributes in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eagerflow import _core
from eagerflow.framework import dtypes, operation
from eagerflow.framework.shapes import TensorShape
from eagerflow.graphdef import exporting, function_gradients, op_defs
from eagerflow.graphdef.op_defs import Argument
from eagerflow.graphdef.writer import Ref
from eagerflow.io.serialization import tensor_of_message
from eagerflow.protos.graph import MESSAGES

if TYPE_CHECKING:
    from eagerflow.protos.graph import AttrValue, OpDef


def node_def(node: Any) -> Any:
    """A node as a NodeDef message."""
    written = _written(node).get(node.name)
    return MESSAGES["NodeDef"](name=node.name, op=node.type) if written is None else written


def as_written(op: operation.Operation) -> operation.Operation:
    """An operation with all inputs that it has in TensorFlow.

    Some of them, such as the axis of a concatenation, are attributes here. They become constants
    of the graph that is being built.
    """
    messages = _written(op._node)
    own = {tensor.name.removesuffix(":0"): tensor for tensor in op.inputs}
    inputs = []
    for name in getattr(messages.get(op.name), "input", ()):
        if name.startswith("^"):
            continue
        made = messages.get(name)
        if name in own:
            inputs.append(own[name])
        elif made is not None and made.op == "Const":
            value = tensor_of_message(made.attr["value"].tensor)
            inputs.append(_core.building().constant(value, name))
        else:  # It is written as several operations.
            return op
    return WrittenOperation(op._node, inputs) if len(inputs) > len(op.inputs) else op


class WrittenOperation(operation.Operation):
    """An operation with the inputs that it has in TensorFlow.

    Args:
        node: its node.
        inputs: the inputs.
    """

    def __init__(self, node: Any, inputs: Sequence[Any]) -> None:
        super().__init__(node)
        self._inputs = tuple(inputs)

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The tensors that it reads."""
        return self._inputs


def _written(node: Any) -> dict[str, Any]:
    """The messages of the nodes that a node is written as, by their names."""
    message = MESSAGES["GraphDef"]()
    body = exporting.Body(exporting.Exporter(strict=False), message.node, False)
    for tensor in function_gradients.needed_by(node):
        name, _, index = tensor.name.rpartition(":")
        text = tensor.name.removesuffix(":0")
        body.bind(tensor, Ref(name, tensor.dtype, tensor.shape, text, int(index)))
    for variable in [*node.variables, *node.reads, *exporting.used_by(node)]:
        name = getattr(variable, "name", "table").rpartition(":")[0]
        body.bind_handle(variable, Ref(name, dtypes.resource, TensorShape([]), name))
    handle = operation.own_handle(node)
    if handle is not None:
        body.add_variable(handle.variable, node.name)
    elif node.type == "Placeholder":
        tensor = node.outputs[0]
        exporting.placeholder(body, node.name, tensor.dtype, tensor.shape)
    else:
        body.write_node(node)
    return {made.name: made for made in message.node}


def value_of(message: AttrValue) -> Any:
    """The value of an attribute, as programs get it: dtypes, plain values, and messages of others."""
    kind = message.WhichOneof("value")
    if kind == "type":
        return dtypes.as_dtype(message.type)
    if kind != "list":
        return getattr(message, kind) if kind else None
    items = message.list
    if len(items.type):
        return [dtypes.as_dtype(number) for number in items.type]
    for field in ("s", "i", "f", "b", "shape", "tensor", "func"):
        if len(getattr(items, field)):
            return list(getattr(items, field))
    return []


def op_def(node: Any) -> OpDef:
    """The inputs, outputs and attributes of a node's operation, as an OpDef message."""
    name = node_def(node).op
    definition = op_defs.find(name)
    if definition is None:
        return MESSAGES["OpDef"](name=name, is_stateful=node.has_effects)
    return declaration(definition)


def declaration(definition: op_defs.OpDef) -> OpDef:
    """The inputs, outputs and attributes of an operation of TensorFlow, as an OpDef message."""
    message = MESSAGES["OpDef"](name=definition.name)
    message.is_stateful = definition.has_state
    for field, arguments in (
        (message.input_arg, definition.inputs),
        (message.output_arg, definition.outputs),
    ):
        for argument in arguments:
            _fill_argument(field.add(name=argument.name), argument, definition)
    for attribute in definition.attributes.values():
        message.attr.add(name=attribute.name, type=attribute.kind)
    return message


def _fill_argument(message: Any, argument: Argument, definition: op_defs.OpDef) -> None:
    if argument.is_list:
        message.type_list_attr = argument.type
    elif argument.type in definition.attributes:
        message.type_attr = argument.type
    else:
        message.type = dtypes.as_dtype(argument.type).as_datatype_enum
    message.number_attr = argument.number
    message.is_ref = argument.is_ref
