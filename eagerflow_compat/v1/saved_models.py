"""SavedModels of version 1: graphs with signatures, which sessions run."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

from eagerflow import _core
from eagerflow.checkpoint.bundle import index_path, write_bundle
from eagerflow.framework import context, dtypes
from eagerflow.framework.operation import Operation
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.partitioned import wholes
from eagerflow.graph.variables import (
    global_variables_initializer,
    local_variables_initializer,
    tables_initializer,
)
from eagerflow.io.os_errors import make_folder, path_text, translated
from eagerflow.io.replacing import replaced
from eagerflow.ops.control_flow import group
from eagerflow.protos.saved_model import MESSAGES
from eagerflow.saved_model import constants
from eagerflow.saved_model.loading import contains_saved_model, read_model
from eagerflow.typing import FilePath, TensorLike
from eagerflow.version import VERSION
from eagerflow_compat.v1 import signature_defs
from eagerflow_compat.v1.meta_graphs import ImportedMetaGraph, MetaGraphWriter, write_message
from eagerflow_compat.v1.saver import OtherForm, Saver

__all__ = [
    "MethodNameUpdater",
    "SavedModelBuilder",
    "load",
    "main_op",
    "main_op_with_restore",
    "maybe_saved_model_directory",
    "simple_save",
]

# Signatures of these names say what runs first, and what trains.
_RESERVED = {
    "__saved_model_init_op": "initialization",
    "__saved_model_train_op": "the train op",
}


class SavedModelBuilder:
    """Writes SavedModels of graphs: one with the variables, and others that share them.

    Args:
        export_dir: the folder; it must not exist, or be empty.

    Raises:
        AssertionError: if there is something in it.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
    ...     y = x * tf.compat.v1.get_variable("scale", initializer=2.0)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     signature = tf.compat.v1.saved_model.predict_signature_def({"x": x}, {"y": y})
    ...     builder = tf.compat.v1.saved_model.Builder(folder)
    ...     builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
    ...     path = builder.save()
    >>> tf.saved_model.load(folder).signatures["serving_default"](x=tf.constant([3.0]))["y"].numpy()
    array([6.], dtype=float32)
    """

    def __init__(self, export_dir: Any) -> None:
        self._folder = path_text(export_dir)
        if os.path.isdir(self._folder) and os.listdir(self._folder):
            raise AssertionError(
                f"Export directory {self._folder} already exists, and isn't empty. Please choose a "
                "different export directory, or delete all the contents of the specified directory."
            )
        make_folder(self._folder)
        self._message = MESSAGES["SavedModel"](
            saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION
        )
        self._has_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
        **kwargs: object,
    ) -> None:
        """Adds the session's graph, and writes the values that the session has for the variables.

        Args:
            sess: the session.
            tags: what the graph is for, such as `tag_constants.SERVING`.
            signature_def_map: SignatureDef messages by name.
            assets_collection: string tensors that name files, which are copied.
            legacy_init_op: an operation that a loader runs.
            clear_devices: accepted: there are no devices in it.
            main_op: an operation that a loader runs, instead of `legacy_init_op`.
            strip_default_attrs: accepted, without effect.
            saver: whose variables are saved; by default all.
            **kwargs: accepted, without effect.

        Raises:
            AssertionError: if this was called before, or a signature names no tensors.
            KeyError: if a signature's name is reserved.
            tf.errors.UnimplementedError: if a signature needs an operation that TensorFlow does not
                have.
        """
        if self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        with sess.graph.as_default():
            variables = _saved_variables(sess.graph, saver)
            self._add(
                sess.graph, tags, signature_def_map, assets_collection, main_op or legacy_init_op,
                variables,
            )  # fmt: skip
            tensors = Saver(dict(variables), allow_empty=True)._values(sess)
        if variables:
            folder = os.path.join(self._folder, constants.VARIABLES_DIRECTORY)
            make_folder(folder)
            write_bundle(os.path.join(folder, constants.VARIABLES_FILENAME), tensors)
        self._has_variables = True

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
        **kwargs: object,
    ) -> None:
        """Adds the default graph, which has variables of those that have been written.

        The arguments are those of `add_meta_graph_and_variables`.

        Raises:
            AssertionError: if no variables have been written.
        """
        if not self._has_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        graph = context.default_graph()
        with graph.as_default():
            self._add(
                graph, tags, signature_def_map, assets_collection, main_op or legacy_init_op,
                _saved_variables(graph, saver),
            )  # fmt: skip

    def _add_train_op(self, train_op: Any) -> None:
        """Has the graph that is added next name an operation that trains; None for none.

        Raises:
            TypeError: if it is neither an operation nor a tensor.
        """
        if train_op is None:
            return
        if not isinstance(train_op, Operation | _core.Tensor):
            raise TypeError(f"`train_op` {train_op} needs to be a Tensor or Op.")
        context.default_graph().add_to_collection(constants.TRAIN_OP_KEY, train_op)

    def _add(
        self, graph: Any, tags: Iterable[str], signatures: Mapping[str, Any] | None,
        assets: Iterable[Any] | None, main_op: Any, variables: Mapping[str, _core.Variable],
    ) -> None:  # fmt: skip
        for key in signatures or {}:
            if key in _RESERVED:
                raise KeyError(
                    f'SignatureDef map key "{key}" is reserved for {_RESERVED[key]}. Please use a '
                    "different key."
                )
        message = MESSAGES["MetaGraphDef"]()
        message.meta_info_def.tags.extend(tags)
        message.meta_info_def.tensorflow_version = VERSION
        writer = MetaGraphWriter(message, graph, variables)
        for key, signature in (signatures or {}).items():
            found = signature_defs.in_file(signature, graph, writer.file_name)
            message.signature_def[key].CopyFrom(found)
        if main_op is not None or writer.has_tables:
            init = writer.add_initializer([main_op] if main_op is not None else [])
            message.collection_def[constants.MAIN_OP_KEY].node_list.value.append(init)
        writer.add_collections(None)
        for tensor in assets or ():
            self._add_asset(message, writer.file_name(tensor), tensor)
        writer.finish(saver=bool(variables))
        self._message.meta_graphs.add().CopyFrom(message)

    def _add_asset(self, message: Any, name: str, tensor: _core.Tensor) -> None:
        """Copies a file that a tensor names."""
        value = _core.static_value(tensor)
        if value is None or tensor.dtype is not dtypes.string:
            raise TypeError(
                f"Asset {tensor!r} must be a constant string tensor, the name of a file."
            )
        path = value.numpy().decode()
        folder = os.path.join(self._folder, constants.ASSETS_DIRECTORY)
        make_folder(folder)
        target = os.path.join(folder, os.path.basename(path))
        with translated(path), replaced(target) as temporary:
            shutil.copyfile(path, temporary)
        asset = message.asset_file_def.add(filename=os.path.basename(path))
        asset.tensor_info.name = name

    def save(self, as_text: bool = False) -> bytes:
        """Writes the graphs; the path of the file.

        Args:
            as_text: whether the file is text.
        """
        name = (
            constants.SAVED_MODEL_FILENAME_PBTXT if as_text else constants.SAVED_MODEL_FILENAME_PB
        )
        path = os.path.join(self._folder, name)
        write_message(path, self._message, as_text)
        return path.encode()


def _saved_variables(graph: Any, saver: Any) -> Mapping[str, _core.Variable]:
    """The variables that are saved, by their keys in the checkpoint."""
    if saver is not None:
        return saver._variables
    found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
    objects = graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)
    return wholes([*found, *(each for each in objects if not isinstance(each, OtherForm))])


def simple_save(
    session: Any,
    export_dir: FilePath,
    inputs: Mapping[str, TensorLike],
    outputs: Mapping[str, TensorLike],
    legacy_init_op: Operation | None = None,
) -> None:
    """Writes a SavedModel with the signature `serving_default`.

    Args:
        session: whose graph and variables are written.
        export_dir: the folder; it must not exist, or be empty.
        inputs: tensors by name.
        outputs: tensors by name.
        legacy_init_op: an operation that a loader runs.

    Raises:
        ValueError: if there are no inputs or outputs.
        AssertionError: if there is something in the folder.
    """
    with (
        session.graph.as_default() if session is not None else context.default_graph().as_default()
    ):
        signature = signature_defs.predict_signature_def(inputs, outputs)
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        [constants.SERVING],
        {constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
        main_op=legacy_init_op,
    )
    builder.save()


def load(
    sess: Any,
    tags: Iterable[str],
    export_dir: FilePath,
    import_scope: str | None = None,
    *,
    allowed_operations: Iterable[str] = (),
    **saver_kwargs: Any,
) -> Any:
    """Adds a graph of a SavedModel to a session's, and gives the session the variables' values.

    Args:
        sess: the session.
        tags: the tags of the graph, all of them.
        export_dir: the folder.
        import_scope: what the names get before them.
        allowed_operations: names of operations that may run although they reach files.
        **saver_kwargs: those of `tf.compat.v1.train.Saver`.

    Returns:
        The MetaGraphDef message.

    Raises:
        OSError: if there is no SavedModel.
        RuntimeError: if no graph has exactly these tags.
        tf.errors.InvalidArgumentError: if the graph cannot be built.
    """
    folder = path_text(export_dir)
    message = with_tags(read_model(folder, True), {tags} if isinstance(tags, str) else set(tags))
    with sess.graph.as_default():
        saver = add_graph(
            folder, message, import_scope, allowed_operations=allowed_operations, **saver_kwargs
        )
        restore(sess, saver, folder)
        initialize(sess, message, import_scope)
    return message


def assets(folder: str, message: Any) -> dict[str, str]:
    """The files of a SavedModel's graph by the names of the tensors that name them."""
    return {
        asset.tensor_info.name: os.path.join(
            folder, constants.ASSETS_DIRECTORY, os.path.basename(asset.filename)
        )
        for asset in message.asset_file_def
    }


