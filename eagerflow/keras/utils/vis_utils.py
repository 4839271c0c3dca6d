"""Drawings of models: their layers as a graph."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.model import Model
from eagerflow.keras.utils import io_utils, layer_utils
from eagerflow.keras.utils.layer_utils import get_layer_index_bound_by_layer_name
from eagerflow.typing import FilePath
from eagerflow.util import lazy
from eagerflow.util.arguments import arguments
from eagerflow.util.optional import found
from eagerflow.util.pictures import Graph

# Imported when it is first used: few programs need it.
input_layer = lazy.Module("eagerflow.keras.engine.functional.input_layer")


def check_graphviz() -> bool:
    """Whether graphs can be drawn: whether Graphviz's program `dot` or pygraphviz is installed."""
    return shutil.which("dot") is not None or found("pygraphviz") is not None


def _shapes(layer: Layer, which: str) -> str:
    try:
        shape = getattr(layer, which)
    except (AttributeError, RuntimeError):
        return "?"
    if shape is None:
        return "?"
    single = isinstance(shape, tuple) and all(not isinstance(s, tuple | list) for s in shape)
    return f"[{shape}]" if single and isinstance(layer, input_layer.InputLayer) else str(shape)


def _activation(layer: Layer) -> str:
    function = getattr(layer, "activation", None)
    return "None" if function is None else getattr(function, "__name__", str(function))


def _rows(layer: Layer, options: dict[str, Any]) -> list[str | tuple[str, str]]:
    """The class, the name and optional properties."""
    rows: list[str | tuple[str, str]] = [type(layer).__name__]
    if options["show_layer_names"]:
        rows.append(layer.name)
    if options["show_dtype"]:
        rows.append(("dtype", str(layer.dtype)))
    if options["show_layer_activations"] and hasattr(layer, "activation"):
        rows.append(("activation", _activation(layer)))
    if options["show_trainable"] and layer.weights:
        rows.append(("trainable", "yes" if layer.trainable else "no"))
    if options["show_shapes"]:
        rows += [
            ("input", _shapes(layer, "input_shape")),
            ("output", _shapes(layer, "output_shape")),
        ]
    return rows


def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int | None = 96,
    subgraph: bool = False,
    layer_range: object = None,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
) -> Graph:
    """A model's layers as a picture.

    Args:
        model: a model that has been built.
        show_shapes: whether to show shapes of inputs and outputs.
        show_dtype: whether to show dtypes.
        show_layer_names: whether to show layers' names.
        rankdir: "TB" draws from top to bottom, "LR" from left to right.
        expand_nested: whether to draw the layers of models inside.
        dpi: the dots per inch of pictures.
        subgraph: whether the graph will be part of another one.
        layer_range: names, or patterns, of the first and last layer to draw.
        show_layer_activations: whether to show activation functions.
        show_trainable: whether to show which layers are trained.

    Returns:
        A picture, which notebooks show. `save("model.svg")` writes a file. It has the methods of
        pydot's graphs that programs use on TensorFlow's result: `create`, `write`, `to_string`.

    Raises:
        ValueError: if the model has not been built.
    """
    if not model.built:
        raise ValueError(
            "This model has not yet been built. Build the model first by calling `build()` or by "
            "calling the model on a batch of data."
        )
    options = {
        "show_shapes": show_shapes,
        "show_dtype": show_dtype,
        "show_layer_names": show_layer_names,
        "show_layer_activations": show_layer_activations,
        "show_trainable": show_trainable,
    }
    dot = Graph(
        lambda: layer_utils.summary_text(
            model, expand_nested=expand_nested, layer_range=layer_range
        ),
        title=model.name if subgraph else "",
        rankdir=rankdir,
        dpi=dpi,
    )
    graph = model._graph
    layers = list(graph.layers) if graph is not None else model.layers
    if layer_range:
        first, last = get_layer_index_bound_by_layer_name(model.layers, layer_range)
        layers = model.layers[first:last]
    shown = {id(layer) for layer in layers}
    final = {id(t._keras_history.layer) for t in graph.outputs} if graph is not None else set()
    for layer in layers:
        inside = layer if isinstance(layer, Model) and expand_nested else None
        if inside is not None and inside._graph is not None:
            dot.add_subgraph(
                model_to_dot(
                    inside, rankdir=rankdir, expand_nested=True, dpi=None, subgraph=True, **options
                )
            )
        else:
            kind = "operation"
            if isinstance(layer, input_layer.InputLayer):
                kind = "input"
            elif not subgraph and id(layer) in final:
                kind = "output"
            dot.add_node(id(layer), _rows(layer, options), kind)
    if graph is None:
        return dot
    for node in graph.nodes:
        if id(node.layer) not in shown:
            continue
        for tensor in node.keras_inputs:
            source = tensor._keras_history.layer
            if id(source) in shown:
                dot.add_edge(
                    _end(source, expand_nested, "outputs"),
                    _end(node.layer, expand_nested, "inputs"),
                )
    return dot


def _end(layer: Layer, expand: bool, which: str) -> int:
    """The node where an arrow to or from a layer ends."""
    while expand and isinstance(layer, Model) and layer._graph is not None:
        tensors = getattr(layer._graph, which)
        layer = tensors[0]._keras_history.layer
    return id(layer)


def plot_model(
    model: Model,
    to_file: FilePath = "model.png",
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int | None = 96,
    layer_range: object = None,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
) -> Graph | None:
    """Draws a model's layers to a file, whose ending says the format.

    Args:
        model: a model that has been built.
        to_file: the file: `.png`, `.svg`, `.pdf`, `.jpg`, or `.dot` for Graphviz's language.
        show_shapes: whether to show shapes of inputs and outputs.
        show_dtype: whether to show dtypes.
        show_layer_names: whether to show layers' names.
        rankdir: "TB" draws from top to bottom, "LR" from left to right.
        expand_nested: whether to draw the layers of models inside.
        dpi: the dots per inch of pictures.
        layer_range: names, or patterns, of the first and last layer to draw.
        show_layer_activations: whether to show activation functions.
        show_trainable: whether to show which layers are trained.

    Returns:
        The picture, which notebooks show.

    Raises:
        ImportError: if neither Graphviz's program `dot` nor pygraphviz is installed, for files but
            `.dot`; notebooks get a message, and None is returned.
        ValueError: if the model has not been built, or for an unknown format.
    """
    given = arguments(locals())
    del given["to_file"]
    picture = model_to_dot(**given)
    path = os.fsdecode(to_file)
    extension = os.path.splitext(path)[1][1:]
    try:
        picture.save(path, None if extension else "png")
    except ImportError as missing:
        # As in Keras, notebooks go on without the picture.
        if "IPython.core.magics.namespace" not in sys.modules:
            raise
        io_utils.print_msg(str(missing))
        return None
    return picture
