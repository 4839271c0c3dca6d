"""ExportArchive: functions of models as a SavedModel that needs no Keras."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from eagerflow import _core, nest
from eagerflow.checkpoint.trackable import is_trackable, walk
from eagerflow.framework.module import Module
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.functions.function import Function, function
from eagerflow.keras.engine import layer_losses
from eagerflow.keras.engine.calls import first_call
from eagerflow.lookup import tables
from eagerflow.typing import FilePath
from eagerflow.util import lazy

if TYPE_CHECKING:
    from eagerflow.keras.engine.layer import Layer
    from eagerflow.keras.engine.model import Model

# Models are exported by few programs.
exporting = lazy.Module("eagerflow.graphdef.exporting")
onnx = lazy.Module("eagerflow.onnx.exporting")
saved_functions = lazy.Module("eagerflow.saved_model.saved_functions")
saved_model = lazy.Module("eagerflow.saved_model")


class ExportArchive:
    """Collects functions, called endpoints, and writes them as a SavedModel.

    The SavedModel has a signature for each endpoint, and "serving_default" for the first.

    >>> import tempfile
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    >>> archive = tf.keras.export.ExportArchive()
    >>> archive.track(model)
    >>> archive.add_endpoint("serve", model.__call__, [tf.TensorSpec([None, 3])])
    >>> folder = tempfile.mkdtemp()
    >>> archive.write_out(folder)
    >>> tf.saved_model.load(folder).serve(tf.ones((1, 3))).shape
    TensorShape([1, 2])
    """

    def __init__(self) -> None:
        self._endpoints: dict[str, Function] = {}
        self._tracked: list[Any] = []
        self._collections: dict[str, list[Any]] = {}

    def track(self, resource: Any) -> None:
        """Adds a layer, model, module or table, which endpoints may use.

        Raises:
            ValueError: if it is none, or a layer that is not built.
        """
        if not is_trackable(resource):
            raise ValueError(
                "Invalid resource type. Expected an instance of a TensorFlow `Trackable` (such as a "
                f"Keras `Layer` or `Model`). Received instead an object of type '{type(resource)}'. "
                f"Object received: {resource}"
            )
        if not getattr(resource, "built", True):
            raise ValueError(
                "The layer provided has not yet been built. It must be built before export."
            )
        self._tracked.append(resource)

    def add_endpoint(
        self, name: str, fn: Callable[..., Any], input_signature: Sequence[Any] | None = None
    ) -> None:
        """Adds a function.

        Args:
            name: its name, and that of its signature.
            fn: a Python function, or a `tf.function` that has been called.
            input_signature: the specs of its arguments.

        Raises:
            ValueError: if there is an endpoint of that name, or the arguments are not known.
        """
        if name in self._endpoints:
            raise ValueError(f"Endpoint name '{name}' is already taken.")
        if input_signature is not None:
            made = function(fn, input_signature=input_signature)
            with layer_losses.unchanged(*self._tracked):
                made.get_concrete_function(*input_signature)
        elif isinstance(fn, Function) and saved_functions.concrete_functions_of(fn):
            made = fn
        else:
            raise ValueError(
                "If the `fn` argument provided is not a `tf.function` that has been called, you must "
                "provide an `input_signature` argument to specify the shape and dtype of the function "
                "inputs."
            )
        self._endpoints[name] = made
        setattr(self, name, made)

    def track_and_add_endpoint(
        self, name: str, resource: Any, input_signature: Sequence[Any]
    ) -> None:
        """Tracks a layer or model, and adds its call as an endpoint.

        Args:
            name: the endpoint's name.
            resource: the layer or model.
            input_signature: the specs of its arguments.

        Raises:
            ValueError: as from `track` and `add_endpoint`.
        """
        self.track(resource)
        self.add_endpoint(name, resource.__call__, input_signature)

    def add_variable_collection(self, name: str, variables: Sequence[Any]) -> None:
        """Adds variables that can be found under a name in the SavedModel.

        Raises:
            ValueError: if they are no list of variables.
        """
        if not isinstance(variables, list | tuple | set):
            raise ValueError(
                "Expected `variables` to be a list/tuple/set. Received instead object of type "
                f"'{type(variables)}'."
            )
        if not all(isinstance(variable, _core.Variable) for variable in variables):
            raise ValueError("Expected all elements in `variables` to be `tf.Variable` instances.")
        self._collections[name] = list(variables)

    def write_out(self, filepath: Any, options: Any = None, verbose: bool = False) -> None:
        """Writes the SavedModel.

        Args:
            filepath: the folder.
            options: `tf.saved_model.SaveOptions`, or None.
            verbose: whether the endpoints are printed.

        Raises:
            ValueError: if there is no endpoint.
            tf.errors.UnimplementedError: if an endpoint cannot be exported.
        """
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        root = Module()
        for name, value in {**self._collections, **self._parts(), **self._endpoints}.items():
            object.__setattr__(root, name, value)
        signatures = dict(self._endpoints)
        signatures.setdefault("serving_default", next(iter(self._endpoints.values())))
        saved_model.save(root, filepath, signatures=signatures, options=options)
        if verbose:
            for name, endpoint in self._endpoints.items():
                print(f"Endpoint '{name}'")
                for concrete in saved_functions.concrete_functions_of(endpoint):
                    print(f"  {concrete.pretty_printed_signature()}")

    def _parts(self) -> dict[str, list[Any]]:
        """The variables and tables of what is tracked, by the names that readers look for."""
        if not self._tracked:
            return {}
        found = {
            id(variable): variable
            for resource in self._tracked
            for variable in getattr(resource, "variables", ())
        }
        below = {id(part): part for resource in self._tracked for part, _ in walk(resource)}
        others = [
            part
            for part in below.values()
            if isinstance(part, tables.Table | _core.Variable) and id(part) not in found
        ]
        return {
            "_all_variables": list(found.values()),
            "_trainable_variables": [v for v in found.values() if v.trainable],
            "_non_trainable_variables": [v for v in found.values() if not v.trainable],
            "_misc_assets": others,
        }


def export_model(model: Model, filepath: FilePath, input_signature: Any, verbose: bool) -> None:
    """Writes a model's call for inference as the endpoint "serve".

    Args:
        model: the model.
        filepath: the folder.
        input_signature: the specs of its arguments; None for those that it knows.
        verbose: whether the endpoint is printed.

    Raises:
        ValueError: if the model's inputs are not known.
    """
    archive = ExportArchive()
    if input_signature is None:
        input_signature = _known_arguments(model)
    archive.track(model)
    archive.add_endpoint("serve", _inference(model), input_signature)
    archive.write_out(filepath, verbose=verbose)


def export_onnx(
    model: Model, filepath: FilePath, input_signature: Any = None, opset_version: int | None = None
) -> None:
    """Writes a model's call for inference as an ONNX file.

    Args:
        model: the model.
        filepath: the file.
        input_signature: the specs of its arguments; None for those that it knows.
        opset_version: the version of ONNX's operators.

    Raises:
        ValueError: if the model's inputs are not known, or there is no such version.
        ImportError: if tf2onnx is not installed.
        tf.errors.UnimplementedError: if ONNX lacks an operation; the message names the layer.
    """
    if input_signature is None:
        input_signature = _known_arguments(model)
    traced = function(_inference(model), input_signature=input_signature)
    with layer_losses.unchanged(model):
        concrete = traced.get_concrete_function()
    names = model.output_names if getattr(model, "outputs", None) else None
    users = functools.partial(_users, model)
    onnx.write(concrete, filepath, opset_version, names, users)


def _inference(model: Layer) -> Callable[..., Any]:
    """The call of a layer or model for inference."""
    named = {"training": False} if model._call_spec.expects_training else {}
    return lambda *args, **kwargs: model(*args, **kwargs, **named)


def _users(model: Model, operation: str) -> list[str]:
    """The innermost layers of a model whose calls need an operation of TensorFlow's."""
    found = []
    for layer in model._flatten_layers(include_self=False):
        known = first_call.known_specs(layer)
        if known is None and layer._inbound_nodes:
            specs = nest.map_structure(lambda x: x.type_spec, layer.get_input_at(0))
            known = ([specs], {})
        if known is None:
            continue
        args, kwargs = known
        concrete = function(_inference(layer)).get_concrete_function(*args, **kwargs)
        message = exporting.graph_def(concrete.graph, strict=True)
        bodies = [message.node, *(body.node_def for body in message.library.function)]
        if any(node.op == operation for nodes in bodies for node in nodes):
            found.append(layer)
    outer = {
        id(layer)
        for layer in found
        if not set(map(id, layer._flatten_layers(include_self=False))).isdisjoint(map(id, found))
    }
    return [
        f"layer '{layer.name}' ({type(layer).__name__})"
        for layer in found
        if id(layer) not in outer
    ]


def _known_arguments(model: Any) -> list[Any]:
    """The specs of the positional arguments of a model's calls."""
    inputs = getattr(model, "inputs", None)
    if inputs:
        specs = nest.map_structure(lambda x: TensorSpec(x.shape, x.dtype, x.name), inputs)
        return specs if isinstance(specs, list) and len(specs) == 1 else [specs]
    known = model.save_spec()
    if known is None:
        raise ValueError(
            "The model provided has never called. It must be called at least once before export."
        )
    return list(known[0])
