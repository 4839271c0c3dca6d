"""The graphs of traced functions as lists, and as drawings."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.typing import FilePath
from eagerflow.util.notebooks import place
from eagerflow.util.pictures import Graph
from eagerflow.util.text import Listing

# Constants with at most so many elements are shown by their values.
_FEW = 4


def _graph_of(function: object) -> Any:
    """The graph of a concrete function, or of a function with one trace; a graph itself."""
    if isinstance(function, _core.Graph):
        return function
    graph = getattr(function, "graph", None)
    if isinstance(graph, _core.Graph):
        return graph
    traces = getattr(function, "_list_all_concrete_functions", None)
    if traces is None:
        raise TypeError(f"A traced function or a graph is needed, not {function!r}.")
    graphs = [concrete.graph for concrete in traces()]
    if len(graphs) != 1:
        raise ValueError(
            f"{function!r} has {len(graphs)} traces: pass one of them, what "
            "`function.get_concrete_function(...)` returns for arguments."
        )
    return graphs[0]


def _kind(tensor: Any) -> str:
    if tensor.shape.rank is None:
        return f"{tensor.dtype.name}[...]"
    sizes = ("?" if size is None else str(size) for size in tensor.shape.as_list())
    return f"{tensor.dtype.name}[{','.join(sizes)}]"


def _value(node: Any) -> str:
    """A constant's value, or its kind if it is large."""
    value = _core.static_value(node.outputs[0])
    if value is None or value._size > _FEW:
        return _kind(node.outputs[0])
    array = value.numpy()
    return repr(array.item() if value.ndim == 0 else array.tolist())


def _attributes(node: _core.Node) -> str:
    parts = [f"{name}={value}" for name, value in node.attrs.items()]
    parts += [f"variable={variable.name}" for variable in node.variables]
    return f" {{{', '.join(parts)}}}" if parts else ""


def _where(node: _core.Node) -> str:
    return "" if node.source is None else place(*node.source[:2])


def _used(graph: Any) -> list[Any]:
    """The nodes that run: those that results or effects depend on."""
    nodes = {node.name: node for node in graph.nodes}
    wanted = [node for node in graph.nodes if node.has_effects]
    wanted += [_core.node_of(output) for output in graph.outputs]
    reached: set[str] = set()
    while wanted:
        node = wanted.pop()
        if node.name not in reached:
            reached.add(node.name)
            wanted += [_core.node_of(tensor) for tensor in node.inputs]
    return [node for name, node in nodes.items() if name in reached]


class _Listing:
    """The lines of a graph and of those inside."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, graph: Any, indent: str) -> None:
        names = {}
        inputs = {tensor.name for tensor in graph.inputs}
        captures = {
            inner.name: outer.name for outer, inner in graph.captures if _core.is_symbolic(outer)
        }
        for tensor in graph.inputs:
            self.lines.append(f"{indent}{tensor.name[:-2]} = input {_kind(tensor)}")
        for node in _used(graph):
            for k, tensor in enumerate(node.outputs):
                names[tensor.name] = node.name if k == 0 else f"{node.name}:{k}"
            first = node.outputs[0].name if node.outputs else None
            if node.constant is not None:
                names[first] = _value(node)
                continue
            if first in inputs:
                continue
            if first in captures:
                line = f"{node.name} = captured {captures[first]}"
            else:
                arguments = ", ".join(names[tensor.name] for tensor in node.inputs)
                kinds = ", ".join(_kind(tensor) for tensor in node.outputs)
                line = f"{node.name} = {node.type}({arguments}){_attributes(node)}"
                line += f" -> {kinds}" if kinds else ""
            where = _where(node)
            self.lines.append(f"{indent}{line}" + (f"    # {where}" if where else ""))
            for callee in node.callees:
                self.lines.append(f"{indent}  {callee.name}:")
                self.add(callee, indent + "    ")
        results = ", ".join(names.get(t.name, t.name) for t in graph.outputs)
        self.lines.append(f"{indent}return {results}".rstrip())


def show_graph(function: object) -> str:
    """The operations of a traced function, one a line, with the program's lines.

    Operations that nothing needs are left out; graphs of branches, loops and calls stand under the
    operation that runs them.

    Args:
        function: a concrete function, a function with one trace, or a graph.

    Raises:
        ValueError: if a function has several traces, or none.

    >>> @tf.function
    ... def f(x):
    ...     return tf.reduce_sum(x * x) + 1.0
    >>> concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    >>> for line in tf.debug.show_graph(concrete).splitlines():
    ...     print(line.partition("    #")[0])
    x = input float32[?]
    mul = Mul(x, x) -> float32[?]
    Sum = Sum(mul) {axis=None, keepdims=False} -> float32[]
    add = AddV2(Sum, 1.0) -> float32[]
    Identity = Identity(add) -> float32[]
    return Identity
    """
    listing = _Listing()
    listing.add(_graph_of(function), "")
    return Listing("\n".join(listing.lines))


def _add(drawing: Graph, graph: Any, prefix: tuple[str, ...]) -> None:
    """Draws a graph, and the graphs of branches, loops and calls inside of it."""
    outputs = {tensor.name for tensor in graph.outputs}
    for node in _used(graph):
        key = (*prefix, node.name)
        if node.constant is not None:
            drawing.add_node(key, [_value(node)], "value")
        elif node.type == "Placeholder":
            drawing.add_node(key, [node.name, _kind(node.outputs[0])], "input")
        else:
            kind = "output" if any(t.name in outputs for t in node.outputs) else "operation"
            name = "" if node.name == node.type else node.name
            drawing.add_node(key, [node.type, name, _where(node)], kind)
        for tensor in node.inputs:
            origin = _core.node_of(tensor)
            label = "" if origin.constant is not None else _kind(tensor)
            drawing.add_edge((*prefix, origin.name), key, label)
        for callee in node.callees:
            inside = Graph(str, title=f"{node.name}: {callee.name}")
            _add(inside, callee, (*key, callee.name))
            drawing.add_subgraph(inside, key)


def draw_graph(function: object, path: FilePath | None = None) -> Graph:
    """A traced function as a picture: its operations, with the program's lines.

    Green boxes are inputs, yellow ones compute the results. Graphs of branches, loops and calls are
    frames.

    Args:
        function: a concrete function, a function with one trace, or a graph.
        path: a file to save the picture to; its ending is the format, such as `.svg`.

    Returns:
        A picture. Notebooks show it, terminals print the lines of `show_graph`; `save(path)` writes
        a file and `show()` opens a viewer. Drawing needs `pip install 'eagerflow[pictures]'`, or
        Graphviz's program `dot`.

    Raises:
        ValueError: if a function has several traces, or none, or for an unknown format.
        ImportError: if there is a `path`, and nothing that draws is installed.

    >>> f = tf.function(lambda x: x * 2.0)
    >>> picture = tf.debug.draw_graph(f.get_concrete_function(tf.TensorSpec([3])))
    >>> for line in str(picture).splitlines():
    ...     print(line.partition("    #")[0])
    x = input float32[3]
    mul = Mul(x, 2.0) -> float32[3]
    Identity = Identity(mul) -> float32[3]
    return Identity
    """
    graph = _graph_of(function)
    drawing = Graph(lambda: show_graph(graph))
    _add(drawing, graph, ())
    if path is not None:
        drawing.save(path)
    return drawing