def add_graph(
    folder: str,
    message: Any,
    import_scope: str | None,
    *,
    allowed_operations: Iterable[str] = (),
    **saver_kwargs: Any,
) -> Any:
    """Adds a graph of a SavedModel to the current one, and returns the saver of its variables, or None."""
    files = assets(folder, message)
    imported = ImportedMetaGraph(message, import_scope, files, allowed_operations)
    return imported.saver(**saver_kwargs)


def restore(session: Any, saver: Any, folder: str) -> None:
    """Gives a session the values of a SavedModel's variables."""
    prefix = constants.variables_prefix(folder)
    if saver is None or not os.path.exists(index_path(prefix)):
        logging.info("The specified SavedModel has no variables; none were restored.")
    else:
        saver.restore(session, prefix)


def initialize(session: Any, message: Any, import_scope: str | None) -> None:
    """Runs what a SavedModel's graph says must run first."""
    for name in _initializers(message):
        session.run(f"{import_scope}/{name}" if import_scope else name)


def with_tags(model: Any, tags: set[str]) -> Any:
    """The graph of a SavedModel that has exactly some tags."""
    found = [set(graph.meta_info_def.tags) for graph in model.meta_graphs]
    if tags not in found:
        wanted = str(sorted(tags)).strip("[]") or None
        raise RuntimeError(
            f"MetaGraphDef associated with tags {wanted} could not be found in SavedModel, with "
            f"available tags '{found}'. To inspect available tag-sets in the SavedModel, please use "
            "the SavedModel CLI: `saved_model_cli`."
        )
    return model.meta_graphs[found.index(tags)]


