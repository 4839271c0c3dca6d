"""The graphs of traced functions as lists, and as drawings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eagerflow import _core
from eagerflow.debug.show import draw_text, quoted
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
    return "" if node.source is None else f"{Path(node.source[0]).name}:{node.source[1]}"


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


class _Drawing:
    """A graph and those inside, in Graphviz's language."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._graphs = 0

    def add(self, graph: Any, indent: str) -> None:
        prefix = f"g{self._graphs}_"
        self._graphs += 1
        outputs = {tensor.name for tensor in graph.outputs}
        for node in _used(graph):
            if node.constant is not None:
                label = _value(node)
                look = "shape=plain, fontcolor=gray40"
            else:
                label = f"{node.name}\\n{_where(node)}"
                look = "shape=box, style=rounded"
            if node.type == "Placeholder" and node.constant is None:
                label = f"{node.name}\\n{_kind(node.outputs[0])}"
                look = "shape=box, style=filled, fillcolor=lightblue"
            elif any(tensor.name in outputs for tensor in node.outputs):
                look += ", penwidth=2"
            self.lines.append(
                f'{indent}"{prefix}{quoted(node.name)}" [{look}, label="{quoted(label)}"];'
            )
            for tensor in node.inputs:
                origin = quoted(_core.node_of(tensor).name)
                self.lines.append(
                    f'{indent}"{prefix}{origin}" -> "{prefix}{quoted(node.name)}"'
                    f' [label="{_kind(tensor)}", fontsize=9];'
                )
            for callee in node.callees:
                self.lines += [
                    f"{indent}subgraph cluster_{self._graphs} {{",
                    f'{indent}  label="{quoted(node.name)}: {quoted(callee.name)}";',
                ]
                self.add(callee, indent + "  ")
                self.lines.append(f"{indent}}}")


def draw_graph(function: object, path: str | None = None) -> str:
    """A traced function as a graph in Graphviz's language, drawn as SVG if there is a `path`.

    Args:
        function: a concrete function, a function with one trace, or a graph.
        path: a file for the SVG; drawing it needs Graphviz's program `dot`.

    Returns:
        The graph in Graphviz's language. Graphs of branches, loops and calls are clusters.

    Raises:
        ValueError: if a function has several traces, or none.
        RuntimeError: if there is a `path` and `dot` is not installed, or fails.
    """
    drawing = _Drawing()
    drawing.add(_graph_of(function), "  ")
    start = ["digraph function {", "  rankdir=TB;", '  node [fontname="sans-serif", fontsize=11];']
    text = "\n".join([*start, *drawing.lines, "}"]) + "\n"
    if path is not None:
        draw_text(text, path)
    return text
