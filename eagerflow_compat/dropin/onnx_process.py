"""The process in which tf2onnx converts a graph: `python -m eagerflow_compat.dropin.onnx_process FOLDER...`.

tf2onnx imports `tensorflow`, which is eagerflow here. The program that asks for the conversion is
another process (`eagerflow/onnx/exporting.py`), in which `import tensorflow` means what it meant.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from eagerflow import _core
from eagerflow.graphdef import called_python
from eagerflow.protos.graph import MESSAGES
from eagerflow.util import lazy
from eagerflow.util.optional import optional
from eagerflow_compat.dropin import install

if TYPE_CHECKING:
    from eagerflow.protos.graph import NodeDef

# It imports tf2onnx, which needs the module `tensorflow`.
operators = lazy.Module("eagerflow_compat.dropin.onnx_operators")

# The node in whose place a lookup in a table is imported: a table is not a tensor.
_LOOKUP = "PyFuncStateless"
# Operations that tf2onnx converts, although it has no function for them.
_STRUCTURE = ("NoOp", "PartitionedCall", "StatefulPartitionedCall", "StatelessIf", "StatelessWhile")


class _Failures(logging.Handler):
    """Collects the nodes that tf2onnx says it cannot convert, with the reasons."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.reasons: dict[str, str] = {}

    def emit(self, record: logging.LogRecord) -> None:
        arguments = record.args
        if isinstance(arguments, tuple) and arguments and isinstance(arguments[0], str):
            error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
            self.reasons[arguments[0]] = "" if error is None else str(error)


def _look_up(builder: object, node: NodeDef, inputs: dict[str, Any], attrs: object) -> list[object]:
    """Imports a lookup in a table as a node of an unknown function."""
    asked, default = inputs["input"]
    return [_core.host_node(len, [asked, default], [(default.dtype, asked.shape)], node.op, False)]


def _unknown(graph: Any, opsets: Mapping[str, int]) -> Iterator[str]:
    """The operations of an ONNX graph, and of those inside of its nodes, that ONNX does not have."""
    defs = optional("onnx.defs", "Exporting to ONNX")
    for node in graph.node:
        version = opsets.get(node.domain)
        if version is None or not defs.has(node.op_type, version, node.domain):
            yield node.op_type
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _unknown(attribute.g, opsets)


def convert(folder: Path, tensorflow: ModuleType) -> dict[str, object]:
    """Converts `folder/graph.pb` as `folder/request.json` asks to `folder/model.onnx`.

    Args:
        folder: the folder.
        tensorflow: what `import tensorflow` answers.

    Returns:
        Nothing, or `refused`: names of operations, with reasons.
    """
    handler, optimizer, tfonnx, utils = (
        optional(f"tf2onnx.{name}", "Exporting to ONNX")
        for name in ("handler", "optimizer", "tfonnx", "utils")
    )
    request = json.loads((folder / "request.json").read_text())
    operators.add_tables(request["tables"])
    message = MESSAGES["GraphDef"].FromString((folder / "graph.pb").read_bytes())
    nodes = [*message.node, *(n for f in message.library.function for n in f.node_def)]
    kinds = {node.name: node.op for node in nodes}
    domains = [utils.make_opsetid("ai.onnx.ml", 2)] if request["tables"] else []
    failures = _Failures()
    logger = logging.getLogger("tf2onnx")
    logger.propagate = False
    logger.handlers[:] = [failures]
    try:
        with tensorflow.Graph().as_default() as graph:
            tensorflow.import_graph_def(message, name="")
            made = tfonnx.process_tf_graph(
                graph,
                opset=request["opset"],
                extra_opset=domains,
                input_names=list(request["inputs"]),
                output_names=list(request["outputs"]),
                tensors_to_rename={**request["inputs"], **request["outputs"]},
            )
            made = optimizer.optimize_graph(made)
            model = made.make_model(request["description"], graph_name=request["name"])
    except Exception:
        # tf2onnx raises what its functions raise, and has logged the node. Without one, the cause is an
        # operation that it does not know.
        known = handler.tf_op.create_mapping(request["opset"], domains)
        refused = [(kinds.get(name, name), why) for name, why in failures.reasons.items()]
        refused = refused or [(op, "") for op in sorted({*kinds.values()} - {*known, *_STRUCTURE})]
        if not refused:
            raise
        return {"refused": refused}
    unknown = set(
        _unknown(model.graph, {opset.domain: opset.version for opset in model.opset_import})
    )
    if unknown:
        return {"refused": [(op, "") for op in sorted(unknown)]}
    model.producer_name = "eagerflow"
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return {}


def main(folders: Sequence[str]) -> None:
    """Converts the graph in each folder, and writes what happened to its `reply.json`.

    A reply is empty, or has `refused`, operations with reasons, or `failed`, a traceback.
    """
    tensorflow = install.install_as_tensorflow()
    called_python.HANDLERS[_LOOKUP] = _look_up
    for folder in map(Path, folders):
        try:
            reply = convert(folder, tensorflow)
        except Exception:
            reply = {"failed": traceback.format_exc()}
        (folder / "reply.json").write_text(json.dumps(reply))


if __name__ == "__main__":
    main(sys.argv[1:])
