"""tf.saved_model.load: objects and variables from a SavedModel's folder."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eagerflow import errors
from eagerflow.checkpoint import bundle, trackable
from eagerflow.checkpoint.restoring import restore_objects
from eagerflow.io.damage import DamagedFileError, check_config, part_of
from eagerflow.io.os_errors import path_text, translated
from eagerflow.protos.saved_model import MESSAGES
from eagerflow.protos.schema import protobuf
from eagerflow.saved_model import constants
from eagerflow.typing import FilePath
from eagerflow.util import advice, lazy
from eagerflow.util.regular import read_regular

# Imported when they are first used: few programs need them.
hdf5_model = lazy.Module("eagerflow.keras.saving.hdf5_model")
json_config = lazy.Module("eagerflow.keras.saving.json_config")
keras_objects = lazy.Module("eagerflow.saved_model.keras_objects")
keras3 = lazy.Module("eagerflow.keras.saving.keras3")
memory_limit = lazy.Module("eagerflow.keras.saving.memory_limit")
models = lazy.Module("eagerflow.keras.models")
loaded_objects = lazy.Module("eagerflow.saved_model.loaded_objects")
version1 = lazy.Module("eagerflow.saved_model.version1")
serialization = lazy.Module("eagerflow.keras.saving.serialization")
signatures = lazy.Module("eagerflow.saved_model.signatures")


def contains_saved_model(export_dir: FilePath) -> bool:
    """Whether a folder holds a SavedModel.

    >>> tf.saved_model.contains_saved_model("/nowhere")
    False
    """
    folder = path_text(export_dir)
    names = constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT
    return any(os.path.exists(os.path.join(folder, name)) for name in names)


@advice.explained
def load(export_dir: FilePath, tags: Iterable[str] | None = None, options: object = None) -> Any:
    """The object that a SavedModel holds.

    Objects have their attributes: variables, lists, dictionaries, inner objects, tables, and functions
    with their saved arguments. `signatures` are functions of named tensors. A function is built on its
    first call. A Keras model without functions is created from its configuration. SavedModels of
    version 1 have signatures and variables.

    Args:
        export_dir: the folder.
        tags: which of its graphs; the first that has them all.
        options: `tf.saved_model.LoadOptions`, or None.

    Raises:
        OSError: if there is no SavedModel.
        tf.errors.DataLossError: if it is damaged; it names file and part, and is a ValueError.
        TypeError: if a class does not accept its arguments in the configuration.
        ValueError: if no graph has the tags.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.weight = tf.Variable([1.0, 2.0])
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(module, folder)
    >>> tf.saved_model.load(folder).weight.numpy()
    array([1., 2.], dtype=float32)
    """
    folder = path_text(export_dir)
    meta_graph = _meta_graph(folder, tags)
    if meta_graph.object_graph_def.concrete_functions:
        return _load_objects(folder, meta_graph, options)
    if meta_graph.signature_def and not meta_graph.object_graph_def.nodes:
        # Programs look at its graph, and may change it.
        own = MESSAGES["MetaGraphDef"].FromString(meta_graph.SerializeToString())
        return version1.load(folder, own, getattr(options, "allowed_operations", ()))
    return load_folder(export_dir, tags)


def load_partial(export_dir: Any, filters: Any, tags: Any = None, options: object = None) -> Any:
    """Objects of a SavedModel with their children, by path.

    Another Keras creates the layers of known classes, and calls this for the others and for variables.

    Args:
        export_dir: the folder.
        filters: paths, such as `"root.layer.kernel"`; or a dictionary from paths to None, to an object
            that replaces the file's, or to a pair of such an object and a function, which sets a child
            when called with the object, a name and the child.
        tags: which of its graphs; the first that has them all.
        options: `tf.saved_model.LoadOptions`, or None.

    Returns:
        A dictionary from paths to objects.

    Raises:
        OSError: if there is no SavedModel.
        tf.errors.DataLossError: if it is damaged; it names file and part, and is a ValueError.
        ValueError: if a path has no object, or no graph has the tags.
    """
    folder = path_text(export_dir)
    replacements = filters if isinstance(filters, Mapping) else dict.fromkeys(filters)
    loader = _object_loader(folder, _meta_graph(folder, tags), options)
    objects = loader.load_parts(replacements)
    _restore(folder, loader, loaded_objects.holder(objects))
    return objects


def load_folder(export_dir: FilePath, tags: Any = None, compile: bool = False) -> Any:
    """Like `load`; with `compile`, also compiles a Keras model as before, and restores its optimizer.

    A Keras model is made from its configuration. Where the program does not have its class, or that
    of a layer, the functions in the file replace `call`.
    """
    folder = path_text(export_dir)
    meta_graph = _meta_graph(folder, tags)
    metadata = _keras_metadata(folder)
    if 0 not in metadata:
        return _load_objects(folder, meta_graph, None)
    variables = constants.variables_prefix(folder)
    path = os.path.join(folder, constants.KERAS_METADATA_FILENAME)
    stored = _stored_bytes(variables)
    root, part = metadata[0][1], "The metadata of the model"
    safe = serialization.in_safe_mode() is not False
    loader = None
    with (
        part_of(path, part),
        serialization.SafeModeScope(safe),
        memory_limit.limited_weights(stored),
    ):
        functions = meta_graph.object_graph_def.concrete_functions
        entry = {"class_name": root["class_name"], "config": root.get("config")}
        if entry["config"]:
            check_config(entry, path, part)
        if not functions and not entry["config"]:
            return _load_objects(folder, meta_graph, None)
        model = None
        if entry["config"] and (not functions or keras_objects.knows_all(metadata)):
            model = _model_of_config(entry, root, bool(functions))
        if model is None:
            loader = keras_objects.KerasObjectLoader(meta_graph, folder, stored, metadata)
            model = loader.load()
        training = root.get("training_config")
        if compile and training is not None:
            hdf5_model.compile_from_config(model, training)
    if isinstance(model, models.Model) and model.optimizer is None:
        model.optimizer = _optimizer(model, loader, meta_graph, folder, stored)
    restore_objects(model, variables, trackable.saved_children).expect_partial()
    if loader is not None:
        loader.initialize()
    for layer in model._flatten_layers():
        layer.finalize_state()
    if "signatures" not in model.__dict__:
        signatures.add_signatures(model)
    return model


def _model_of_config(entry: Any, root: Any, has_functions: bool) -> Any:
    """The model of a configuration; None if it names what is unknown, and the file has functions."""
    try:
        model = models.model_from_config(keras3.translated(entry))
    except (KeyError, TypeError):  # a function that the program lacks, another class of that name
        if has_functions:
            return None
        raise
    shape = root.get("build_input_shape") or getattr(model, "_build_input_shape", None)
    if not model.built and shape is not None:
        model.build(shape)
    return model


def _optimizer(model: Any, loader: Any, meta_graph: Any, folder: str, stored: int) -> Any:
    """The variables of an optimizer that a model has without being compiled; None if there are none."""
    nodes = meta_graph.object_graph_def.nodes
    numbers = [c.node_id for c in nodes[0].children if c.local_name == "optimizer"] if nodes else []
    path = os.path.join(folder, constants.SAVED_MODEL_FILENAME_PB)
    try:
        if not numbers or nodes[numbers[0]].user_object.identifier not in constants.OPTIMIZERS:
            return None
        objects = loader or loaded_objects.ObjectLoader(meta_graph, folder, stored, ())
        objects.adopt(model)
        return objects.optimizer(numbers[0])
    except (LookupError, TypeError, ValueError) as error:
        raise DamagedFileError(path, "The optimizer", error) from error


def read_model(folder: str, own: bool = False) -> Any:
    """The SavedModel message of a folder, which is binary or text.

    Args:
        folder: the folder.
        own: whether the message is protobuf's, which a program may change and write.

    Raises:
        OSError: if there is none.
        tf.errors.DataLossError: if it is damaged.
    """
    path = os.path.join(folder, constants.SAVED_MODEL_FILENAME_PB)
    if os.path.exists(path):
        return _read(path, "SavedModel", own)
    path = os.path.join(folder, constants.SAVED_MODEL_FILENAME_PBTXT)
    if os.path.exists(path):
        return _read_text(path, "SavedModel")
    raise OSError(
        f"SavedModel file does not exist at: {folder}/{{{constants.SAVED_MODEL_FILENAME_PBTXT}|"
        f"{constants.SAVED_MODEL_FILENAME_PB}}}"
    )


def _meta_graph(folder: str, tags: Iterable[str] | None) -> Any:
    """The first graph of a SavedModel that has all tags."""
    model = read_model(folder)
    wanted = {tags} if isinstance(tags, str) else set(tags or ())
    for graph in model.meta_graphs:
        if wanted <= set(graph.meta_info_def.tags):
            return graph
    raise ValueError(
        f"Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument that matches "
        f"a graph of {folder}; none has {sorted(wanted)}."
    )


def _load_objects(folder: str, meta_graph: Any, options: object) -> Any:
    loader = _object_loader(folder, meta_graph, options)
    with _damage_of_objects(folder, *_UNFIT):
        root = loader.load()
        if getattr(options, "experimental_load_function_aliases", False):
            root.function_aliases = loader.aliases(meta_graph.meta_info_def.function_aliases)
    _restore(folder, loader, root)
    return root


def _object_loader(folder: str, meta_graph: Any, options: object) -> Any:
    allowed = getattr(options, "allowed_operations", ())
    with _damage_of_objects(folder, *_UNFIT):
        stored = _stored_bytes(constants.variables_prefix(folder))
        return loaded_objects.ObjectLoader(meta_graph, folder, stored, allowed)


def _restore(folder: str, loader: Any, root: Any) -> None:
    """Restores the values of variables and tables."""
    variables = constants.variables_prefix(folder)
    if os.path.exists(bundle.index_path(variables)):
        with _damage_of_objects(folder, *_UNMATCHED):
            restore_objects(root, variables).assert_existing_objects_matched()
    loader.initialize()


# Errors of damaged messages, and of a checkpoint that does not match them.
_UNFIT = LookupError, TypeError, ValueError, AttributeError, RecursionError
_UNMATCHED = AssertionError, errors.NotFoundError, errors.InvalidArgumentError


@contextlib.contextmanager
def _damage_of_objects(folder: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raises a DamagedFileError if objects cannot be created from the file."""
    path = os.path.join(folder, constants.SAVED_MODEL_FILENAME_PB)
    try:
        yield
    except kinds as error:
        raise DamagedFileError(path, "The graph of objects", error) from error


