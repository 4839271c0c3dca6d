"""Functional models: their class, and their configurations of layers and the calls that connect them."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor, has_symbolic
from eagerflow.keras.engine.functional.network_members import NetworkMembers
from eagerflow.keras.engine.functional.node import Node
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.model import Model
from eagerflow.keras.naming import unique_name
from eagerflow.keras.saving import composite_constants, container_types, reachable
from eagerflow.keras.saving.json_config import json_default
from eagerflow.keras.saving.serialization import (
    deserialize_as,
    serialize_keras_object,
    without_modules,
)
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
add_layers = lazy.Module("eagerflow.keras.engine.functional.add_layers")


class Functional(NetworkMembers, Model):
    """A model made of symbolic inputs and outputs, as by `tf.keras.Model(inputs, outputs)`.

    Args:
        inputs: symbolic tensors that `tf.keras.Input` made, in any structure.
        outputs: symbolic tensors computed from them, in any structure.
        name: the model's name; "model" and a number by default.
        trainable: whether the weights are to be trained.
        **kwargs: arguments of `Model`.
    """

    def __init__(
        self,
        inputs: Any = None,
        outputs: Any = None,
        name: str | None = None,
        trainable: bool = True,
        **kwargs: Any,
    ) -> None:
        # A class that was made a subclass may have models without a graph as well.
        given = [tensors for tensors in (inputs, outputs) if tensors is not None]
        super().__init__(*given, name=name, trainable=trainable, **kwargs)

    def _init_set_name(self, name: str | None, zero_based: bool = True) -> None:
        if not name and type(self) is Functional:
            name = unique_name("model")
        super()._init_set_name(name, zero_based)


def derive(cls: type) -> type:
    """Makes a class of models a subclass of `Functional`, in place of `Model`, as Keras does.

    Args:
        cls: the class of a model that is made of symbolic inputs and outputs.
    """
    if cls is Model:
        return Functional
    if issubclass(cls, Model) and not issubclass(cls, Functional):
        cls.__bases__ = tuple(map(derive, cls.__bases__))
    return cls


_CONSTANT = "_CONSTANT_VALUE"


def functional_config(model: Any) -> dict[str, Any]:
    """The configuration of a functional model, in Keras's form."""
    graph = model._graph
    inside = {id(node) for node in graph.nodes}
    node_indices: dict[tuple[str, int], int] = {}
    for layer in graph.layers:
        kept = [k for k, node in enumerate(layer._inbound_nodes) if id(node) in inside]
        # Keras counts the call that a model inside was made with, too.
        for position, index in enumerate(kept, int(layer._layers_are_ordered)):
            node_indices[layer.name, index] = position
    layers = []
    for layer in graph.layers:
        entry = serialize_layer(layer, model)
        entry["name"] = layer.name
        entry["inbound_nodes"] = [
            _node_config(node, node_indices)
            for node in layer._inbound_nodes
            if id(node) in inside and not node.is_input
        ]
        layers.append(entry)

    def reference(tensor: KerasTensor) -> Any:
        layer, node, index = tensor._keras_history
        return [layer.name, node_indices.get((layer.name, node), 0), index]

    config = {"name": model.name, "trainable": model.trainable, "layers": layers}
    ends = {"input": graph.nested_inputs, "output": graph.nested_outputs}
    for end, tensors in ends.items():
        config[f"{end}_layers"] = _structure(reference, tensors)
    for end, tensors in ends.items():
        containers = container_types.described(tensors)
        if containers is not None:
            config[f"{end}_containers"] = containers
    return config


def _structure(function: Any, value: object) -> Any:
    """What the function returns for a structure of tensors; a list for a single tensor."""
    if not nest.is_nested(value):
        return [function(value)]
    return nest.map_structure(function, value)


def serialize_layer(layer: Layer, model: Model) -> dict[str, Any]:
    """A layer's configuration in that of a model, which may ask for the form of older versions."""
    config = serialize_keras_object(layer)
    return without_modules(config) if getattr(model, "use_legacy_config", False) else config


