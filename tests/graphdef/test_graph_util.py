"""tf.graph_util and tf.compat.v1.graph_util, and graphs of version 1 as messages."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1


def linear():
    """Version 1's graph of a line, with an update beside it."""
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("w", initializer=[[1.0], [2.0]])
        y = tf.identity(tf.matmul(x, w), name="y")
        with v1.control_dependencies([y]):
            v1.assign_add(w, [[1.0], [1.0]], name="update")
    return graph


def test_graphs_of_version_1_keep_their_nodes_and_orders():
    nodes = {node.name: node for node in linear().as_graph_def().node}
    assert nodes["w"].op == "VarHandleOp"
    assert nodes["w"].attr["shared_name"].s == b"w"
    assert nodes["x"].op == "Placeholder"
    assert [size.size for size in nodes["x"].attr["shape"].shape.dim] == [-1, 2]
    assert not any(text.startswith("^") for text in nodes["y"].input)
    update = next(node for node in nodes.values() if node.op == "AssignAddVariableOp")
    assert any("^y" in nodes[name].input for name in update.input)


def test_variables_become_constants():
    graph = linear()
    with v1.Session(graph=graph) as session:
        with graph.as_default():
            session.run(v1.global_variables_initializer())
        frozen = v1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
    assert {node.op for node in frozen.node} == {"Placeholder", "Const", "Identity", "MatMul"}
    with tf.Graph().as_default():
        (y,) = tf.graph_util.import_graph_def(frozen, return_elements=["y:0"], name="part")
        assert y.name == "part/y:0"
        with v1.Session() as session:
            assert session.run(y, {"part/x:0": [[1.0, 2.0]]}).tolist() == [[5.0]]


def test_parts_of_graphs():
    message = linear().as_graph_def()
    part = v1.graph_util.extract_sub_graph(message, ["y"])
    names = [node.name for node in part.node]
    assert "y" in names and not any("pdate" in name for name in names)
    with pytest.raises(AssertionError, match="nowhere is not in graph"):
        v1.graph_util.extract_sub_graph(message, ["nowhere"])
    with pytest.raises(TypeError, match="iterable of strings"):
        v1.graph_util.extract_sub_graph(message, "y")


def test_identities_are_removed():
    @tf.function
    def f(x):
        return tf.add(tf.identity(tf.identity(x)), 1.0, name="sum")

    message = f.get_concrete_function(tf.TensorSpec([])).graph.as_graph_def()
    part = v1.graph_util.remove_training_nodes(message, ["Identity_2"])
    nodes = {node.name: node for node in part.node}
    assert nodes["sum"].input[0] == "x"
    assert [node.op for node in part.node].count("Identity") == 1


def test_imported_graphs_run_in_sessions():
    @tf.function
    def f(x):
        total = x
        while tf.reduce_sum(total) < 10.0:
            total = total * 2.0
        return total

    concrete = f.get_concrete_function(tf.TensorSpec([2]))
    message = concrete.graph.as_graph_def()
    with tf.Graph().as_default():
        fed = v1.placeholder(tf.float32, [2])
        (y,) = tf.import_graph_def(message, {"x:0": fed}, [concrete.outputs[0].name], name="")
        with v1.Session() as session:
            result = session.run(y, {fed: [1.0, 2.0]})
    np.testing.assert_array_equal(result, f(tf.constant([1.0, 2.0])))


def frozen_values(build, feeds=None):
    """What a graph of version 1 gives with its variables, and frozen, and the frozen message."""
    graph = tf.Graph()
    with graph.as_default():
        output = tf.identity(build(), name="output")
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            expected = session.run(output, feeds)
            frozen = v1.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), ["output"]
            )
    with tf.Graph().as_default():
        (output,) = tf.graph_util.import_graph_def(frozen, return_elements=["output:0"], name="")
        with v1.Session() as session:
            return expected, session.run(output, feeds), frozen


def test_variables_of_branches_become_constants():
    def build():
        x = v1.placeholder(tf.float32, [2], name="x")
        scale = v1.get_variable("scale", initializer=[2.0, 3.0])
        rows = v1.get_variable("rows", initializer=[[1.0, 2.0], [3.0, 4.0]])

        def inner():
            return tf.cond(x[1] > 0, lambda: x * scale, lambda: x + tf.gather(rows, 1))

        return tf.cond(x[0] > 0, inner, lambda: x - scale)

    for fed in ([1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]):
        expected, actual, frozen = frozen_values(build, {"x:0": fed})
        np.testing.assert_array_equal(actual, expected)
        ops = {node.op for node in frozen.node}
        ops |= {node.op for function in frozen.library.function for node in function.node_def}
        assert not ops & {"VarHandleOp", "ReadVariableOp", "ResourceGather"}


def test_variables_of_loops_become_constants():
    def build():
        step = v1.get_variable("step", initializer=3.0)
        limit = v1.get_variable("limit", initializer=10.0)
        return tf.while_loop(lambda v: v < limit, lambda v: [v + step], [tf.constant(0.0)])

    expected, actual, _ = frozen_values(build)
    assert expected == actual == 12.0


def test_variables_that_branches_change_stay():
    def build():
        count = v1.get_variable("count", initializer=1.0)
        return tf.cond(tf.constant(True), lambda: count.assign_add(1.0), lambda: 0.0)

    with pytest.raises(ValueError, match="'count' cannot become a constant.*blacklist"):
        frozen_values(build)