def _stored_bytes(prefix: str) -> int:
    """The number of bytes of the variables in a bundle."""
    folder, name = os.path.split(prefix)
    if not os.path.isdir(folder):
        return 0
    with translated(folder), os.scandir(folder) as entries:
        return sum(
            entry.stat().st_size for entry in entries if entry.name.startswith(f"{name}.data-")
        )


def _read(path: str, name: str, own: bool = False) -> Any:
    with translated(path):
        content = read_regular(path)
    damage = protobuf("message").DecodeError if own else ValueError
    try:
        return MESSAGES[name].FromString(content) if own else MESSAGES.reader(name)(content)
    except damage as error:
        raise DamagedFileError(path, f"The message {name}", error) from error


def _read_text(path: str, name: str) -> Any:
    with translated(path):
        content = read_regular(path)
    try:
        return protobuf("text_format").Parse(content.decode(), MESSAGES[name]())
    except (ValueError, protobuf("text_format").ParseError) as error:
        raise DamagedFileError(path, f"The message {name}", error) from error


def _keras_metadata(folder: str) -> dict[int, tuple[str, Any]]:
    """Keras's metadata: identifier and entry, by node id."""
    path = os.path.join(folder, constants.KERAS_METADATA_FILENAME)
    if not os.path.exists(path):
        return {}
    entries = {}
    with part_of(path, "The metadata of the model"):
        for node in _read(path, "KerasMetadata").nodes:
            entry = json_config.as_tuples(json.loads(node.metadata))
            if not isinstance(entry, dict) or "class_name" not in entry:
                raise KeyError(f"class_name of object {node.node_id}")
            entries[node.node_id] = node.identifier, entry
    return entries
