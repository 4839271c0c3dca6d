"""The rules for gradients in files read what the engine's gradients read, and no more.

A gradient's gradient goes back to what the engine's node has of the operation. What a rule reads besides
would be taken for a constant.
"""

import pytest

import eagerflow as tf
from eagerflow.framework import func_graph
from eagerflow.graphdef import gradients
from oracle import exports, in_graphs, registry
from saved_model.gradients import functions


def _traced(run, known="ranks"):
    """The graph of what runs with a package whose constants have unknown sizes, or ranks, too."""
    graph = func_graph.FuncGraph("case")
    with graph.as_default():
        try:
            run(in_graphs.Placeholders(tf, graph, known))
        except Exception:
            return None  # Not every case can be traced so.
    return graph


def _gradients_in(graph):
    return [node for node in graph.nodes if node.differentiated is not None]


def _reads_more(node):
    """The inputs and outputs of an operation that the rule reads, and the engine's gradient does not."""
    forward, wanted, given, operands = node.differentiated
    if operands is not None:
        return []
    own = {tensor.name for tensor in node.inputs}
    graph = func_graph.FuncGraph("rule")
    with graph.as_default():
        x, y, dy = (
            [graph.placeholder(t.dtype, func_graph.dims_of(t.shape), "x") for t in tensors]
            for tensors in (forward.inputs, forward.outputs, forward.outputs)
        )
        operands = [*zip(x, forward.inputs, strict=True), *zip(y, forward.outputs, strict=True)]
        others = [
            (tensor.name, value)
            for value, tensor in operands
            if tensor.name not in own and (value.dtype.is_floating or value.dtype.is_complex)
        ]
        values = [value for _, value in others]
        with tf.GradientTape() as tape:
            tape.watch(values)
            found = gradients.of_operation(forward, wanted, dy, x, y)
        slopes = tape.gradient(found, values) if values else []
    return [name for (name, _), slope in zip(others, slopes, strict=True) if slope is not None]


def _check(graph):
    checked = 0
    for node in _gradients_in(graph):
        if gradients.is_known(node.differentiated[0]):
            assert _reads_more(node) == [], node.differentiated[0].op
            checked += 1
    return checked


@pytest.mark.parametrize("family", exports.FAMILIES)
def test_rules_read_what_the_engine_reads(family):
    for case in registry.load(family).values():
        graph = _traced(case.run)
        if graph is not None:
            _check(graph)


# The others run functions, whose gradients are those of what is in them.
OF_OPERATIONS = [
    name for name in functions(tf) if name not in ("calls", "choices", "loops", "choices in loops")
]


@pytest.mark.parametrize("name", OF_OPERATIONS)
def test_rules_of_common_operations_read_what_the_engine_reads(name):
    def run(package):
        x, n = package.constant([[0.5, 1.0, 2.0]]), package.constant([0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            parts = functions(tf)[name](x, n)
        tape.gradient(parts, x)

    graph = _traced(run)
    assert graph is not None
    # Of products of matrices and functions of one tensor, gradients wait only for unknown ranks.
    assert _check(graph) or _check(_traced(run, "nothing"))
