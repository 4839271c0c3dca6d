"""tf.saved_model.save: a folder with the objects of a program and their variables."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import shutil
from collections.abc import Mapping
from typing import Any

from eagerflow import _core
from eagerflow.checkpoint.saving import save_objects
from eagerflow.checkpoint.trackable import (
    add_slots,
    is_trackable,
    lists_own_children,
    saved_children,
    walk,
)
from eagerflow.framework import distribution_state as distribution
from eagerflow.framework import dtypes, logging, shapes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.module import AutoTrackable
from eagerflow.framework.type_spec import TensorSpec, type_spec_from_value
from eagerflow.framework.variable import Variable
from eagerflow.graphdef import exporting
from eagerflow.graphdef.table_nodes import text_file_of
from eagerflow.io.os_errors import make_folder, path_text, translated
from eagerflow.io.replacing import replaced
from eagerflow.lookup import tables
from eagerflow.protos.saved_model import MESSAGES
from eagerflow.saved_model import constants, main_graph, saved_functions, structured_values
from eagerflow.saved_model.options import Asset
from eagerflow.util import advice, lazy, own_code
from eagerflow.version import VERSION

# Imported when they are first used: few programs need them.
hdf5_model = lazy.Module("eagerflow.keras.saving.hdf5_model")
keras_functions = lazy.Module("eagerflow.saved_model.keras_functions")
reachable = lazy.Module("eagerflow.keras.saving.reachable")
registration = lazy.Module("eagerflow.keras.saving.registration")
json_config = lazy.Module("eagerflow.keras.saving.json_config")
keras_model = lazy.Module("eagerflow.keras.engine.model")
lambda_layer = lazy.Module("eagerflow.keras.layers.lambda_layer")
layer = lazy.Module("eagerflow.keras.engine.layer")
layer_losses = lazy.Module("eagerflow.keras.engine.layer_losses")
metric = lazy.Module("eagerflow.keras.metrics.metric")
policies = lazy.Module("eagerflow.keras.mixed_precision.policy")
optimizer = lazy.Module("eagerflow.keras.optimizers.optimizer")
sequential = lazy.Module("eagerflow.keras.engine.sequential")

_DEFAULT_SIGNATURE = "_default_save_signature"
_PENALTIES = "regularization_losses"
_INITIALIZER = "_initializer"
# What Keras writes of the variables of layers; metrics have the first only.
_LISTS = ("variables", "trainable_variables", "non_trainable_variables", "layers")
_METRIC = "_tf_keras_metric"
_LIST, _TUPLE, _DICT, _OBJECT = (
    "trackable_list_wrapper",
    "trackable_tuple_wrapper",
    "trackable_dict_wrapper",
    "_generic_user_object",
)


@advice.explained
def save(obj: object, export_dir: Any, signatures: object = None, options: object = None) -> None:
    """Writes an object, its children and their variables to a folder.

    The folder is TensorFlow's SavedModel: objects, the values of variables, tables, assets, and the
    functions that are attributes or methods of objects, with all their traces. A function with an
    `input_signature` is traced for it.

    Args:
        obj: a module, a Keras model, a checkpoint, or another trackable object.
        export_dir: the folder, which is created if need be.
        signatures: functions of tensors by name, for callers that do not load objects:
            concrete functions, or Functions of one signature. They return a tensor, a sequence or a
            dictionary of tensors. By default the only function of the object with a signature.
        options: `tf.saved_model.SaveOptions`; `experimental_custom_gradients=False` leaves custom
            gradients out. The others have no effect.

    Raises:
        ValueError: if `obj` is not trackable, or a signature is not a function of tensors.
        AssertionError: if a function uses a variable that is not an attribute of a saved object.
        tf.errors.UnimplementedError: if TensorFlow's graphs cannot express an operation; it names
            operation, file, line and function. The Python functions of `tf.py_function` and
            `tf.numpy_function` are not saved: such a node fails when the loaded function runs it.
        tf.errors.OpError: if the files cannot be written.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.v = tf.Variable([1.0, 2.0])
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(module, folder)
    >>> tf.saved_model.load(folder).v.numpy()
    array([1., 2.], dtype=float32)
    """
    save_and_list(obj, export_dir, signatures, options)


def save_and_list(
    obj: Any, export_dir: Any, signatures: object = None, options: Any = None
) -> list[tuple[Any, str]]:
    """Saves an object like `save`; returns the saved objects, in the file's order, with their paths."""
    if not is_trackable(obj):
        raise ValueError(
            f"Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the "
            f"`Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    folder = path_text(export_dir)
    model = MESSAGES["SavedModel"](saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
    meta_graph = model.meta_graphs.add()
    meta_graph.meta_info_def.tags.append(constants.SERVING)
    meta_graph.meta_info_def.tensorflow_version = VERSION
    metadata = MESSAGES["KerasMetadata"]()
    # New traces are for programs without replicas: a distributed variable is its first copy.
    with distribution.updating(0), _unchanged(obj):
        listing = _traced_listing(obj, signatures)
        # What cannot be exported is refused before anything is written.
        writer = _Writer(obj, meta_graph, metadata, options, listing)
        assets = writer.write(signatures)
    variables = os.path.join(folder, constants.VARIABLES_DIRECTORY)
    make_folder(variables)
    make_folder(os.path.join(folder, constants.ASSETS_DIRECTORY))
    save_objects(obj, os.path.join(variables, constants.VARIABLES_FILENAME), listing.children)
    for name, path in assets.items():
        target = os.path.join(folder, constants.ASSETS_DIRECTORY, name)
        with translated(path), replaced(target) as temporary:
            shutil.copyfile(path, temporary)
    if metadata.nodes:
        _write(folder, constants.KERAS_METADATA_FILENAME, metadata)
    # Written last: this file makes the folder a SavedModel.
    _write(folder, constants.SAVED_MODEL_FILENAME_PB, model)
    return writer.objects


def _write(folder: str, name: str, message: Any) -> None:
    with replaced(os.path.join(folder, name)) as temporary, open(temporary, "wb") as file:
        file.write(message.SerializeToString())


class _Writer:
    """Describes the objects that are saved, their functions and signatures.

    Args:
        root: the object.
        meta_graph: the MetaGraphDef message.
        metadata: collects Keras's metadata of layers and models.
        options: `tf.saved_model.SaveOptions`, or None.
        listing: lists the children of objects.
    """

    def __init__(
        self, root: Any, meta_graph: Any, metadata: Any, options: Any, listing: _Listing
    ) -> None:
        self._root = root
        self._listing = listing
        self._meta_graph = meta_graph
        self._graph = meta_graph.object_graph_def
        self._metadata = metadata
        self._aliases = getattr(options, "function_aliases", {})
        kept = getattr(options, "experimental_custom_gradients", True)
        self._exporter = exporting.Exporter(custom_gradients=kept)
        objects = list(walk(root, listing.children))
        self._slots = add_slots(objects)
        self._numbers = {id(item): k for k, (item, _) in enumerate(objects)}
        self._variables = [_variable_of(item) for item, _ in objects]
        for k, variable in enumerate(self._variables):
            if variable is not None:
                self._numbers.setdefault(id(variable), k)
                self._numbers.setdefault(id(variable._copies[0]), k)  # what functions use
        self._objects = objects
        # Objects share functions: readers compare node ids.
        self._function_nodes: dict[int, tuple[int, Any]] = {}

    @property
    def objects(self) -> list[tuple[Any, str]]:
        """The objects in order, and the paths to them."""
        return self._objects

    def write(self, signatures: Any) -> dict[str, str]:
        """Fills the message; the files that are to be copied, by their names in the folder."""
        for k, (item, path) in enumerate(self._objects):
            self._describe(k, item, path)
        for owner, original, name, slot in self._slots:
            self._graph.nodes[owner].slot_variables.add(
                original_variable_node_id=original,
                slot_name=name,
                slot_variable_node_id=self._numbers[id(slot)],
            )
        items = [item for item, _ in self._objects]
        assets = self._add_assets(items)
        writer = saved_functions.FunctionWriter(self._graph, self._exporter, self._numbers)
        root_functions = self._functions_of(0)
        for k, item in enumerate(items):
            if isinstance(item, tables.Table):
                self._add_table(k, item, writer)
                continue
            functions = self._functions_of(k) if k else root_functions
            self._add_functions(k, functions, writer)
        for alias, function in self._aliases.items():
            for concrete in saved_functions.written_functions_of(function):
                self._meta_graph.meta_info_def.function_aliases[writer.concrete(concrete)] = alias
        graphs = saved_functions.signature_graphs(signatures, root_functions)
        variables = [
            (variable, f"{path}/.ATTRIBUTES/VARIABLE_VALUE")
            for variable, (_, path) in zip(self._variables, self._objects, strict=True)
            if variable is not None and path
        ]
        main = main_graph.MainGraph(
            self._meta_graph,
            self._exporter,
            variables,
            [t for t in items if isinstance(t, tables.Table)],
            files=self._files_of_tables(),
        )
        if graphs or self._graph.concrete_functions:
            self._add_signatures(graphs, writer, main)
        for gradient in self._exporter.gradients:
            self._add_gradient(gradient, writer)
        main.finish()
        return assets

    def _functions_of(self, number: int) -> dict[str, Any]:
        item = self._objects[number][0]
        identifier = self._graph.nodes[number].user_object.identifier
        of_keras = own_code.public(type(item).__module__).startswith("eagerflow.keras")
        named = self._listing.functions(
            item, of_class=of_keras or identifier.startswith("_tf_keras")
        )
        if number == 0 and (default := _default_signature(item)) is not None:
            named = {**named, _DEFAULT_SIGNATURE: default}
        if identifier.startswith("_tf_keras") and identifier != _METRIC:
            if number == 0:
                named = {**named, **keras_functions.of_model(item)}
            elif not of_keras or isinstance(item, lambda_layer.Lambda):
                named = {**named, **keras_functions.of_layer(item)}
        return named

    def _add_functions(self, number: int, functions: dict[str, Any], writer: Any) -> None:
        """Describes the functions of an object."""
        nodes = {}
        identifier = self._graph.nodes[number].user_object.identifier
        revives = keras_functions.WITH_LOSSES in functions
        of_program = identifier == _OBJECT
        for name, function in functions.items():
            # A program's functions are saved even without traces: calling them is an error that says so.
            if saved_functions.concrete_functions_of(function) or of_program:
                if id(function) in self._function_nodes:
                    nodes[name] = self._function_nodes[id(function)][0]
                    self._graph.nodes[number].children.add(node_id=nodes[name], local_name=name)
                    continue
                nodes[name] = len(self._graph.nodes)
                self._function_nodes[id(function)] = nodes[name], function
                of_layer = revives and name in ("__call__", keras_functions.WITH_LOSSES)
                writer.add(self._child(number, name), function, of_layer)
        if identifier.startswith("_tf_keras"):
            self._add_keras_api(number, nodes)

    def _add_keras_api(self, number: int, nodes: Mapping[str, int]) -> None:
        """Describes what Keras looks for of a layer, model or metric: functions and lists of variables.

        Args:
            number: the object's node id.
            nodes: the node ids of its functions by name.
        """
        item: Any = self._objects[number][0]
        own = self._child(number, "keras_api")
        _identify(own, _OBJECT)
        for name, node in nodes.items():
            own.children.add(node_id=node, local_name=name)
        of_layer = self._graph.nodes[number].user_object.identifier != _METRIC
        for name in _LISTS if of_layer else _LISTS[:1]:
            if name == "layers" and not item._is_model:
                items = list(item._flatten_layers(recursive=False, include_self=False))
            else:
                items = getattr(item, name)
            known = [self._numbers[id(each)] for each in items if id(each) in self._numbers]
            own.children.add(node_id=len(self._graph.nodes), local_name=name)
            if name in _LISTS[:2]:
                self._graph.nodes[number].children.add(
                    node_id=len(self._graph.nodes), local_name=name
                )
            listed = self._graph.nodes.add()
            _identify(listed, _LIST)
            for index, node in enumerate(known):
                listed.children.add(node_id=node, local_name=str(index))

    def _child(self, parent: int, name: str) -> Any:
        """A new node, which is an attribute of another."""
        self._graph.nodes[parent].children.add(node_id=len(self._graph.nodes), local_name=name)
        return self._graph.nodes.add()

    def _add_signatures(self, graphs: dict[str, Any], writer: Any, main: Any) -> None:
        number = len(self._graph.nodes)
        _identify(self._child(0, "signatures"), "signature_map")
        for key, graph in graphs.items():
            variables = self._exporter.variables_of(graph)
            name = self._exporter.function_name(graph.name)
            outputs = graph.structured_outputs
            plain = not any(isinstance(value, CompositeTensor) for value in outputs.values())
            names = list(outputs) if plain else None
            self._exporter.function(graph, name, list(graph.inputs), variables, names)
            specs = {
                output: type_spec_from_value(value)
                if isinstance(value, CompositeTensor)
                else TensorSpec(value.shape, value.dtype, output)
                for output, value in outputs.items()
            }
            writer.describe(name, graph.structured_input_signature, specs, variables, key)
            message = self._child(number, key).bare_concrete_function
            message.concrete_function_name = name
            keywords = [tensor.name.rpartition(":")[0] for tensor in graph.inputs]
            message.argument_keywords.extend(keywords)
            message.allowed_positional_arguments = len(keywords)
            main.add_signature(key, graph, name, variables)

    def _add_gradient(self, gradient: Any, writer: saved_functions.FunctionWriter) -> None:
        """Describes the function of a custom gradient, and the tensors that it captures."""
        message = self._graph.concrete_functions[gradient.function]
        for ref in gradient.captured:
            message.bound_inputs.append(len(self._graph.nodes))
            node = self._graph.nodes.add().captured_tensor
            node.name = f"{ref.node}:{ref.number}"
            node.concrete_function = gradient.holder
        output = tuple(
            TensorSpec(spec.shape, spec.dtype) if has else None
            for spec, has in zip(gradient.specs, gradient.has_gradients, strict=True)
        )
        signature: Any = ((None, *gradient.specs), {})
        variables, name = gradient.variables, gradient.function
        writer.describe(name, signature, output, variables, name)

    def _add_table(self, number: int, table: Any, writer: Any) -> None:
        """Describes a table by the functions that make and fill it."""
        node = self._graph.nodes[number]
        asset = self._listing.asset_of(table)
        kept = [
            child
            for child in node.children
            if asset is not None and child.local_name == _INITIALIZER
        ]
        del node.children[:]
        node.children.extend(kept)
        node.resource.SetInParent()
        nothing: Any = ((), {})
        functions = main_graph.table_functions(self._exporter, table, asset is not None)
        for attribute, name in functions.items():
            kind = dtypes.resource if attribute == "_create_resource" else dtypes.int32
            bound = [table] if attribute == "_initialize" else []
            if bound and asset is not None:
                bound.insert(0, asset)
            writer.describe(name, nothing, TensorSpec([], kind), bound, name)
            child = self._child(number, attribute).function
            child.concrete_functions.append(name)
            spec = inspect.FullArgSpec([], None, None, None, [], None, {})
            structured_values.fill(child.function_spec.fullargspec, spec)
            structured_values.fill(child.function_spec.input_signature, None)

    def _add_assets(self, items: list[Any]) -> dict[str, str]:
        names: dict[str, str] = {}
        used: dict[str, str] = {}
        for k, item in enumerate(items):
            if not isinstance(item, Asset):
                continue
            path = os.path.abspath(path_text(item.asset_path.numpy()))
            if path not in names:
                names[path] = _unused_name(os.path.basename(path), used)
                used[names[path]] = path
                number = len(used) - 1
                asset = self._meta_graph.asset_file_def.add(filename=names[path])
                suffix = f"_{number}" if number else ""
                asset.tensor_info.name = f"asset_path_initializer{suffix}:0"
                asset.tensor_info.dtype = dtypes.string.as_datatype_enum
            self._graph.nodes[k].asset.asset_file_def_index = list(names).index(path)
        return used

    def _files_of_tables(self) -> dict[int, int]:
        """Which assets tables are filled from, by the tables' ids."""
        indices = {}
        for item, _ in self._objects:
            asset = self._listing.asset_of(item)
            if asset is not None:
                node = self._graph.nodes[self._numbers[id(asset)]]
                indices[id(item)] = node.asset.asset_file_def_index
        return indices

    def _describe(self, number: int, item: Any, path: str) -> None:
        node = self._graph.nodes.add()
        for name, child in self._listing.children(item).items():
            node.children.add(node_id=self._numbers[id(child)], local_name=name)
        variable = self._variables[number]
        if variable is not None:
            _describe_variable(node.variable, variable)
            return
        identifier = _identifier(item)
        _identify(node, identifier)
        if identifier.startswith("_tf_keras"):
            described = self._metadata.nodes.add(
                node_id=number,
                node_path=f"root.{path}".rstrip(".").replace("/", "."),
                identifier=identifier,
            )
            described.metadata = _keras_metadata(item, number)
            described.version.producer = 2
            described.version.min_consumer = 1


def _identify(node: Any, identifier: str) -> None:
    """Makes a node one of an object of a kind that loaders know."""
    node.user_object.identifier = identifier
    node.user_object.version.producer = 2 if identifier in constants.OPTIMIZERS else 1
    node.user_object.version.min_consumer = 1


class _TextFile(AutoTrackable):
    """What TensorFlow's loader finds below a table that is filled from a file.

    Args:
        path: the file's.
    """

    def __init__(self, path: str) -> None:
        self._filename = Asset(path)


class _Listing:
    """The children and functions of objects, cached: some objects create new lists each time."""

    def __init__(self) -> None:
        self._cache: dict[Any, Any] = {}  # of classes that list their own children
        self._penalties: dict[int, Any] = {}  # functions by losses, and lists of them by layers
        self._known: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._children: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._files: dict[int, _TextFile] = {}  # the source files of tables

    def _own(self, item: Any) -> dict[str, Any]:
        if id(item) not in self._known:
            own = item._trackable_children(save_type="savedmodel", cache=self._cache)
            self._known[id(item)] = item, own
        return self._known[id(item)][1]

    def children(self, item: Any) -> dict[str, Any]:
        """The children of an object, and containers with functions."""
        if id(item) not in self._children:
            self._children[id(item)] = item, self._asked_for_children(item)
        return self._children[id(item)][1]

    def _asked_for_children(self, item: Any) -> dict[str, Any]:
        if lists_own_children(type(item)):
            return {key: value for key, value in self._own(item).items() if is_trackable(value)}
        named = saved_children(item)
        if isinstance(item, tables.Table) and (initializer := self._file_of(item)) is not None:
            named = {**named, _INITIALIZER: initializer}
        if isinstance(item, _core.Variable):
            return named
        identifier = _identifier(item)
        if identifier == _METRIC:
            return named
        if identifier.startswith("_tf_keras"):
            penalties = self._penalties_of(item)
            return {**named, _PENALTIES: penalties} if penalties else named
        return {**named, **saved_functions.holders_of_functions(item)}

    def _file_of(self, item: Any) -> _TextFile | None:
        """The file that a table is filled from; None for other tables and objects."""
        initializer = text_file_of(item) if isinstance(item, tables.Table) else None
        if initializer is None:
            return None
        if id(initializer) not in self._files:
            self._files[id(initializer)] = _TextFile(initializer.path())
        return self._files[id(initializer)]

    def asset_of(self, item: Any) -> Asset | None:
        """The asset that a table is filled from; None for other tables and objects."""
        holder = self._file_of(item)
        return None if holder is None else holder._filename

    def _penalties_of(self, layer: Any) -> list[Any]:
        """The functions of the losses of a layer and its inner layers that do not depend on inputs."""
        known = self._penalties
        if id(layer) not in known:
            losses = [
                loss
                for each in layer._flatten_layers()
                for loss in each.__dict__.get("_callable_losses", ())
            ]
            for loss in losses:
                if id(loss) not in known:
                    known[id(loss)] = keras_functions.of_penalty(loss)
            known[id(layer)] = [f for f in map(known.get, map(id, losses)) if f is not None]
        return known[id(layer)]

    def functions(self, item: Any, of_class: bool) -> dict[str, Any]:
        """The functions of an object by name; see `saved_functions.functions_of`."""
        if lists_own_children(type(item)):
            functions = saved_functions.FUNCTIONS
            return {
                k: value for k, value in self._own(item).items() if isinstance(value, functions)
            }
        return saved_functions.functions_of(item, of_class)


def _unused_name(name: str, used: Mapping[str, str]) -> str:
    """A name for a file, with a suffix if another file has the name."""
    count, unused = 0, name
    while unused in used:
        count += 1
        unused = f"{name}_{count}"
    return unused


def _unchanged(root: Any) -> contextlib.AbstractContextManager[None]:
    """A context for tracing that restores the state of Keras's layers."""
    import sys

    known = "eagerflow.keras" in sys.modules
    return layer_losses.unchanged(root) if known else contextlib.nullcontext()


def _traced_listing(root: Any, signatures: object) -> _Listing:
    """The children of objects, once functions that have an input signature are traced.

    A trace may make variables, which are saved, too.

    Args:
        root: the object.
        signatures: the functions that the caller passed as signatures.
    """
    listing = _Listing()

    def below(item: Any) -> dict[str, Any]:
        return {} if lists_own_children(type(item)) else listing.children(item)

    untraced = [
        function
        for item, _ in walk(root, below)
        if not lists_own_children(type(item))
        for function in saved_functions.functions_of(item).values()
        if saved_functions.is_untraced(function)
    ]
    if signatures is not None:
        passed = signatures.values() if isinstance(signatures, Mapping) else (signatures,)
        untraced += [function for function in passed if saved_functions.is_untraced(function)]
    for function in untraced:
        saved_functions.concrete_functions_of(function)
    return _Listing() if untraced else listing


def _default_signature(item: Any) -> Any:
    """The default signature of models of other packages; None if there is none."""
    try:
        default = getattr(item, _DEFAULT_SIGNATURE, None)
    except (TypeError, ValueError):  # It is not known for a model with several arguments.
        return None
    return default if isinstance(default, saved_functions.FUNCTIONS) else None


def _variable_of(item: Any) -> Any:
    """The variable to save for an object: itself, or the one that it holds or wraps."""
    if not isinstance(item, _core.Variable) and hasattr(item, "_write_object_proto"):
        item = getattr(item, "value", None)
    return item.handle.variable if isinstance(item, Variable) else None


def _describe_variable(message: Any, variable: Any) -> None:
    message.dtype = variable.dtype.as_datatype_enum
    shapes.fill_message(message.shape, variable.shape)
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
        if isinstance(item, layer.Layer):
            if isinstance(item, sequential.Sequential):
                return "_tf_keras_sequential"
            if isinstance(item, keras_model.Model):
                return "_tf_keras_network" if item._graph is not None else "_tf_keras_model"
            return _METRIC if isinstance(item, metric.Metric) else "_tf_keras_layer"
        if optimizer.is_optimizer(item):
            return constants.LEGACY_OPTIMIZER if item._is_legacy else constants.OPTIMIZER
    return _OBJECT


def _keras_metadata(item: Any, node: int) -> str:
    """Keras's metadata of a layer or model, from which it can be made again."""
    class_name = registration.get_registered_name(type(item))
    known = reachable.KINDS["layer"].objects().get(class_name)
    if known is not None and not isinstance(item, known):
        logging.warning(
            "%s has the same name '%s' as a built-in TF-Keras object, which `load_model` would create "
            "in its place. Rename the class, or pass it in `custom_objects` when the model is loaded.",
            item,
            class_name,
        )
    metadata: dict[str, Any] = {
        "name": item.name,
        "trainable": item.trainable,
        "expects_training_arg": item._call_spec.expects_training,
        "dtype": policies.serialize(item._dtype_policy) or item.dtype,
        "stateful": getattr(item, "stateful", False),
        "must_restore_from_config": False,
        "class_name": class_name,
        "shared_object_id": node,  # Keras makes those of one number once
    }
    try:
        metadata["config"] = json_config.tuples_noted(json_config.with_lists(item.get_config()))
    except NotImplementedError:
        pass
    shape = getattr(item, "_build_input_shape", None)
    if shape is not None:
        metadata["build_input_shape"] = shape
    if getattr(item, "_is_compiled", False):
        metadata["training_config"] = hdf5_model.training_config(item)
    return json.dumps(metadata, default=json_config.json_default)
