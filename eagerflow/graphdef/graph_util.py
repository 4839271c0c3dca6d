"""tf.compat.v1.graph_util: GraphDef messages, changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from eagerflow import _core
from eagerflow.graphdef.constant_variables import constant_variables
from eagerflow.graphdef.import_graph_def import own_message
from eagerflow.protos.graph import MESSAGES

if TYPE_CHECKING:
    from eagerflow.protos.graph import GraphDef, NodeDef

_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")


def _input_names(node: NodeDef) -> list[str]:
    return [text.lstrip("^").partition(":")[0] for text in node.input]


def extract_sub_graph(graph_def: GraphDef, dest_nodes: Sequence[str]) -> GraphDef:
    """The nodes that `dest_nodes` depend on, and these, in the order of the message.

    Args:
        graph_def: the message.
        dest_nodes: names of nodes.

    Raises:
        TypeError: if the names are a string.
        AssertionError: if a node is not there.
    """
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes must be an iterable of strings. Received: {type(dest_nodes)}")
    message = own_message(graph_def, "GraphDef")
    nodes = {node.name: node for node in message.node}
    waiting = list(dest_nodes)
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
        if name not in found:
            found.add(name)
            waiting += _input_names(nodes[name])
    part = MESSAGES["GraphDef"]()
    part.node.extend(node for node in message.node if node.name in found)
    part.library.CopyFrom(message.library)
    part.versions.CopyFrom(message.versions)
    return part


def remove_training_nodes(input_graph: Any, protected_nodes: Iterable[str] | None = None) -> Any:
    """A GraphDef without `CheckNumerics`, and without identities that are not control inputs.

    Args:
        input_graph: the message.
        protected_nodes: names of nodes that stay.
    """
    message = own_message(input_graph, "GraphDef")
    kept = set(protected_nodes or ())
    awaited = {text[1:] for node in message.node for text in node.input if text.startswith("^")}
    replaced: dict[str, str] = {}
    for node in message.node:
        plain = node.op in ("CheckNumerics", "Identity") and len(node.input) == 1
        if plain and node.name not in kept | awaited and "_class" not in node.attr:
            replaced[node.name] = node.input[0]
    part = MESSAGES["GraphDef"]()
    part.library.CopyFrom(message.library)
    part.versions.CopyFrom(message.versions)
    for node in message.node:
        if node.name in replaced:
            continue
        copy = part.node.add()
        copy.CopyFrom(node)
        del copy.input[:]
        for text in node.input:
            seen: set[str] = set()
            while text in replaced and text not in seen:
                seen.add(text)
                text = replaced[text]
            copy.input.append(text)
    return part


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: GraphDef,
    output_node_names: Sequence[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> GraphDef:
    """A GraphDef in which variables are constants with the values that a session has for them.

    Args:
        sess: the session, of the graph that the message was made of.
        input_graph_def: the message.
        output_node_names: names of the nodes whose part of the graph is kept.
        variable_names_whitelist: names of the variables to convert; all by default.
        variable_names_blacklist: names of variables to keep.

    Raises:
        ValueError: if that part changes a variable that becomes a constant, or passes it to an
            operation that only takes variables.
    """
    message = own_message(input_graph_def, "GraphDef")
    part = extract_sub_graph(message, output_node_names)
    only = None if variable_names_whitelist is None else set(variable_names_whitelist)
    without = set(variable_names_blacklist or ())
    names = {
        node.name
        for node in part.node
        if node.op in _VARIABLES
        and (only is None or node.name in only)
        and node.name not in without
    }
    values = sess.run({name: f"{name}:0" for name in names})
    tensors = {name: _core.convert(value, None, None) for name, value in values.items()}
    return constant_variables(part, tensors)


def must_run_on_cpu(node: NodeDef, pin_variables_on_cpu: bool = False) -> bool:
    """Whether a node runs on the processor only: variables if asked for, and text.

    Args:
        node: an operation, or a NodeDef message.
        pin_variables_on_cpu: whether variables do.
    """
    message = getattr(node, "node_def", node)
    if pin_variables_on_cpu and message.op in (*_VARIABLES, "VarHandleOp"):
        return True
    string = 7
    if message.op == "Const":
        return message.attr["dtype"].type == string
    return message.op in ("DynamicStitch", "ParallelDynamicStitch", "Cast") and any(
        message.attr[key].type == string for key in ("T", "SrcT", "DstT") if key in message.attr
    )


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> Any:
    """The shape of a tensor of a graph, by its name; that of a first result needs no index."""
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name).shape
