"""Custom gradients of functions in files.

A function has an `IdentityN` node with the results, and with the arguments and the variables that they are
differentiated by. The gradient function takes a gradient for each of these inputs, and captured tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.framework.func_graph import FuncGraph, dims_of

# The attribute of nodes with a custom gradient.
ATTRIBUTE = "_gradient_op_type"


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
