"""Assertions on messages of graphs."""

from __future__ import annotations

from typing import Any


def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Checks that two GraphDef messages have the same nodes, in any order.

    Attributes whose names begin with an underscore may differ.

    Args:
        expected: the nodes that there should be.
        actual: those that there are.

    Raises:
        AssertionError: if a node is missing, unexpected or different.
        TypeError: if an argument is not a GraphDef.

    >>> def graph():
    ...     with tf.Graph().as_default() as graph:
    ...         tf.constant(1.0, name="one")
    ...     return graph.as_graph_def()
    >>> tf.test.assert_equal_graph_def(graph(), graph())
    """
    for name, message in (("expected", expected), ("actual", actual)):
        if getattr(getattr(message, "DESCRIPTOR", None), "name", None) != "GraphDef":
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(message).__name__}")
    wanted = {node.name: node for node in expected.node}
    actual_nodes = {node.name: node for node in actual.node}
    for name, node in wanted.items():
        if name not in actual_nodes:
            raise AssertionError(f"Did not find expected node {name!r}, a {node.op}.")
        _compare(node, actual_nodes[name])
    for name, node in actual_nodes.items():
        if name not in wanted:
            raise AssertionError(f"Found unexpected node {name!r}, a {node.op}.")


def _compare(expected: Any, actual: Any) -> None:
    name = expected.name
    for part in ("op", "device"):
        one, other = getattr(expected, part), getattr(actual, part)
        if one != other:
            raise AssertionError(f"Node named {name!r} has {part} {other!r}, expected {one!r}.")
    if list(expected.input) != list(actual.input):
        raise AssertionError(
            f"Node named {name!r} has inputs {list(actual.input)}, expected {list(expected.input)}."
        )
    attributes = {key for node in (expected, actual) for key in node.attr}
    for key in sorted(attributes):
        if key.startswith("_"):
            continue
        if (key in expected.attr) != (key in actual.attr):
            which = "no" if key in expected.attr else "an unexpected"
            raise AssertionError(f"Node named {name!r} has {which} attr {key!r}.")
        if expected.attr[key] != actual.attr[key]:
            raise AssertionError(
                f"Node named {name!r} has attr {key!r} with value: {actual.attr[key]!s} that does "
                f"not match expected: {expected.attr[key]!s}"
            )
