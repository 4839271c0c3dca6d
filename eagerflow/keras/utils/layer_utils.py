"""The table of a model's layers that `summary` prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import nest
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.utils import io_utils
from eagerflow.util import lazy
from eagerflow.util.notebooks import in_notebook
from eagerflow.util.pictures import Table

# Imported when it is first used: few programs need it.
sequential = lazy.Module("eagerflow.keras.engine.sequential")

_TRAINABLE_WIDTH = 11
_GAP = 2  # spaces between columns
_ITEM_END = re.compile(r"[)}\]'],")


def count_params(weights: Any) -> int:
    """The number of values that variables hold, each counted once.

    >>> tf.keras.utils.layer_utils.count_params([tf.Variable(tf.zeros([2, 3]))])
    6
    """
    unique = {id(weight): weight for weight in weights}.values()
    return int(sum(weight.shape.num_elements() or 0 for weight in unique))


def weight_memory_size(weights: Any) -> int:
    """The number of bytes of variables, each counted once."""
    unique = {id(weight): weight for weight in weights}.values()
    return int(sum((w.shape.num_elements() or 0) * w.dtype.size for w in unique))


def readable_memory_size(size: float) -> str:
    """A count of bytes in a suitable unit."""
    for unit in ("Byte", "KB", "MB", "GB", "TB", "PB"):
        if size < 1024 or unit == "PB":
            return f"{size:.2f} {unit}"
        size /= 1024
    return ""


def get_layer_index_bound_by_layer_name(layers: list[Any], layer_range: Any = None) -> list[int]:
    """The first index, and the end index, of the layers between two names or patterns.

    Raises:
        ValueError: unless there are two names, and each matches a layer.
    """
    if layer_range is None:
        return [0, len(layers)]
    if len(layer_range) != 2:
        raise ValueError(
            f"layer_range must be a list or tuple of length 2. Received: layer_range={layer_range}"
        )
    if not all(isinstance(name, str) for name in layer_range):
        raise ValueError(f"layer_range should contain string type only. Received: {layer_range}")
    names = [layer.name for layer in layers]
    first, last = (
        [index for index, name in enumerate(names) if re.match(pattern, name)]
        for pattern in layer_range
    )
    if not first or not last:
        raise ValueError(
            f"Passed layer_names do not match the layer names in the model. Received: {layer_range}"
        )
    bounds = sorted((min(first), max(last)))
    if min(first) > max(last):
        bounds = [min(last), max(first)]
    return [bounds[0], bounds[1] + 1]


class _Table:
    """Rows of fields in columns."""

    def __init__(self, length: int, positions: list[int], print_fn: Callable[[str], Any]) -> None:
        self._length = length
        self._positions = positions
        self._print = print_fn

    def rule(self, character: str) -> None:
        """A line of one character."""
        self._print(character * self._length)

    def blank(self, level: int = 0) -> None:
        """An empty line."""
        self._print("|" * level + " " * (self._length - 2 * level) + "|" * level)

    def opening(self, level: int) -> None:
        """The upper edge of a model inside."""
        self._print("|" * level + "¯" * (self._length - 2 * level) + "|" * level)

    def closing(self, level: int) -> None:
        """The lower edge of a model inside."""
        self.opening(level - 1)

    def row(self, fields: list[str], level: int = 0) -> None:
        """One row, of as many lines as its longest field needs."""
        starts = [0, *self._positions[:-1]]
        final = len(self._positions) - 1
        columns = []
        for index, (field, start, end) in enumerate(
            zip(fields, starts, self._positions, strict=False)
        ):
            width = end - start
            if index < final:
                width -= _GAP + 1
            if index == 0:
                width -= level
            columns.append(_lines(field, max(1, width)))
        for line in range(max(map(len, columns))):
            text = "|" * level + " "
            for index, (column, end) in enumerate(zip(columns, self._positions, strict=False)):
                text += column[line] if line < len(column) else ""
                text = (text + " " * _GAP).ljust(end) if index < final else text.ljust(end - level)
            self._print(text + "|" * level)


def _lines(field: str, width: int) -> list[str]:
    """A field in pieces of at most a width, which end where an item of a structure does."""
    pieces = []
    while field:
        piece = field[:width]
        end = _ITEM_END.search(piece)
        piece = piece[: end.end()] if end else piece
        pieces.append(piece)
        field = field[len(piece) :]
    return pieces


def _is_sequential_like(model: Any) -> bool:
    """Whether every layer follows the one before it."""
    graph = model._graph
    if isinstance(model, sequential.Sequential) or graph is None:
        return True
    depths: dict[int, list[Any]] = {}
    for node, depth in graph.node_depths.values():
        depths.setdefault(depth, []).append(node)
    for nodes in depths.values():
        if len(nodes) > 1 or len(nodes[0].keras_inputs) > 1 and not nodes[0].is_input:
            return False
    inside = {id(node) for node in graph.nodes}
    for layer in model.layers:
        if sum(id(node) in inside for node in layer._inbound_nodes) > 1:
            return False
    return True


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: list[float] | None = None,
    print_fn: Callable[[str], Any] | None = None,
    expand_nested: bool = False,
    show_trainable: bool = False,
    layer_range: object = None,
) -> None:
    """Prints a table of a model's layers, or shows it in a notebook; see `Model.summary`."""
    if print_fn is None:
        print_fn = io_utils.print_msg
        plain = (
            line_length is None and positions is None and io_utils.is_interactive_logging_enabled()
        )
        if plain and in_notebook():
            summary_table(model, expand_nested, show_trainable, layer_range).show()
            return
    simple = _is_sequential_like(model)
    length = line_length or (65 if simple else 98)
    columns = positions or ([0.45, 0.85, 1.0] if simple else [0.3, 0.6, 0.70, 1.0])
    if columns[-1] <= 1:
        columns = [length * end for end in columns]
    ends = [int(end) for end in columns]
    titles = _titles(simple, show_trainable)
    if show_trainable:
        length += _TRAINABLE_WIDTH
        ends.append(length)
    if len(ends) < len(titles):
        raise ValueError(
            f"positions must tell where each of the {len(titles)} columns of this summary ends. "
            f"Received: positions={positions}"
        )
    table = _Table(length, ends, print_fn)
    print_fn(f'Model: "{model.name}"')
    table.rule("_")
    table.row(titles)
    table.rule("=")
    for kind, level, fields in _entries(model, simple, expand_nested, show_trainable, layer_range):
        if kind == "row":
            table.row(fields, level)
        elif kind == "opening":
            table.opening(level)
        elif kind == "closing":
            table.closing(level)
        else:
            table.blank(level)
    table.rule("=")
    for line in _totals(model):
        print_fn(line)
    table.rule("_")