def _node_config(node: Node, node_indices: dict[tuple[str, int], int]) -> Any:
    args, kwargs = node.call_args, dict(node.call_kwargs)
    layer = node.layer
    if args:
        first, rest = args[0], args[1:]
    else:
        first, rest = kwargs.pop(layer._call_spec.first), ()
    names = layer._argument_names()
    for position, name in enumerate(names[1:]):
        if name.startswith("*"):
            kwargs[name[1:]] = list(rest[position:])
            break
        if position < len(rest):
            kwargs[name] = rest[position]

    def reference(tensor: KerasTensor) -> list[Any]:
        source, node_index, tensor_index = tensor._keras_history
        return [source.name, node_indices.get((source.name, node_index), 0), tensor_index]

    def plain(value: Any) -> Any:
        if isinstance(value, KerasTensor):
            return reference(value)
        if isinstance(value, slice):
            return {
                "start": plain(value.start),
                "stop": plain(value.stop),
                "step": plain(value.step),
            }
        if value is Ellipsis:
            return {"class_name": "Ellipsis"}
        if isinstance(value, _core.Tensor | _core.Variable):
            return value.numpy().tolist()
        if isinstance(value, CompositeTensor):
            return composite_constants.encoded(value)
        if isinstance(value, np.ndarray | np.generic):
            return value.tolist()
        if isinstance(value, TensorShape):
            return value.as_list()
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [plain(item) for item in value]
        if hasattr(value, "as_numpy_dtype"):
            return value.name
        return value

    plain_kwargs = {key: plain(value) for key, value in kwargs.items()}
    try:
        json.dumps(plain_kwargs, default=json_default)
    except TypeError as error:
        kinds = {key: type(value).__name__ for key, value in kwargs.items()}
        raise TypeError(
            f"Layer {layer.name} was passed non-JSON-serializable arguments. Arguments had types: "
            f"{kinds}. They cannot be serialized out when saving the model."
        ) from error

    def leaf(value: object) -> list[Any]:
        if isinstance(value, KerasTensor):
            return [*reference(value), plain_kwargs]
        return [_CONSTANT, -1, plain(value), plain_kwargs]

    if not nest.is_nested(first):
        return leaf(first) if layer._preserve_input_structure_in_config else [leaf(first)]
    return nest.map_structure(leaf, first)


def _is_reference(value: object) -> bool:
    """Whether a part of a configuration refers to a tensor, or is a constant in its stead."""
    return (
        isinstance(value, list | tuple)
        and len(value) in (3, 4)
        and isinstance(value[0], str)
        and isinstance(value[1], int)
        and (value[0] == _CONSTANT or isinstance(value[2], int))
        and (len(value) == 3 or isinstance(value[3], dict))
    )


def _map_references(function: Any, value: object) -> Any:
    if _is_reference(value):
        return function(value)
    if composite_constants.is_encoded(value):
        return composite_constants.decoded(value)
    if isinstance(value, dict):
        items = ((key, _map_references(function, item)) for key, item in value.items())
        return OrderedDict(items) if isinstance(value, OrderedDict) else dict(items)
    if isinstance(value, list | tuple):
        parts = [_map_references(function, item) for item in value]
        if hasattr(value, "_fields"):
            return type(value)(*parts)
        return tuple(parts) if isinstance(value, tuple) else parts
    return value


def _references(value: object) -> list[Any]:
    references: list[Any] = []
    _map_references(references.append, value)
    return references


def _named_calls(reference: Any) -> list[tuple[str, int]]:
    """The layers that a reference names, with the indices of their calls."""
    inner = _references(reference[3]) if len(reference) == 4 else []
    own = [] if reference[0] == _CONSTANT else [(reference[0], reference[1])]
    return own + [call for each in inner for call in _named_calls(each)]


def deserialize_layer(config: object, custom_objects: CustomObjects | None = None) -> Layer:
    """A layer from its configuration, in today's form or without a module as older files have it."""
    if not isinstance(config, dict) or "class_name" not in config:
        raise TypeError(f"A layer's configuration must be a dictionary with a class name: {config}")
    # Today's files always have the key; for a program's own class it is None.
    if "module" in config:
        return deserialize_as("layer", config, custom_objects)
    return deserialize_as("layer", config, custom_objects, names=reachable.KINDS["layer"].objects())


