"""Functions as ONNX files: their frozen graphs, which tf2onnx converts in another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eagerflow import _core, nest
from eagerflow.errors import UnimplementedError
from eagerflow.framework.func_graph import eagerly
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.function import function
from eagerflow.io.os_errors import path_text
from eagerflow.io.replacing import replaced
from eagerflow.typing import FilePath
from eagerflow.util import lazy, own_code
from eagerflow.util.optional import optional

# They import protobuf's messages.
exporting = lazy.Module("eagerflow.graphdef.exporting")
saved_functions = lazy.Module("eagerflow.saved_model.saved_functions")
serialization = lazy.Module("eagerflow.io.serialization")

archive = lazy.Module("eagerflow.keras.export.archive")
saved_model = lazy.Module("eagerflow.saved_model")

# The versions of ONNX's operators that tf2onnx writes, from the first whose axes are inputs.
OPSETS = range(13, 19)
_LARGEST = 2**31 - 1  # bytes of a protobuf message


def export(
    obj: object,
    filepath: FilePath,
    input_signature: Sequence[Any] | None = None,
    signature: str = "serving_default",
    opset_version: int | None = None,
) -> None:
    """Writes a function as an ONNX file, with the values of its variables.

    Its inputs have the names of the parameters or specs. Its outputs have the keys of a dictionary
    that the function returns, else the names `output_0`, `output_1` and so on. Unknown sizes, such
    as that of a batch, stay unknown.

    Args:
        obj: a Keras model; a `tf.function`, one of its concrete functions, or any callable; a module
            with signatures; or the folder of a SavedModel.
        filepath: the file.
        input_signature: the specs of the arguments; by default those that the model, the function's
            `input_signature` or its only trace knows.
        signature: which signature of a SavedModel or module to write.
        opset_version: the version of ONNX's operators, 13 to 18; by default 18.

    Raises:
        ValueError: if the arguments' specs are unknown, there is no such signature, or the version
            is another one.
        ImportError: if tf2onnx is not installed.
        tf.errors.UnimplementedError: if ONNX lacks an operation; the message names it, and the Keras
            layers that use it.

    >>> import os, tempfile
    >>> f = tf.function(lambda x: tf.nn.relu(x) + 1.0, input_signature=[tf.TensorSpec([None, 2])])
    >>> path = os.path.join(tempfile.mkdtemp(), "f.onnx")
    >>> tf.onnx.export(f, path)  # doctest: +SKIP
    """
    if isinstance(obj, str | os.PathLike):
        obj = saved_model.load(path_text(obj))
    if getattr(obj, "_is_model", False):
        archive.export_onnx(obj, filepath, input_signature, opset_version)
        return
    write(_concrete(obj, input_signature, signature), filepath, opset_version)


def _concrete(obj: Any, input_signature: Any, signature: str) -> ConcreteFunction:
    """The concrete function that an object is, or has under a signature."""
    if input_signature is not None:
        return function(obj, input_signature=input_signature).get_concrete_function()
    named = getattr(obj, "signatures", None)
    if isinstance(named, Mapping):
        if signature not in named:
            raise ValueError(
                f"There is no signature '{signature}'. The signatures are {sorted(named)}: name one in "
                "`signature`."
            )
        obj = named[signature]
    elif not isinstance(obj, ConcreteFunction) and not hasattr(obj, "get_concrete_function"):
        obj = getattr(obj, "__call__", None)  # noqa: B004 a module's own function
    if getattr(obj, "input_signature", None) is not None:
        return obj.get_concrete_function()
    known = hasattr(obj, "get_concrete_function") or isinstance(obj, ConcreteFunction)
    traces = saved_functions.concrete_functions_of(obj) if known else []
    if len(traces) != 1:
        raise ValueError(
            f"An ONNX file has one function, and {obj!r} has {len(traces)} traces. Pass the specs of its "
            "arguments: `input_signature=[tf.TensorSpec([None, 3], tf.float32)]`."
        )
    return traces[0]


def write(
    concrete: ConcreteFunction,
    filepath: FilePath,
    opset_version: int | None = None,
    output_names: Iterable[str] | None = None,
    users: Callable[[str], list[str]] = lambda operation: [],
) -> None:
    """Writes a concrete function as an ONNX file.

    Args:
        concrete: the function.
        filepath: the file.
        opset_version: the version of ONNX's operators, or None for the newest.
        output_names: the names of the outputs; by default those of the structure.
        users: tells who uses an operation of TensorFlow's, for the message if ONNX lacks it.

    Raises:
        ValueError: for another version, or more than 2 GB.
        ImportError: if tf2onnx is not installed.
        tf.errors.UnimplementedError: if ONNX lacks an operation.
    """
    optional("tf2onnx", "Exporting to ONNX", imported=False)
    path = path_text(filepath)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        request(concrete, folder, opset_version, output_names)
        convert([folder])
        model = converted(folder, users)
        with replaced(path) as new:
            Path(new).write_bytes(model)


def request(
    concrete: ConcreteFunction,
    folder: Path,
    opset_version: int | None = None,
    output_names: Iterable[str] | None = None,
) -> None:
    """Writes what the converting process needs to a folder; see `write`."""
    opset = OPSETS[-1] if opset_version is None else opset_version
    if opset not in OPSETS:
        raise ValueError(
            f"opset_version must be from {OPSETS[0]} to {OPSETS[-1]}, got {opset_version}."
        )
    graph = concrete.graph
    message = exporting.graph_def(graph, strict=True, frozen=True)
    tables = _take_tables(message, graph)
    _name_apart(message)
    inputs = {tensor.name: tensor.name.rpartition(":")[0] for tensor in graph.inputs}
    names = list(output_names or _names(concrete.structured_outputs))
    wanted = {
        "name": graph.name,
        "description": f"{graph.name}, exported by eagerflow",
        "inputs": inputs,
        "outputs": _add_outputs(message, graph.outputs, _distinct(names, set(inputs.values()))),
        "tables": tables,
        "opset": opset,
    }
    if message.ByteSize() > _LARGEST:
        raise ValueError(f"{graph.name} has more than 2 GB, which an ONNX file cannot hold.")
    (folder / "graph.pb").write_bytes(message.SerializeToString())
    (folder / "request.json").write_text(json.dumps(wanted))


def convert(folders: Iterable[Path]) -> None:
    """Runs tf2onnx on the requests in folders.

    Raises:
        ImportError: if the package with the drop-in is not installed.
    """
    if not own_code.is_installed():
        raise ImportError(own_code.absent("Exporting to ONNX"))
    module = f"{own_code.NEIGHBOR}.dropin.onnx_process"
    # It imports what this process would: `-m` looks in the current folder first.
    paths = [os.path.dirname(own_code.FOLDERS[0][:-1]), *map(os.path.abspath, sys.path)]
    requests = [os.path.abspath(folder) for folder in folders]
    done = subprocess.run(
        [sys.executable, "-m", module, *requests],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, cwd=requests[0],
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"tf2onnx failed:\n{done.stderr.strip()}")


def converted(folder: Path, users: Callable[[str], list[str]] = lambda operation: []) -> bytes:
    """The ONNX file that `convert` wrote to a folder; its errors are those of `write`."""
    reply = json.loads((folder / "reply.json").read_text())
    if "failed" in reply:
        raise RuntimeError(f"tf2onnx failed:\n{reply['failed'].strip()}")
    lines = []
    for operation, reason in reply.get("refused", ()):
        by = ", ".join(users(operation))
        lines.append(f"{operation}{f' of {by}' if by else ''}{f' ({reason})' if reason else ''}")
    if lines:
        raise UnimplementedError._of(
            "ONNX has no operator for "
            + "; ".join(lines)
            + ". Export a SavedModel instead, or the part "
            "of the model without these operations."
        )
    return (folder / "model.onnx").read_bytes()


def _names(structure: Any) -> list[str]:
    """The names of the outputs in a structure."""
    paths, leaves = [], nest.flatten(structure)

    def collect(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, Mapping):
            for key in sorted(value):
                collect(value[key], (*path, str(key)))
        elif isinstance(value, list | tuple):
            for index, part in enumerate(value):
                collect(part, (*path, str(index)))
        else:
            paths.append("_".join(path) if path and not path[0].isdigit() else "")

    collect(structure, ())
    if len(paths) != len(leaves):  # objects that are several tensors
        paths = [""] * len(leaves)
    return [path or f"output_{number}" for number, path in enumerate(paths)]


def _distinct(names: Iterable[str], taken: set[str]) -> list[str]:
    """The names, with a number where one is taken: an input and an output are two tensors."""
    found = []
    for name in names:
        number, chosen = 0, name
        while chosen in taken:
            number, chosen = number + 1, f"{name}_{number + 1}"
        taken.add(chosen)
        found.append(chosen)
    return found


def _add_outputs(message: Any, outputs: Sequence[Any], names: Sequence[str]) -> dict[str, str]:
    """Adds an identity for each output, so that each is a tensor of its own; the outputs' names."""
    taken = {node.name for node in message.node}
    found = {}
    for name, tensor in zip(names, outputs, strict=True):
        (own,) = _distinct([f"outputs/{name}"], taken)
        node = message.node.add(name=own, op="Identity", input=[tensor.name.removesuffix(":0")])
        node.attr["T"].type = tensor.dtype.as_datatype_enum
        found[f"{own}:0"] = name
    return found