def _initializers(message: Any) -> list[str]:
    """The operations that a loader runs."""
    if "__saved_model_init_op" in message.signature_def:
        outputs = message.signature_def["__saved_model_init_op"].outputs
        return [outputs["__saved_model_init_op"].name]
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if key in message.collection_def:
            return list(message.collection_def[key].node_list.value)
    return []


def maybe_saved_model_directory(export_dir: FilePath) -> bool:
    """Whether a folder holds a SavedModel."""
    return contains_saved_model(export_dir)


def main_op() -> Operation:
    """An operation that initializes all variables and tables of the graph."""
    return group(
        global_variables_initializer(), local_variables_initializer(), tables_initializer()
    )


def main_op_with_restore(restore_op_name: str) -> Operation:
    """An operation that initializes all variables and tables after another one has restored some.

    Args:
        restore_op_name: that operation, or its name.
    """
    with context.default_graph().control_dependencies([main_op()]):
        return group(restore_op_name)


class MethodNameUpdater:
    """Changes what the signatures of a SavedModel say that a server does with them.

    Args:
        export_dir: the folder.

    Raises:
        OSError: if there is no SavedModel.
    """

    def __init__(self, export_dir: Any) -> None:
        self._folder = path_text(export_dir)
        self._message = read_model(self._folder, True)

    def replace_method_name(
        self, signature_key: str, method_name: str, tags: Iterable[str] | str | None = None
    ) -> None:
        """Sets the method of a signature.

        Args:
            signature_key: the signature's name.
            method_name: such as `CLASSIFY_METHOD_NAME`.
            tags: those of the graph; all graphs that have the signature by default.

        Raises:
            ValueError: if a name is empty, or no graph has the signature.
        """
        if not signature_key:
            raise ValueError("`signature_key` must be defined.")
        if not method_name:
            raise ValueError("`method_name` must be defined.")
        wanted = {tags} if isinstance(tags, str) else None if tags is None else set(tags)
        found = False
        for graph in self._message.meta_graphs:
            fits = wanted is None or set(graph.meta_info_def.tags) == wanted
            if fits and signature_key in graph.signature_def:
                graph.signature_def[signature_key].method_name = method_name
                found = True
        if not found:
            where = f" associated with tags {sorted(wanted)}" if wanted else ""
            raise ValueError(f"MetaGraphDef{where} has no signature '{signature_key}'.")

    def save(self, new_export_dir: FilePath | None = None) -> None:
        """Writes the graphs, to the same folder or to another one.

        Args:
            new_export_dir: another folder, which gets the graphs only.
        """
        folder = self._folder if new_export_dir is None else path_text(new_export_dir)
        write_message(os.path.join(folder, constants.SAVED_MODEL_FILENAME_PB), self._message)
