"""tf.saved_model.save: a folder with the objects of a program and their variables."""

from __future__ import annotations

import json
import os
from typing import Any

from eagerflow import _core
from eagerflow.checkpoint.saving import save_objects
from eagerflow.checkpoint.trackable import children, is_trackable, slots, walk
from eagerflow.io.os_errors import path_text, translated
from eagerflow.io.replacing import replaced
from eagerflow.protos.saved_model import MESSAGES
from eagerflow.saved_model import constants
from eagerflow.util import lazy
from eagerflow.version import VERSION

# Imported when they are first used: few programs need them.
hdf5_model = lazy.Module("eagerflow.keras.saving.hdf5_model")
json_config = lazy.Module("eagerflow.keras.saving.json_config")
keras_model = lazy.Module("eagerflow.keras.engine.model")
layer = lazy.Module("eagerflow.keras.engine.layer")
metric = lazy.Module("eagerflow.keras.metrics.metric")
sequential = lazy.Module("eagerflow.keras.engine.sequential")

_LIST, _TUPLE, _DICT, _OBJECT = (
    "trackable_list_wrapper",
    "trackable_tuple_wrapper",
    "trackable_dict_wrapper",
    "_generic_user_object",
)


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Writes an object, those below it and their variables to a folder.

    The folder is TensorFlow's SavedModel, with the objects and the values of variables. Functions
    are not in it: `load` returns the variables, and a Keras model is made again from its
    configuration.

    Args:
        obj: a module, a Keras model, a checkpoint, or another trackable object.
        export_dir: the folder; made if it is not there.
        signatures: accepted; functions are not saved.
        options: ignored.

    Raises:
        ValueError: if `obj` is not trackable.
        tf.errors.OpError: of the kind that fits, if the files cannot be written.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.v = tf.Variable([1.0, 2.0])
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(module, folder)
    >>> tf.saved_model.load(folder).v.numpy()
    array([1., 2.], dtype=float32)
    """
    if not is_trackable(obj):
        raise ValueError(
            f"Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the "
            f"`Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    folder = path_text(export_dir)
    variables = os.path.join(folder, constants.VARIABLES_DIRECTORY)
    for made in (variables, os.path.join(folder, constants.ASSETS_DIRECTORY)):
        with translated(made):
            os.makedirs(made, exist_ok=True)
    save_objects(obj, os.path.join(variables, constants.VARIABLES_FILENAME))
    model = MESSAGES["SavedModel"](saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
    graph = model.meta_graphs.add()
    graph.meta_info_def.tags.append(constants.SERVING)
    graph.meta_info_def.tensorflow_version = VERSION
    graph.graph_def.versions.producer = 1
    metadata = MESSAGES["KerasMetadata"]()
    _add_objects(obj, graph.object_graph_def, metadata)
    if metadata.nodes:
        _write(folder, constants.KERAS_METADATA_FILENAME, metadata)
    # Last, since it makes the folder a SavedModel.
    _write(folder, constants.SAVED_MODEL_FILENAME_PB, model)


def _write(folder: str, name: str, message: Any) -> None:
    with replaced(os.path.join(folder, name)) as temporary, open(temporary, "wb") as file:
        file.write(message.SerializeToString())


def _add_objects(root: Any, graph: Any, metadata: Any) -> None:
    objects = list(walk(root))
    node_of = {id(item): k for k, (item, _) in enumerate(objects)}
    for item, _ in list(objects):
        for _, _, slot in slots(item):
            if id(slot) not in node_of:
                node_of[id(slot)] = len(objects)
                objects.append((slot, ""))
    for k, (item, path) in enumerate(objects):
        node = graph.nodes.add()
        for name, child in children(item).items():
            node.children.add(node_id=node_of[id(child)], local_name=name)
        for variable, name, slot in slots(item):
            if id(variable) in node_of:
                node.slot_variables.add(
                    original_variable_node_id=node_of[id(variable)],
                    slot_name=name,
                    slot_variable_node_id=node_of[id(slot)],
                )
        if isinstance(item, _core.Variable):
            _describe_variable(node.variable, item)
            continue
        identifier = _identifier(item)
        node.user_object.identifier = identifier
        node.user_object.version.producer = 1
        node.user_object.version.min_consumer = 1
        if identifier.startswith("_tf_keras"):
            described = metadata.nodes.add(
                node_id=k, node_path=f"root.{path}".rstrip("."), identifier=identifier
            )
            described.metadata = _keras_metadata(item, k)
            described.version.producer = 2
            described.version.min_consumer = 1


def _describe_variable(message: Any, variable: Any) -> None:
    message.dtype = variable.dtype.as_datatype_enum
    message.shape.SetInParent()
    for size in variable.shape:
        message.shape.dim.add(size=size)
    message.trainable = bool(variable.trainable)
    message.name = variable.name.split(":")[0]


def _identifier(item: Any) -> str:
    if isinstance(item, list):
        return _LIST
    if isinstance(item, tuple):
        return _TUPLE
    if hasattr(item, "keys"):
        return _DICT
    import sys

    if "eagerflow.keras" in sys.modules:
        if isinstance(item, sequential.Sequential):
            return "_tf_keras_sequential"
        if isinstance(item, keras_model.Model):
            return "_tf_keras_network" if item._graph is not None else "_tf_keras_model"
        if isinstance(item, layer.Layer) and not isinstance(item, metric.Metric):
            return "_tf_keras_layer"
    return _OBJECT


def _keras_metadata(item: Any, node: int) -> str:
    """Keras's metadata of a layer or model, from which it can be made again."""
    metadata: dict[str, Any] = {
        "name": item.name,
        "trainable": item.trainable,
        "expects_training_arg": True,
        "dtype": item.dtype,
        "stateful": getattr(item, "stateful", False),
        "must_restore_from_config": False,
        "class_name": type(item).__name__,
        "shared_object_id": node,  # Keras makes those of one number once
    }
    try:
        metadata["config"] = item.get_config()
    except NotImplementedError:
        pass
    shape = getattr(item, "_build_input_shape", None)
    if shape is not None:
        metadata["build_input_shape"] = shape
    if getattr(item, "_is_compiled", False):
        metadata["training_config"] = hdf5_model.training_config(item)
    return json.dumps(metadata, default=json_config.json_default)
