"""Drawings of models by Graphviz: their layers as a graph."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any

from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.model import Model
from eagerflow.keras.utils import io_utils
from eagerflow.keras.utils.layer_utils import get_layer_index_bound_by_layer_name
from eagerflow.typing import FilePath
from eagerflow.util import lazy
from eagerflow.util.arguments import arguments
from eagerflow.util.optional import found

# Imported when it is first used: few programs need it.
input_layer = lazy.Module("eagerflow.keras.engine.functional.input_layer")


class DotGraph:
    """A graph in Graphviz's language.

    Args:
        name: the graph's name.
        settings: attributes of the graph.
        indent: by how many blanks lines are moved right.
    """

    def __init__(self, name: str, settings: dict[str, Any], cluster: bool = False) -> None:
        self._head = f"subgraph cluster_{_quoted(name)[1:-1]} {{" if cluster else "digraph G {"
        self._lines = [f"{key}={_quoted(value)};" for key, value in settings.items()]

    def add_node(self, name: str, label: str) -> None:
        """Adds a box with a label, which may be an HTML table."""
        text = label if label.startswith("<") else _quoted(label)
        shape = "plaintext" if label.startswith("<") else "box"
        self._lines.append(f"{_quoted(name)} [label={text}, shape={shape}];")

    def add_edge(self, start: str, end: str) -> None:
        """Adds an arrow."""
        self._lines.append(f"{_quoted(start)} -> {_quoted(end)};")

    def add_subgraph(self, graph: DotGraph) -> None:
        """Adds a graph inside this one."""
        self._lines.append(graph.to_string())

    def to_string(self) -> str:
        """The graph as text.

        >>> graph = tf.keras.utils.model_to_dot(tf.keras.Sequential([tf.keras.Input([1])]))
        >>> graph.to_string().splitlines()[0]
        'digraph G {'
        """
        inner = "\n".join(self._lines).replace("\n", "\n  ")
        return f"{self._head}\n  {inner}\n}}"

    def create(self, format: str = "png") -> bytes:
        """The graph drawn by Graphviz's program `dot`.

        Raises:
            ImportError: if Graphviz is not installed.
        """
        program = shutil.which("dot")
        if program is None:
            raise ImportError(
                "You must install graphviz (see instructions at "
                "https://graphviz.gitlab.io/download/) for `plot_model` to draw pictures: its "
                "program `dot` was not found. `to_file` may end in `.dot` for the graph as text."
            )
        done = subprocess.run(
            [program, f"-T{format}"], input=self.to_string().encode(), capture_output=True
        )
        if done.returncode:
            raise RuntimeError(f"Graphviz could not draw the graph: {done.stderr.decode()}")
        return done.stdout

    def write(self, path: FilePath, format: str = "png") -> None:
        """Writes the graph to a file, as text if the format is "dot"."""
        text = format in ("dot", "raw", "gv")
        content = self.to_string().encode() if text else self.create(format)
        with open(path, "wb") as file:
            file.write(content)


def _quoted(value: object) -> str:
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _escaped(value: object) -> str:
    return str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def check_graphviz() -> bool:
    """Whether Graphviz's program `dot` is installed."""
    return shutil.which("dot") is not None


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


def _label(layer: Layer, options: dict[str, Any]) -> str:
    """An HTML table of the class, the name and optional properties."""
    title = type(layer).__name__
    if options["show_layer_names"]:
        title = f'{layer.name}</td><td border="1">{title}'
    rows = [f'<td border="1">{title}</td>']
    if options["show_dtype"]:
        rows.append(f'<td border="1" colspan="2">{_escaped(layer.dtype)}</td>')
    if options["show_layer_activations"] and hasattr(layer, "activation"):
        rows.append(f'<td border="1" colspan="2">{_escaped(_activation(layer))}</td>')
    if options["show_trainable"] and layer.weights:
        state = "trainable" if layer.trainable else "non-trainable"
        rows.append(f'<td border="1" colspan="2">{state}</td>')
    if options["show_shapes"]:
        for side, which in (("input", "input_shape"), ("output", "output_shape")):
            rows.append(
                f'<td border="1">{side}:</td><td border="1">{_escaped(_shapes(layer, which))}</td>'
            )
    cells = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<<table border="0" cellborder="1" cellspacing="0" cellpadding="4">{cells}</table>>'


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
) -> DotGraph:
    """A model's layers as a graph in Graphviz's language.

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
    settings = {"label": model.name} if subgraph else {"rankdir": rankdir, "dpi": dpi}
    settings = {key: value for key, value in settings.items() if value is not None}
    dot = DotGraph(model.name, settings, cluster=subgraph)
    graph = model._graph
    layers = list(graph.layers) if graph is not None else model.layers
    if layer_range:
        first, last = get_layer_index_bound_by_layer_name(layers, layer_range)
        layers = layers[first:last]
    shown = {id(layer) for layer in layers}
    for layer in layers:
        inside = layer if isinstance(layer, Model) and expand_nested else None
        if inside is not None and inside._graph is not None:
            dot.add_subgraph(
                model_to_dot(
                    inside, rankdir=rankdir, expand_nested=True, dpi=None, subgraph=True, **options
                )
            )
        else:
            dot.add_node(str(id(layer)), _label(layer, options))
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


def _end(layer: Layer, expand: bool, which: str) -> str:
    """The node where an arrow to or from a layer ends."""
    while expand and isinstance(layer, Model) and layer._graph is not None:
        tensors = getattr(layer._graph, which)
        layer = tensors[0]._keras_history.layer
    return str(id(layer))


def plot_model(
    model: Model,
    to_file: Any = "model.png",
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int | None = 96,
    layer_range: object = None,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
) -> Any:
    """Draws a model's layers to a file, whose ending says the format.

    Args:
        model: a model that has been built.
        to_file: the file; `.dot` writes the graph as text, which needs no Graphviz.
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
        The picture, in a notebook; else None.

    Raises:
        ImportError: if Graphviz is not installed, for files but `.dot`; notebooks get a message.
        ValueError: if the model has not been built.
    """
    given = arguments(locals())
    del given["to_file"]
    dot = model_to_dot(**given)
    path = os.fspath(to_file)
    extension = os.path.splitext(path)[1][1:] or "png"
    if extension not in ("dot", "gv") and not check_graphviz():
        message = (
            "You must install graphviz (see instructions at https://graphviz.gitlab.io/download/) "
            "for plot_model to work."
        )
        # As in Keras, notebooks go on without the picture.
        if "IPython.core.magics.namespace" not in sys.modules:
            raise ImportError(message)
        io_utils.print_msg(message)
        return None
    dot.write(path if os.path.splitext(path)[1] else f"{path}.png", format=extension)
    if extension in ("png", "jpg", "jpeg"):
        display = found("IPython.display")
        return display and display.Image(filename=path)
    return None
