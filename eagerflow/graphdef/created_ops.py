"""`tf.Graph.create_op`: an operation of TensorFlow by its name, as a node of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.name_scope import get_current_name_scope
from eagerflow.framework.operation import last_operation
from eagerflow.graphdef import op_defs
from eagerflow.graphdef.import_graph_def import import_graph_def
from eagerflow.protos.graph import MESSAGES


def create(
    graph: Any, op_type: str, inputs: Sequence[Any], name: str | None, attrs: Mapping[str, Any]
) -> Any:
    """Adds an operation to a graph; the arguments are those of `Graph.create_op`.

    Raises:
        RuntimeError: if there is no operation of this name.
        TypeError: if an input is no tensor.
        ValueError: if the dtypes of inputs differ from those in `attrs`.
    """
    definition = op_defs.find(op_type)
    if definition is None:
        raise RuntimeError(
            f"Op type not registered '{op_type}': TensorFlow has no operation of this name. "
            "`dir(tf.raw_ops)` lists those that can be called."
        )
    for k, value in enumerate(inputs):
        if not isinstance(value, _core.Tensor):
            raise TypeError(f"Input #{k} of '{op_type}' is not a tensor: {value!r}")
    with graph.as_default():
        message = MESSAGES["GraphDef"]()
        node = message.node.add(op=op_type, name=_scoped(name or op_type))
        given = {}
        for k, value in enumerate(inputs):
            argument = message.node.add(op="Placeholder", name=f"{node.name}/input_{k}")
            argument.attr["dtype"].type = value.dtype.as_datatype_enum
            node.input.append(argument.name)
            given[f"{argument.name}:0"] = value
        for key, value in attrs.items():
            node.attr[key].ParseFromString(value.SerializeToString())
        for key, dtype in _types_of_inputs(definition, inputs).items():
            if key not in node.attr:
                node.attr[key].type = dtype.as_datatype_enum
            elif dtypes.as_dtype(node.attr[key].type) is not dtype:
                raise ValueError(
                    f"Inconsistent values for attr '{key}' of '{op_type}': an input is of dtype "
                    f"{dtype.name}, and attrs says {dtypes.as_dtype(node.attr[key].type).name}."
                )
        if not definition.outputs:
            import_graph_def(message, given, name="")
            return last_operation()
        found: Any = import_graph_def(message, given, [node.name], name="")
        return found[0]


def _scoped(name: str) -> str:
    """The name inside the current scope; one that ends with "/" is whole."""
    if name.endswith("/"):
        return name[:-1]
    scope = get_current_name_scope()
    return f"{scope}/{name}" if scope else name


def _types_of_inputs(definition: Any, inputs: Sequence[Any]) -> dict[str, Any]:
    """The attributes that are dtypes of single inputs."""
    found: dict[str, Any] = {}
    for argument, value in zip(definition.inputs, inputs, strict=False):
        if not argument.is_single:
            break
        if argument.type in definition.attributes:
            found[argument.type] = value.dtype
    return found
