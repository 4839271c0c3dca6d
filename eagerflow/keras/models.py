"""tf.keras.models: models, copies of them, and models from configurations."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from eagerflow import nest
from eagerflow.keras.engine.calls.arguments import map_arguments
from eagerflow.keras.engine.functional.functional import Functional, deserialize_layer
from eagerflow.keras.engine.functional.input_layer import Input, InputLayer
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor, is_keras_tensor
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.model import Model
from eagerflow.keras.engine.sequential import Sequential
from eagerflow.keras.experimental import models as experimental
from eagerflow.keras.saving.api import load_model, save_model
from eagerflow.keras.saving.json_config import as_tuples
from eagerflow.keras.saving.serialization import loading_scope
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.util import lazy

__all__ = [
    "Model",
    "Sequential",
    "clone_model",
    "experimental",
    "load_model",
    "model_from_config",
    "model_from_json",
    "model_from_yaml",
    "save_model",
]


def model_from_config(config: Config, custom_objects: CustomObjects | None = None) -> Any:
    """A model from a dictionary with its class's name and its configuration.

    Args:
        config: the result of `json.loads(model.to_json())`.
        custom_objects: a program's own classes and functions by name.

    Raises:
        TypeError: if `config` is no dictionary.
    """
    if not isinstance(config, dict):
        raise TypeError(
            f"`model_from_config` expects a dictionary, not a list. Received: config={config}. "
            "Did you mean to use `Sequential.from_config(config)`?"
        )
    return deserialize_layer(config, custom_objects)


def model_from_json(json_string: str, custom_objects: Any = None, safe_mode: bool = True) -> Model:
    """A model from what `to_json` returned; its weights are new.

    Args:
        json_string: the text.
        custom_objects: a program's own classes and functions by name.
        safe_mode: whether to refuse code of `Lambda` layers, which could do anything.

    Raises:
        ValueError: for such code.

    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    >>> tf.keras.models.model_from_json(model.to_json()).output_shape
    (None, 2)
    """
    with loading_scope(safe_mode):
        return model_from_config(as_tuples(json.loads(json_string)), custom_objects)


def model_from_yaml(yaml_string: str, custom_objects: object = None) -> Any:
    """Removed: raises a RuntimeError, since loading YAML could run code."""
    raise RuntimeError(
        "Method `model_from_yaml()` has been removed due to security risk of arbitrary code "
        "execution. Please use `Model.to_json()` and `model_from_json()` instead."
    )


def clone_model(
    model: Model, input_tensors: object = None, clone_function: Callable[[Any], Any] | None = None
) -> Model | Model:
    """A model with layers like another's, and new weights.

    Args:
        model: a functional or Sequential model; subclassed ones, and those with a `get_config` of
            their own, are made from their configuration.
        input_tensors: symbolic tensors to start from, in place of new inputs.
        clone_function: makes the copy of each layer; by default from its configuration.

    Raises:
        ValueError: for subclassed models with inputs or a clone function.

    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    >>> tf.keras.models.clone_model(model).count_params()
    8
    """
    if not isinstance(model, Model):
        raise AttributeError(f"`clone_model` copies a `Model`, got {model!r}, which is none.")
    if clone_function is not None and not callable(clone_function):
        raise ValueError(f"`clone_function` is called with each layer, got {clone_function!r}.")
    copy = clone_function or _copied
    if isinstance(model, Sequential):
        return _clone_sequential(model, input_tensors, copy)
    functional = model._graph is not None
    # The constructor of a class with its own `get_config` need not accept inputs and outputs.
    usual = type(model).get_config in (Model.get_config, Functional.get_config)
    if functional and (usual or clone_function is not None or input_tensors is not None):
        return _clone_functional(model, input_tensors, copy)
    if clone_function is not None or input_tensors is not None:
        raise ValueError(
            "Arguments `clone_function` and `input_tensors` are only supported for Sequential "
            f"models or functional models. Received model of type '{type(model).__name__}'."
        )
    return type(model).from_config(model.get_config())


def _copied(layer: Layer) -> Layer:
    return type(layer).from_config(layer.get_config())


def _clone_sequential(model: Any, input_tensors: object, copy: Callable[[Any], Any]) -> Model:
    layers = []
    for layer in model._chain:
        if isinstance(layer, InputLayer):
            layers.append(_copied(layer) if input_tensors is None else None)
        elif isinstance(layer, Model) and copy is _copied:
            layers.append(clone_model(layer))
        else:
            layers.append(copy(layer))
    layers = [layer for layer in layers if layer is not None]
    if input_tensors is not None:
        given = nest.flatten(input_tensors)
        if len(given) != 1:
            raise ValueError(
                f"A Sequential model has one input, got {len(given)} tensors in `input_tensors`."
            )
        layers.insert(0, _first_layer(given[0]))
    clone = Sequential(layers, name=model.name)
    if not clone.built and model._inferred_shape is not None:
        clone.build(model._inferred_shape)
    return clone


def _as_input(tensor: Any, name: str) -> Any:
    """A symbolic input: the tensor itself, or for a value one of its shape and dtype."""
    if is_keras_tensor(tensor):
        return tensor
    return Input(tensor=tensor, name=f"input_wrapper_for_{name}")


def _first_layer(tensor: Any) -> InputLayer:
    """The input layer of a Sequential model that starts from a tensor.

    Raises:
        AttributeError: for a value without a name.
        ValueError: for the result of a layer.
    """
    name = "" if is_keras_tensor(tensor) else str(tensor.name)
    layer = _as_input(tensor, name)._keras_history.layer
    if not isinstance(layer, InputLayer):
        raise ValueError(
            "Cannot clone a `Sequential` model on top of a tensor that comes from a Keras layer "
            f"other than an `InputLayer`: {tensor} is the result of {layer}. Use the functional API."
        )
    return layer


def _clone_functional(model: Any, input_tensors: Any, copy: Callable[[Any], Any]) -> Any:
    graph = model._graph
    known: dict[int, KerasTensor] = {}
    if input_tensors is None:
        for tensor in graph.inputs:
            source = tensor._keras_history.layer
            if isinstance(source, InputLayer):  # of sparse tensors, or of an extension type, maybe
                known[id(tensor)] = _copied(source).output
            else:
                known[id(tensor)] = Input(
                    batch_shape=tuple(tensor.shape.as_list()), dtype=tensor.dtype, name=source.name
                )
    else:
        flat = nest.flatten(input_tensors)
        if len(flat) != len(graph.inputs):
            raise ValueError(
                f"The model has {len(graph.inputs)} inputs, got {len(flat)} tensors in "
                "`input_tensors`."
            )
        for tensor, given in zip(graph.inputs, flat, strict=True):
            known[id(tensor)] = _as_input(given, tensor._keras_history.layer.name)
    layers: dict[int, Any] = {}

    def replaced(value: object) -> Any:
        return known.get(id(value), value) if isinstance(value, KerasTensor) else value

    for node in graph.nodes:
        outputs = nest.flatten(node.outputs)
        if all(id(tensor) in known for tensor in outputs):
            continue
        layer = layers.get(id(node.layer))
        if layer is None:
            inner = node.layer
            layer = (
                clone_model(inner) if isinstance(inner, Model) and copy is _copied else copy(inner)
            )
            layers[id(inner)] = layer
        args, kwargs = map_arguments(replaced, node.call_args, node.call_kwargs)
        results = nest.flatten(layer._call_again(args, kwargs))
        for tensor, result in zip(outputs, results, strict=True):
            known[id(tensor)] = result
    inputs = nest.map_structure(replaced, graph.nested_inputs)
    outputs = nest.map_structure(replaced, graph.nested_outputs)
    cls = type(model)
    if cls is Functional:
        clone = Functional(inputs, outputs, name=model.name)
    else:
        clone = cls(inputs=inputs, outputs=outputs, name=model.name)
    for tensor in graph.extra_outputs:
        clone._extend_graph(replaced(tensor))
    return clone


__dir__ = lazy.listing(__name__)