def summary_text(model: Any, **options: Any) -> str:
    """The lines that `print_summary` prints."""
    lines: list[str] = []
    print_summary(model, print_fn=lines.append, **options)
    return "\n".join(lines)


def summary_table(
    model: Any,
    expand_nested: bool = False,
    show_trainable: bool = False,
    layer_range: object = None,
) -> Table:
    """The same as a table for notebooks."""
    simple = _is_sequential_like(model)
    entries = _entries(model, simple, expand_nested, show_trainable, layer_range)
    rows = []
    for kind, level, fields in entries:
        if kind == "row":
            # What is inside of a model stands further to the right.
            rows.append(["\N{NO-BREAK SPACE}" * 4 * level + fields[0], *fields[1:]])
    return Table(_titles(simple, show_trainable), rows, f'Model: "{model.name}"', _totals(model))


def _titles(simple: bool, show_trainable: bool) -> list[str]:
    titles = ["Layer (type)", "Output Shape", "Param #"]
    if not simple:
        titles.append("Connected to")
    return [*titles, "Trainable"] if show_trainable else titles


def _entries(
    model: Any, simple: bool, expand_nested: bool, show_trainable: bool, layer_range: object
) -> Iterator[tuple[str, int, list[str]]]:
    """The rows of a summary and what is between them: the kind, the depth, and a row's fields."""
    start, stop = get_layer_index_bound_by_layer_name(model.layers, layer_range)
    relevant = None if simple else {id(node) for node in model._graph.nodes}

    def row(layer: Layer) -> list[str]:
        fields = [
            f"{layer.name} ({type(layer).__name__})",
            _output_shape(layer),
            str(_params(layer)),
        ]
        if not simple:
            fields.append(_connections(layer, relevant))
        if show_trainable:
            fields.append("Y" if layer.trainable else "N")
        return fields

    def entries(owner: Any, level: int) -> Iterator[tuple[str, int, list[str]]]:
        layers = owner.layers if level else owner.layers[start:stop]
        for index, layer in enumerate(layers):
            yield "row", level, row(layer)
            inside = getattr(layer, "layers", None) if expand_nested else None
            if inside:
                yield "opening", level + 1, []
                yield from entries(layer, level + 1)
                yield "closing", level + 1, []
            elif level == 0 or index < len(layers) - 1:
                yield "blank", level, []

    return entries(model, 0)


def _totals(model: Any) -> list[str]:
    trainable, others = model.trainable_weights, model.non_trainable_weights
    lines = []
    for title, weights in (
        ("Total", [*trainable, *others]),
        ("Trainable", trainable),
        ("Non-trainable", others),
    ):
        size = readable_memory_size(weight_memory_size(weights))
        lines.append(f"{title} params: {count_params(weights)} ({size})")
    return lines


def _output_shape(layer: Layer) -> str:
    try:
        shape = layer.output_shape
    except AttributeError:
        return "multiple"
    except RuntimeError:
        return "?"
    return str(shape)


def _params(layer: Layer) -> int | str:
    if not layer.built and not layer.weights:
        return 0 if not hasattr(layer, "build") else "0 (unused)"
    return count_params(layer.weights)


def _connections(layer: Layer, relevant: set[int] | None) -> str:
    connections = []
    for node in layer._inbound_nodes:
        if relevant and id(node) not in relevant:
            continue
        if node.is_input or not hasattr(node, "iterate_inbound"):
            continue
        for source, node_index, tensor_index, _ in node.iterate_inbound():
            # A model's own graph is its first node here, which Keras does not show.
            own = sum(inner.is_own for inner in source._inbound_nodes[:node_index])
            connections.append(f"{source.name}[{node_index - own}][{tensor_index}]")
    return str(connections)


def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> list[Any]:
    """The inputs that a symbolic tensor follows from."""
    stack, sources = [tensor], {}
    while stack:
        current = stack.pop()
        node = current.node
        if node.is_input:
            for output in nest.flatten(node.outputs):
                sources[id(output)] = output
        stack.extend(node.keras_inputs)
    return list(sources.values())
