"""tensorflow.python.tools: graphs with the values of a checkpoint, and what a checkpoint has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from eagerflow.checkpoint.inspection import NewCheckpointReader
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.graph.graph import Graph
from eagerflow.graph.session import Session
from eagerflow.graphdef.freezing import convert_variables_to_constants_v2
from eagerflow.graphdef.graph_util import (
    convert_variables_to_constants,
    extract_sub_graph,
    remove_training_nodes,
)
from eagerflow.protos.graph import MESSAGES
from eagerflow.protos.saved_model import MESSAGES as META
from eagerflow.protos.schema import protobuf
from eagerflow_compat.v1.meta_graphs import ImportedMetaGraph
from eagerflow_compat.v1.saved_models import load
from eagerflow_compat.v1.saver import Saver

__all__ = [
    "_IsControlInput",
    "convert_variables_to_constants_v2_as_graph",
    "freeze_graph",
    "optimize_for_inference",
    "print_tensors_in_checkpoint_file",
]


def _IsControlInput(input_name: str) -> bool:
    """Whether an input of a node is an operation to wait for."""
    return input_name.startswith("^")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _read(path: str, message: Any, binary: bool) -> Any:
    """A message of a file, in protobuf's bytes or as text."""
    content = Path(path).read_bytes()
    return (
        message.FromString(content) if binary else protobuf("text_format").Parse(content, message())
    )


def freeze_graph(
    input_graph: str,
    input_saver: str,
    input_binary: bool,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str | None,
    filename_tensor_name: str | None,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_denylist: str = "",
    input_meta_graph: str | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = "serve",
    checkpoint_version: int = 2,
) -> Any:
    """A graph whose variables are constants with the values of a checkpoint.

    Args:
        input_graph: a file with a GraphDef; or see `input_meta_graph` and `input_saved_model_dir`.
        input_saver: accepted: variables are found by their names.
        input_binary: whether files of graphs are protobuf's bytes, and not text.
        input_checkpoint: the checkpoint's prefix.
        output_node_names: the nodes that are kept with all that they need, with commas between them.
        restore_op_name: accepted.
        filename_tensor_name: accepted.
        output_graph: where the graph is written to; none where this is empty.
        clear_devices: whether nodes forget their devices.
        initializer_nodes: nodes that are run first, with commas between them.
        variable_names_whitelist: the only variables that become constants, if not empty.
        variable_names_denylist: variables that stay.
        input_meta_graph: a file with a MetaGraphDef.
        input_saved_model_dir: the folder of a SavedModel, which has its values.
        saved_model_tags: the tags of its graph.
        checkpoint_version: accepted.

    Returns:
        The GraphDef message.

    Raises:
        ValueError: without nodes to keep.
    """
    outputs = _names(output_node_names.replace(" ", ""))
    if not outputs:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    with Graph().as_default() as graph, Session(graph=graph) as session:
        if input_saved_model_dir:
            message = load(session, _names(saved_model_tags), input_saved_model_dir).graph_def
        else:
            if input_meta_graph:
                meta = _read(input_meta_graph, META["MetaGraphDef"], input_binary)
            else:
                definition = _read(input_graph, MESSAGES["GraphDef"], input_binary)
                meta = META["MetaGraphDef"](graph_def=definition)
            message = meta.graph_def
            imported = ImportedMetaGraph(meta)
            saver = imported.saver() or Saver(imported.variables())
            if initializer_nodes:
                session.run(_names(initializer_nodes))
            saver.restore(session, input_checkpoint)
        if clear_devices:
            for node in message.node:
                node.device = ""
        frozen = convert_variables_to_constants(
            session,
            message,
            outputs,
            _names(variable_names_whitelist) or None,
            _names(variable_names_denylist) or None,
        )
    if output_graph:
        Path(output_graph).write_bytes(frozen.SerializeToString())
    return frozen


def optimize_for_inference(
    input_graph_def: Any,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: int | Iterable[int],
    toco_compatible: bool = False,
    placeholder_to_const_dict: Any = None,
) -> Any:
    """What a graph needs for some of its nodes, from others that become placeholders.

    Nodes that only training needs are left out. Sums and products that a convolution could take over are
    joined when the graph runs.

    Args:
        input_graph_def: the GraphDef message.
        input_node_names: the nodes that become placeholders.
        output_node_names: the nodes that are kept.
        placeholder_type_enum: the dtype of the placeholders, or one for each.
        toco_compatible: accepted.
        placeholder_to_const_dict: must be empty.

    Raises:
        NotImplementedError: if placeholders shall become constants.
        KeyError: if there is no node of a name.
    """
    if placeholder_to_const_dict:
        raise NotImplementedError("placeholder_to_const_dict: feed the placeholders instead.")
    kinds = placeholder_type_enum
    types = list(kinds) if isinstance(kinds, Iterable) else [kinds] * len(input_node_names)
    replaced = type(input_graph_def)()
    replaced.CopyFrom(input_graph_def)
    nodes = {node.name: node for node in replaced.node}
    for name, dtype in zip(input_node_names, types, strict=True):
        if name not in nodes:
            raise KeyError(f"The following input nodes were not found: {{'{name}'}}")
        node = nodes[name]
        shape = node.attr["shape"] if "shape" in node.attr else None
        node.op, node.device = "Placeholder", ""
        del node.input[:]
        for key in list(node.attr):
            if key not in ("shape", "dtype", "_output_shapes"):
                del node.attr[key]
        node.attr["dtype"].type = dtype
        if shape is None:
            node.attr["shape"].shape.unknown_rank = True
    kept = extract_sub_graph(replaced, list(output_node_names))
    return remove_training_nodes(kept, list(output_node_names))


def print_tensors_in_checkpoint_file(
    file_name: str,
    tensor_name: str | None,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints what a checkpoint has: names, and values where they are asked for.

    Args:
        file_name: the checkpoint's prefix.
        tensor_name: the only tensor whose value is printed; empty: names, dtypes and shapes.
        all_tensors: whether all values are printed.
        all_tensor_names: whether all names are printed.
        count_exclude_pattern: a regular expression of names that the number of values leaves out.
    """
    reader = NewCheckpointReader(file_name)
    shapes, dtypes = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    if all_tensors or all_tensor_names:
        for name in sorted(shapes):
            print(f"tensor: {name} ({dtypes[name].name}) {shapes[name]}")
            if all_tensors:
                print(reader.get_tensor(name))
    elif not tensor_name:
        print(reader.debug_string().decode("utf-8", errors="ignore"))
    else:
        if not reader.has_tensor(tensor_name):
            print(f"Tensor {tensor_name} not found in checkpoint")
            return
        print(f"tensor: {tensor_name} ({dtypes[tensor_name].name}) {shapes[tensor_name]}")
        print(reader.get_tensor(tensor_name))
    counted = [
        shape
        for name, shape in shapes.items()
        if not (count_exclude_pattern and re.match(count_exclude_pattern, name))
    ]
    print(f"# Total number of params: {sum(int(np.prod(shape)) for shape in counted)}")


def convert_variables_to_constants_v2_as_graph(
    func: ConcreteFunction, lower_control_flow: bool = True, aggressive_inlining: bool = False
) -> tuple[ConcreteFunction, Any]:
    """A function with the values of its variables in its graph, and the graph as a message.

    Args:
        func: a concrete function, which only reads its variables.
        lower_control_flow: accepted: conditionals and loops stay functional.
        aggressive_inlining: accepted.
    """
    frozen = convert_variables_to_constants_v2(func, lower_control_flow, aggressive_inlining)
    return frozen, frozen.graph.as_graph_def()
