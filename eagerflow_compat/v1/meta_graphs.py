"""Graphs of version 1 with what belongs to them, collections and a saver, as MetaGraphDef messages."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from typing import Any

from eagerflow import _core
from eagerflow.errors import UnimplementedError
from eagerflow.framework import context
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.graph import Graph, Operation
from eagerflow.graph.partitioned import SaveSliceInfo, part_of, parts_of, wholes
from eagerflow.graphdef.exporting import Exporter, finish_message
from eagerflow.graphdef.import_graph_def import Resources, add_nodes, own_message
from eagerflow.graphdef.importing import Builder, describing, refused
from eagerflow.io.os_errors import path_text, translated
from eagerflow.io.replacing import replaced
from eagerflow.io.serialization import tensor_of_message
from eagerflow.protos.saved_model import MESSAGES
from eagerflow.protos.schema import protobuf
from eagerflow.saved_model.main_graph import MainGraph
from eagerflow.util import lazy
from eagerflow.util.regular import read_regular
from eagerflow.version import VERSION

# Imported when it is first used: it imports this module.
savers = lazy.Module("eagerflow_compat.v1.saver")

__all__ = ["export_meta_graph", "import_meta_graph"]

# Collections of variables.
VARIABLES = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
)
# Collections that describe parts of graphs, by messages that nothing here needs.
_DESCRIPTIONS = frozenset({"cond_context", "while_context", "queue_runners", "savers"})
_VARIABLE_OPS = ("VarHandleOp", "VariableV2", "Variable")


def _graph(graph: Graph | None = None) -> Graph:
    """The graph, or the default one.

    Raises:
        RuntimeError: if operations run eagerly.
    """
    if graph is None:
        graph = context.building_graph()
    if graph is None:
        raise RuntimeError(
            "Exporting/importing meta graphs is not supported when eager execution is enabled. No "
            "graph exists when eager execution is enabled."
        )
    return graph


# Writing


class MetaGraphWriter:
    """Writes a graph of version 1 as a MetaGraphDef message.

    Args:
        message: the message.
        graph: the graph.
        variables: the variables that are saved, by their keys in checkpoints.
    """

    def __init__(self, message: Any, graph: Any, variables: Mapping[str, Any]) -> None:
        self._message = message
        self._graph = graph
        self._exporter = Exporter(skips=True)
        used = self._exporter.variables_of(graph)
        tables = [item for item in used if not isinstance(item, _core.Variable)]
        pairs = [(part, key) for key, variable in variables.items() for part in parts_of(variable)]
        self._main = MainGraph(message, self._exporter, pairs, tables, graph)
        self._body = self._main.body
        self.has_tables = bool(tables)

    def file_name(self, element: object) -> str:
        """The name of a tensor or operation of the graph in the message.

        Raises:
            tf.errors.UnimplementedError: if it is not there, since TensorFlow has no such operation.
        """
        return self._body.file_name(element)

    def add_initializer(self, operations: Iterable[Any]) -> str:
        """Adds an operation that runs some operations and fills the tables; its name."""
        return self._main.add_initializer(*map(self.file_name, operations))

    def add_collections(self, keys: Iterable[str] | None) -> None:
        """Adds the collections of some names, or all."""
        graph = self._graph
        for key in graph.get_all_collection_keys() if keys is None else keys:
            values = graph.get_collection(key)
            try:
                if isinstance(key, str) and values:
                    self._add_collection(key, values)
            except (TypeError, UnimplementedError) as error:
                # What a program has put in itself is missed, as TensorFlow says, too.
                level = logging.WARNING if isinstance(error, TypeError) else logging.INFO
                text = "Collection %r is not part of the exported graph: %s"
                logging.log(level, text, key, error)
                del self._message.collection_def[key]

    def _add_collection(self, key: str, values: list[object]) -> None:
        found = self._message.collection_def[key]
        for value in values:
            if isinstance(value, _core.Variable) and key in VARIABLES:
                found.bytes_list.value.append(self.variable_def(value).SerializeToString())
            elif isinstance(value, _core.Variable):
                found.node_list.value.append(f"{self._body.handle(value).node}:0")
            elif isinstance(value, Operation | _core.Tensor):
                found.node_list.value.append(self.file_name(value))
            elif isinstance(value, str | bytes):
                found.bytes_list.value.append(value.encode() if isinstance(value, str) else value)
            elif isinstance(value, int):
                found.int64_list.value.append(value)
            elif isinstance(value, float):
                found.float_list.value.append(value)
            elif isinstance(value, savers.Saver):
                found.bytes_list.value.append(value.to_proto().SerializeToString())
            else:
                raise TypeError(f"{type(value).__name__} is nothing that a collection can hold")

    def variable_def(self, variable: _core.Variable) -> Any:
        """What a graph has for a variable, as a VariableDef message."""
        nodes = self._graph.nodes_of_variable(variable)
        found = MESSAGES["VariableDef"](is_resource=True, trainable=bool(variable.trainable))
        found.variable_name = f"{self._body.handle(variable).node}:0"
        found.snapshot_name = self.file_name(nodes.read)
        if nodes.initializer is not None:
            found.initializer_name = self.file_name(nodes.initializer)
        if nodes.initial_value is not None:
            found.initial_value_name = self.file_name(nodes.initial_value)
        part = part_of(variable)
        if part is not None:
            info = MESSAGES["SaveSliceInfoDef"](**part._asdict())
            found.save_slice_info_def.CopyFrom(info)
        return found

    def finish(self, saver: bool) -> None:
        """Adds the functions, and what saves and restores the variables, if that is asked for."""
        if saver:
            self._main.add_saver("save/", "save/Const")
        finish_message(self._message.graph_def, self._exporter)


def export_meta_graph(
    filename: Any = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    *,
    variables: Mapping[str, _core.Variable] | None = None,
    **kwargs: object,
) -> Any:
    """A graph with its collections, and what saves and restores its variables.

    Operations that TensorFlow does not have, such as calls of Python, are left out, with those that need
    them.

    Args:
        filename: a file to write it to; none by default.
        meta_info_def: what is known of it, a MetaInfoDef message.
        graph_def: the graph as a message; by default `graph` is written.
        saver_def: names of the nodes of `graph_def` that save and restore.
        collection_list: the names of the collections; all by default.
        as_text: whether the file is text.
        graph: the graph; the default one if there is none.
        export_scope: not supported: must be empty.
        clear_devices: accepted: there are no devices in it.
        clear_extraneous_savers: accepted: there is one saver.
        strip_default_attrs: accepted, without effect.
        save_debug_info: accepted, without effect.
        variables: the variables that are saved, by their keys in checkpoints; by default the global
            ones, by their names.
        **kwargs: accepted, without effect.

    Returns:
        A MetaGraphDef message.

    Raises:
        RuntimeError: if operations run eagerly.
        ValueError: if `export_scope` is given.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, name="x")
    ...     message = tf.compat.v1.train.export_meta_graph()
    >>> [node.name for node in message.graph_def.node]
    ['x']
    """
    graph = _graph(graph)
    if export_scope:
        raise ValueError("Graphs are exported as a whole. Leave `export_scope` out.")
    message = MESSAGES["MetaGraphDef"]()
    if meta_info_def is not None:
        message.meta_info_def.ParseFromString(meta_info_def.SerializeToString())
    message.meta_info_def.tensorflow_version = VERSION
    if graph_def is not None:
        message.graph_def.ParseFromString(graph_def.SerializeToString())
        if saver_def is not None:
            message.saver_def.ParseFromString(saver_def.SerializeToString())
    else:
        if variables is None:
            variables = wholes(graph.get_collection(GraphKeys.GLOBAL_VARIABLES))
        writer = MetaGraphWriter(message, graph, variables)
        writer.add_collections(collection_list)
        writer.finish(saver=bool(variables))
        if saver_def is not None:
            message.saver_def.max_to_keep = saver_def.max_to_keep
            message.saver_def.keep_checkpoint_every_n_hours = (
                saver_def.keep_checkpoint_every_n_hours
            )
    if filename:
        write_message(path_text(filename), message, as_text)
    return message


def write_message(path: str, message: Any, as_text: bool = False) -> None:
    """Writes a message to a file, whose folders are made."""
    with translated(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    content = message.SerializeToString()
    if as_text:
        content = protobuf("text_format").MessageToString(message).encode()
    with replaced(path) as temporary, open(temporary, "wb") as file:
        file.write(content)


# Reading


def read_meta_graph(path: str) -> Any:
    """The MetaGraphDef message in a file, binary or text.

    Raises:
        OSError: if there is none.
        tf.errors.InvalidArgumentError: if the file holds something else.
    """
    if not os.path.isfile(path):
        raise OSError(f"File does not exist. Received: {path}.")
    with translated(path):
        content = read_regular(path)
    kind = MESSAGES["MetaGraphDef"]
    try:
        return kind.FromString(content)
    except protobuf("message").DecodeError as error:
        try:
            return protobuf("text_format").Parse(content.decode(), kind())
        except Exception:  # ParseError, UnicodeDecodeError: it is no text either
            raise refused(f"The file {path} holds no MetaGraphDef message: {error}") from error


class ImportedMetaGraph:
    """The nodes, variables and collections of a MetaGraphDef, added to the graph that is being built.

    Args:
        message: the message.
        scope: what the names get before them.
        assets: files by the names of the tensors that name them.
        allowed: operations that may run although they reach files.
    """

    def __init__(
        self, message: Any, scope: str | None = None, assets: Mapping[str, str] | None = None,
        allowed: Iterable[str] = (),
    ) -> None:  # fmt: skip
        self._message = message
        self._graph = _graph()
        self._prefix = f"{scope.rstrip('/')}/" if scope else ""
        assets = assets or {}
        described = self._described()
        trainable = {
            definition.variable_name.partition(":")[0]
            for definition in described.get(GraphKeys.TRAINABLE_VARIABLES, ())
        }
        nodes = message.graph_def.node
        self._resources = Resources(self._graph, self._prefix, trainable)
        builder = Builder(message.graph_def.library.function, self._resources, len(nodes), allowed)
        builder.files = frozenset(assets.values())
        given = {
            key: self._graph.constant(
                _core.convert(path, None, None), self._prefix + key.partition(":")[0]
            )
            for key, path in assets.items()
        }
        with describing("The graph"):
            self._found = add_nodes(builder, message.graph_def, self._prefix, given)
            for node in nodes:
                if node.op in _VARIABLE_OPS:
                    self._resources.of(node)
            self._restore_collections(described)

    def variables(self) -> dict[str, _core.Variable]:
        """The variables of the nodes, by name."""
        parts = {name: values[0] for name, values in self._found.items() if values}
        return {name: part for name, part in parts.items() if isinstance(part, _core.Variable)}

    def _described(self) -> dict[str, list[Any]]:
        """What collections tell of variables."""
        found = {}
        for key in VARIABLES:
            if key in self._message.collection_def:
                values = self._message.collection_def[key].bytes_list.value
                found[key] = [own_message(value, "VariableDef", MESSAGES) for value in values]
        return found

    def _variable(self, definition: Any) -> Any:
        """The variable that a VariableDef message tells."""
        name = definition.variable_name.partition(":")[0]
        values = self._found.get(name)
        if not values or not isinstance(values[0], _core.Variable):
            raise refused(f"A collection has variable '{name}', which is not in the graph.")
        variable: Any = values[0]
        part = definition.save_slice_info_def
        if part.full_name:
            variable._save_slice_info = SaveSliceInfo(
                part.full_name, list(part.full_shape), list(part.var_offset), list(part.var_shape)
            )
        if definition.initializer_name:
            variable.set_nodes(
                self._element(definition.initializer_name),
                definition.initial_value_name and self._element(definition.initial_value_name),
            )
        return variable

    def _element(self, name: str) -> Any:
        """The tensor or operation of a name in the message; None if it cannot run here."""
        try:
            return self._graph.as_graph_element(self._prefix + name)
        except UnimplementedError:
            return None

    def _restore_collections(self, described: dict[str, list[Any]]) -> None:
        for key in sorted(self._message.collection_def):
            if key in described:
                for definition in described[key]:
                    self._graph.add_to_collection(key, self._variable(definition))
            elif key not in _DESCRIPTIONS:
                collection = self._message.collection_def[key]
                kind = collection.WhichOneof("kind")
                for value in getattr(collection, kind).value if kind else ():
                    if kind == "node_list":
                        value = self._element(value)
                    elif kind == "bytes_list":
                        value = _text(value)
                    if value is not None:
                        self._graph.add_to_collection(key, value)

    def saver(self, **kwargs: Any) -> Any:
        """What saves and restores the variables as the message says; None without variables.

        Args:
            **kwargs: those of `Saver`.
        """
        if self._message.HasField("saver_def"):
            with describing("The saver"):
                names = restored_variables(self._message)
                variables = {key: self._restored(key, parts) for key, parts in names.items()}
            if variables:
                return savers.Saver(variables, **kwargs)
        if self._graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
            return savers.Saver(**kwargs)
        return None

    def _restored(self, key: str, parts: dict[str, str]) -> list[_core.Variable] | _core.Variable:
        """The variable that has a key in checkpoints, or the list of its parts."""
        variables = []
        for name, spec in parts.items():
            variable = self._found[name][0]
            if not isinstance(variable, _core.Variable):
                raise refused("The saver restores what is no variable.")
            if spec:
                known: Any = variable
                known._save_slice_info = SaveSliceInfo.of_spec(key, spec)
            variables.append(variable)
        return variables if all(parts.values()) else variables[-1]


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def restored_variables(message: Any) -> dict[str, dict[str, str]]:
    """The variables that the saver of a graph restores, by keys in checkpoints.

    They are given by the names of their nodes, with the parts that they are of what has the key:
    empty if they are all of it.
    """
    nodes = {node.name: node for node in message.graph_def.node}
    sources: dict[tuple[str, int], str] = {}  # a variable for each result of a restoring node
    waiting = [message.saver_def.restore_op_name]
    seen = set(waiting)
    while waiting:
        node = nodes[waiting.pop()]
        for text in node.input:
            name = text.lstrip("^").partition(":")[0]
            if name not in seen:
                seen.add(name)
                waiting.append(name)
        if node.op in ("Assign", "AssignVariableOp"):
            origin = _origin(nodes, node.input[1])
            if origin is not None:
                sources[origin] = node.input[0].partition(":")[0]
    found: dict[str, dict[str, str]] = {}
    for (name, index), variable in sources.items():
        keys, slices = (tensor_of_message(nodes[nodes[name].input[k]].attr["value"].tensor).numpy()
                        for k in (1, 2))  # fmt: skip
        found.setdefault(keys[index].decode(), {})[variable] = slices[index].decode()
    return found


def _origin(nodes: Mapping[str, Any], text: str) -> tuple[str, int] | None:
    """The restoring node, and which of its results, that a tensor comes from."""
    for _ in range(len(nodes)):
        name, _, index = text.partition(":")
        node = nodes[name]
        if node.op == "RestoreV2":
            return name, int(index or 0)
        if node.op not in ("Identity", "Reshape", "Cast"):
            return None
        text = node.input[0]
    return None


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    *,
    allowed_operations: Iterable[str] = (),
    **kwargs: Any,
) -> Any:
    """Adds a graph from a file to the default one, with its variables and collections.

    Args:
        meta_graph_or_file: a MetaGraphDef message, or the file of one, such as "model.meta".
        clear_devices: accepted: there is one device.
        import_scope: what the names get before them.
        allowed_operations: names of operations that may run although they reach files.
        **kwargs: those of `Saver`.

    Returns:
        A Saver for the variables; None if there are none.

    Raises:
        RuntimeError: if operations run eagerly.
        OSError: if there is no such file.
        tf.errors.InvalidArgumentError: if it holds no graph that can be built.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     session.run(v.initializer)
    ...     _ = tf.compat.v1.train.Saver().save(session, path)
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     saver = tf.compat.v1.train.import_meta_graph(path + ".meta")
    ...     saver.restore(session, path)
    ...     float(session.run("v:0"))
    3.0
    """
    _graph()
    if isinstance(meta_graph_or_file, str | os.PathLike):
        message = read_meta_graph(path_text(meta_graph_or_file))
    else:
        message = own_message(meta_graph_or_file, "MetaGraphDef", MESSAGES)
    return ImportedMetaGraph(message, import_scope, allowed=allowed_operations).saver(**kwargs)