def _name_apart(message: Any) -> None:
    """Names arguments and nodes of functions apart from others.

    In ONNX, a loop's body sees the names around it, and tf2onnx puts a condition into the body.
    """
    for body in message.library.function:
        scope = body.signature.name.strip("_")
        own = {node.name: f"{scope}/{node.name}" for node in body.node_def}
        for number, argument in enumerate(body.signature.input_arg):
            own[argument.name] = argument.name = f"{scope}_{number}"

        def renamed(text: str, own: dict[str, str] = own) -> str:
            name, colon, rest = text.removeprefix("^").partition(":")
            return f"{'^' * text.startswith('^')}{own.get(name, name)}{colon}{rest}"

        for node in body.node_def:
            node.name = renamed(node.name)
            node.input[:] = map(renamed, node.input)
        for results in (body.ret, body.control_ret):
            for key, text in list(results.items()):
                results[key] = renamed(text)


def _take_tables(message: Any, graph: Any) -> list[tuple[list[Any], list[Any]]]:
    """Takes the tables out of a graph: lookups become nodes with the number of their table.

    Returns:
        The keys and values of each table.

    Raises:
        UnimplementedError: if a table is used otherwise, or in a function that the graph calls.
    """
    used = [
        item for item in exporting.used_variables(graph) if not isinstance(item, _core.Variable)
    ]
    # Their placeholders come after those of the inputs, in this order.
    handles = [node.name for node in message.node if node.attr["dtype"].type == _RESOURCE]
    numbers = {name: number for number, name in enumerate(handles)}
    tables = []
    for table in used:
        with eagerly():
            keys, values = table.export()
            tables.append((_listed(keys), _listed(values)))
    kept = [node for node in message.node if node.name not in numbers]
    for node in kept:
        number = numbers.get(node.input[0]) if node.input else None
        if number is None:
            continue
        if node.op == "LookupTableSizeV2":
            del node.input[:]
            node.op = "Const"
            node.attr["dtype"].type = _INT64
            serialization.fill_message(
                node.attr["value"].tensor, _core.constant(len(tables[number][0]), "int64")
            )
        elif node.op == "LookupTableFindV2":
            kinds = [node.attr[name].type for name in ("Tin", "Tout")]
            del node.input[0]
            node.op = "PyFuncStateless"
            node.attr.clear()
            node.attr["token"].s = str(number).encode()
            node.attr["Tin"].list.type.extend(kinds)
            node.attr["Tout"].list.type.append(kinds[1])
        else:
            raise UnimplementedError._of(f"ONNX has no operator for {node.op} of a table.")
    del message.node[:]
    message.node.extend(kept)
    return tables


_RESOURCE, _INT64 = 20, 9


def _listed(tensor: Any) -> list[Any]:
    """The elements of a vector, with text as str."""
    return [x.decode() if isinstance(x, bytes) else x for x in tensor.numpy().tolist()]
