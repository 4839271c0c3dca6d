"""Custom gradients of functions in files and in messages.

A function has an `IdentityN` node with the results, and with the arguments and the variables that they are
differentiated by. In files, the gradient function takes a gradient for each of these inputs, and captured
tensors. In messages of a graph, the node names a registered gradient.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.registered_gradients import registered

# The attribute of nodes with a custom gradient.
ATTRIBUTE = "_gradient_op_type"

_numbers = itertools.count()


def new_name() -> str:
    """A name that no other custom gradient has."""
    return f"CustomGradient-{next(_numbers)}"


def registered_name(node: Any) -> str:
    """The name under which the custom gradient of a node is registered, from now on.

    The registered function takes an operation and a gradient for each of the node's outputs in messages.
    """
    step, count, kinds, variables = node.custom_gradient
    if not hasattr(step, "registered_as"):
        name = step.registered_as = new_name()
        shapes = [t.shape for t in node.inputs[count : count + len(kinds) - len(variables)]]
        shapes += [variable.shape for variable in variables]
        # The registry does not keep the graph: it goes with the program's.
        registered[name] = _gradient(weakref.ref(step), count, kinds, shapes)
        weakref.finalize(step, registered.pop, name, None)
    return step.registered_as


def _gradient(find: Callable[[], Any], count: int, kinds: list[int], shapes: list[Any]) -> Any:
    def gradient(_: object, *dy: Any) -> list[Any]:
        step, graph = find(), _core.building()
        if graph is not None and not all(_is_within(graph, outer) for outer, _ in step.captures):
            graph.set_scratch()  # The graph is read and not run: it has no values of theirs.
        results = iter(step.run([_core.as_tensor(value) for value in dy[:count]]))
        found: list[Any] = [None] * count
        for kind, shape in zip(kinds, shapes, strict=True):
            value = next(results) if kind else None
            found.append(IndexedSlices(value, next(results), shape) if kind == 2 else value)
        return found

    return gradient


def _is_within(graph: Any, tensor: Any) -> bool:
    """Whether a tensor has a value, or is one of a graph or of those around it."""
    if not _core.is_symbolic(tensor):
        return True
    owner = _core.graph_of(tensor)
    while graph is not None and graph is not owner:
        graph = graph.outer
    return graph is not None


class LoadedGradient(NamedTuple):
    """The function of a custom gradient in a file.

    Args:
        function: its name in the library.
        taken: its arguments after the gradients: objects, or names of tensors of the function that
            has the node.
        has_gradients: for each of the node's inputs whether there is a gradient.
    """

    function: str
    taken: Callable[[], list[Any]]
    has_gradients: list[bool]


def of_node(gradients: dict[str, LoadedGradient], node: Any) -> LoadedGradient | None:
    """The custom gradient of a node, if it has one."""
    if node.op != "IdentityN" or ATTRIBUTE not in node.attr:
        return None
    return gradients.get(node.attr[ATTRIBUTE].s.decode())


def names_taken(gradient: LoadedGradient, node: Any) -> list[str]:
    """The names of other nodes whose tensors a gradient captures."""
    names = [text.partition(":")[0] for text in gradient.taken() if isinstance(text, str)]
    return [name for name in names if name != node.name]


def add_node(
    call: Callable[[str, list[Any]], list[Any]],
    gradient: LoadedGradient,
    inputs: list[Any],
    find: Callable[[str], object],
) -> list[_core.Tensor]:
    """Adds identities of a node's inputs with a custom gradient.

    Args:
        call: calls a function of the library.
        gradient: the gradient.
        inputs: the results, then the tensors that they are differentiated by.
        find: returns a tensor of the function that is being built, by its name.

    Raises:
        ValueError: if the function does not return a gradient for each tensor.
    """
    if len(gradient.has_gradients) != len(inputs):
        raise ValueError(
            f"its gradient is for {len(gradient.has_gradients)} tensors, not for {len(inputs)}"
        )
    graph = FuncGraph("custom_gradient")
    with graph.as_default():
        dy = [graph.placeholder(x.dtype, dims_of(x.shape), "dy") for x in inputs]
        taken = [find(item) if isinstance(item, str) else item for item in gradient.taken()]
        found = call(gradient.function, [*dy, *taken])
        if len(found) != sum(gradient.has_gradients):
            raise ValueError(f"its gradient returns {len(found)} tensors")
        graph.finish([graph.capture(value) for value in found])
    kinds = [int(has) for has in gradient.has_gradients]
    return _core.custom_gradient_node(inputs, inputs, [], graph, kinds)