def functional_from_config(cls: Any, config: Config) -> Functional:
    """A functional model from its configuration."""
    made = _Reconstruction(config["layers"], [config["input_layers"], config["output_layers"]])
    inputs, outputs = (
        made.tensors(config[f"{end}_layers"], config.get(f"{end}_containers"))
        for end in ("input", "output")
    )
    arguments: dict[str, Any] = {"name": config.get("name")}
    if "trainable" in config:
        arguments["trainable"] = config["trainable"]
    if cls in (Model, Functional):
        model = Functional(inputs, outputs, **arguments)
    else:
        model = cls(inputs=inputs, outputs=outputs, **arguments)
    inside = {id(layer) for layer in model.layers}
    for layer in made.layers.values():
        # No output depends on these layers.
        if isinstance(layer, add_layers.AddLoss | add_layers.AddMetric) and id(layer) not in inside:
            model._extend_graph(layer.output)
    if config.get("trainable") is False:
        model.trainable = False
    return model


class _Reconstruction:
    """Creates the layers of a configuration and repeats each call once its inputs exist."""

    def __init__(self, entries: list[dict[str, Any]], ends: Any) -> None:
        self.layers: dict[str, Any] = {}
        # By layer: the number of its calls before the repeated ones, minus the index of the first
        # repeated call in the configuration.
        self._offset: dict[str, int] = {}
        first_indices: dict[str, int] = {}
        for reference in _references(
            [ends, *(entry.get("inbound_nodes", ()) for entry in entries)]
        ):
            for name, index in _named_calls(reference):
                first_indices[name] = min(index, first_indices.get(name, index))
        pending = []
        for entry in entries:
            name = entry.get("name") or entry["config"]["name"]
            layer = deserialize_layer(
                {k: v for k, v in entry.items() if k not in ("name", "inbound_nodes")}
            )
            self.layers[name] = layer
            self._offset[name] = 0
            if entry.get("inbound_nodes"):
                if layer._is_model:
                    self._offset[name] = len(layer._inbound_nodes) - first_indices.get(name, 0)
                pending.append((layer, list(entry["inbound_nodes"])))
        while pending:
            left = []
            progress = False
            for layer, nodes in pending:
                while nodes and all(
                    self._is_ready(reference) for reference in _references(nodes[0])
                ):
                    self._call(layer, nodes.pop(0))
                    progress = True
                if nodes:
                    left.append((layer, nodes))
            if left and not progress:
                names = [layer.name for layer, _ in left]
                raise ValueError(
                    f"The configuration's layers {names} have inputs that no layer computes."
                )
            pending = left

    def _is_ready(self, reference: Any) -> bool:
        inner = _references(reference[3]) if len(reference) == 4 else []
        if not all(map(self._is_ready, inner)):
            return False
        if reference[0] == _CONSTANT:
            return True
        layer = self.layers.get(reference[0])
        if layer is None:
            raise ValueError(
                f"The configuration names a layer '{reference[0]}' that it does not have."
            )
        return reference[1] + self._offset[reference[0]] < len(layer._inbound_nodes)

    def tensor(self, reference: Any) -> Any:
        """The symbolic tensor that a part of the configuration refers to."""
        if reference[0] == _CONSTANT:
            value = reference[2]
            if composite_constants.is_encoded(value):
                return composite_constants.decoded(value)
            return _core.as_tensor(value) if isinstance(value, list) else value
        layer = self.layers[reference[0]]
        node = layer._inbound_nodes[reference[1] + self._offset[reference[0]]]
        return nest.flatten(node.outputs)[reference[2]]

    def tensors(self, references: Any, containers: Any) -> Any:
        """The structure of tensors for the configuration's `input_layers` or `output_layers`."""
        if _is_reference(references):
            return self.tensor(references)
        references = container_types.restored(references, containers)
        result = _map_references(self.tensor, references)
        if isinstance(references, list) and len(references) == 1 and _is_reference(references[0]):
            return result[0]
        return result

    def _call(self, layer: Layer, node: object) -> None:
        references = _references(node)
        kwargs: dict[str, Any] = {}
        if references and len(references[0]) == 4:
            kwargs = _map_references(self.tensor, references[0][3])
        inputs = _map_references(self.tensor, node)
        single = isinstance(node, list) and len(node) == 1 and _is_reference(node[0])
        if single and not layer._preserve_input_structure_in_config:
            inputs = inputs[0]
        if not has_symbolic(nest.flatten((inputs, kwargs))):
            # A call with constants alone would compute something while the file is loaded.
            raise ValueError(
                f"The configuration has a call of layer '{layer.name}' without any input."
            )
        layer._call_from_config(inputs, kwargs)
