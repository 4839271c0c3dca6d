"""Graphs of our functions as GraphDef; tests/oracle runs them in TensorFlow."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.graphdef import exporting, op_defs
from eagerflow.graphdef.freezing import convert_variables_to_constants_v2
from graphdef import programs


def run_again(concrete, arguments):
    """The results of the exported graph, which is imported again."""
    message = exporting.graph_def(concrete.graph, strict=True)
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(message, name=""), [])
    graph = concrete.graph
    names = [[tensor.name for tensor in part] for part in (graph.inputs, graph.outputs)]
    results = wrapped.prune(*names)(*map(tf.constant, arguments))
    return message, tf.nest.flatten(results)


def check_messages(message):
    """Nodes are TensorFlow's operations, with all of their attributes, after their inputs."""
    bodies = [message.node, *(function.node_def for function in message.library.function)]
    for nodes in bodies:
        for node in nodes:
            definition = op_defs.find(node.op)
            assert definition is not None, node.op
            assert definition.attributes.keys() <= node.attr.keys()


def same(results, expected):
    for result, other in zip(results, tf.nest.flatten(expected), strict=True):
        assert result.dtype == other.dtype
        if result.dtype == tf.string:
            assert result.numpy().tolist() == other.numpy().tolist()
        else:
            np.testing.assert_allclose(result.numpy(), other.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_programs_compute_the_same_after_export(name):
    make, arguments = programs.PROGRAMS[name]
    concrete = tf.function(make(tf)).get_concrete_function(*programs.specs(tf, arguments))
    message, results = run_again(concrete, arguments)
    check_messages(message)
    same(results, concrete(*map(tf.constant, arguments)))


@pytest.mark.parametrize("name", programs.MODELS)
def test_models_compute_the_same_when_they_are_frozen(name):
    model, x = programs.MODELS[name](tf.keras)
    spec = tf.TensorSpec([None, *x.shape[1:]], x.dtype)
    concrete = tf.function(lambda x: model(x, training=False)).get_concrete_function(spec)
    frozen = convert_variables_to_constants_v2(concrete)
    assert not frozen.graph.variables
    message, results = run_again(frozen, [x])
    check_messages(message)
    same(results, concrete(tf.constant(x)))


def test_what_calls_python_is_refused_with_its_place():
    def f(x):
        return tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0])[0]

    concrete = tf.function(f).get_concrete_function(tf.TensorSpec([1, 6, 6, 1]))
    with pytest.raises(tf.errors.UnimplementedError, match="calls Python.*test_export.py.*in f"):
        exporting.graph_def(concrete.graph, strict=True)
    assert concrete.graph.as_graph_def().node[-1].op == "Identity"


def test_effects_stay_in_their_order():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        before = v.read_value()
        v.assign_add(x)
        between = v.read_value()
        v.assign(between * 2.0)
        return before, v.read_value()

    message = f.get_concrete_function(tf.TensorSpec([])).function_def
    nodes = {node.name: node for node in message.node_def}
    reads = [node for node in message.node_def if node.op == "ReadVariableOp"]
    add = next(node for node in message.node_def if node.op == "AssignAddVariableOp")
    last = next(node for node in message.node_def if node.op == "AssignVariableOp")
    assert f"^{reads[0].name}" in add.input
    assert f"^{add.name}" in reads[1].input
    assert f"^{reads[1].name}" in last.input
    assert f"^{last.name}" in reads[2].input
    assert list(message.control_ret.values()) == [last.name] and message.signature.is_stateful
    assert len(nodes) == len(message.node_def)


def test_loops_with_a_limit_count():
    @tf.function
    def f(x):
        return tf.while_loop(lambda x: x < 100.0, lambda x: [x * 2.0], [x], maximum_iterations=3)

    concrete = f.get_concrete_function(tf.TensorSpec([]))
    for start in (1.0, 60.0):
        same(run_again(concrete, [start])[1], concrete(tf.constant(start)))


def test_sizes_that_are_computed_are_inputs():
    @tf.function
    def f(x):
        rows, columns = tf.shape(x)[0], tf.shape(x)[1]
        return (
            tf.reshape(x, [columns, rows]), tf.zeros([rows, 2]), tf.eye(rows, columns),
            x[:, rows - 1 :], tf.reduce_sum(x, columns - 2), tf.tile(x, [1, rows]),
        )  # fmt: skip

    concrete = f.get_concrete_function(tf.TensorSpec([None, None]))
    x = np.arange(6, dtype="f").reshape(2, 3)
    message, results = run_again(concrete, [x])
    check_messages(message)
    same(results, concrete(tf.constant(x)))


def test_draws_with_a_seed_keep_it():
    @tf.function
    def f():
        return tf.random.uniform([3], seed=5), tf.random.stateless_normal([2], [1, 2])

    concrete = f.get_concrete_function()
    message = exporting.graph_def(concrete.graph, strict=True)
    check_messages(message)
    draw = next(node for node in message.node if node.op == "RandomUniform")
    assert (draw.attr["seed"].i, draw.attr["seed2"].i) == tf.compat.v1.get_seed(5)
    same(run_again(concrete, [])[1][1:], concrete()[1])


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("size", [None, 7])
def test_depthwise_convolutions_with_gaps_of_any_batch(padding, size):
    kernel = tf.random.stateless_normal([3, 3, 2, 2], [1, 2])
    spec = tf.TensorSpec([None, size, size, 2])

    @tf.function(input_signature=[spec])
    def convolved(x):
        return tf.nn.depthwise_conv2d(x, kernel, [1] * 4, padding, dilations=[2, 2])

    x = tf.random.stateless_normal([3, 7, 7, 2], [3, 4])
    message, results = run_again(convolved.get_concrete_function(), [x])
    check_messages(message)
    same(results, convolved(x))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "float16", "bfloat16", "complex64"])
@pytest.mark.parametrize("name", ["diag", "diag_part", "set_diag"])
def test_diagonals_of_all_dtypes_are_exported(name, dtype):
    matrix = tf.cast([[1, 0], [1, 1]], dtype)
    arguments = {
        "diag": [matrix[0]],
        "diag_part": [matrix],
        "set_diag": [matrix, matrix[0]],
    }[name]
    function = tf.function(getattr(tf.linalg, name))
    _, (result,) = run_again(function.get_concrete_function(*arguments), arguments)
    assert result.dtype.name == dtype
    np.testing.assert_array_equal(result, function(*arguments))
