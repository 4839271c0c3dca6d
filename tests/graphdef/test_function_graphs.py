"""Graphs from messages as programs look at them: loops, what they call, and names."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.graphdef.function_graphs import function_def_to_graph


@tf.function(input_signature=[tf.TensorSpec([None, 3])])
def running_sums(x):
    written = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    total = tf.zeros([3])
    for k in tf.range(tf.shape(x)[0]):
        total = total * 0.5 + x[k]
        written = written.write(k, total)
    return written.stack()


def imported(message):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(message, name="")
    return graph


def loop_of(message):
    return next(node for node in message.node if node.op.endswith("While"))


def constant(message, name):
    tensor = next(node for node in message.node if node.name == name).attr["value"].tensor
    return tf.make_ndarray(tensor).tolist()


def test_loops_begin_with_a_counter_and_a_limit():
    message = running_sums.get_concrete_function().graph.as_graph_def()
    loop = loop_of(message)
    assert [constant(message, name) for name in loop.input[:2]] == [0, -1]
    library = {function.signature.name: function for function in message.library.function}
    for attribute in ("cond", "body"):
        arguments = library[loop.attr[attribute].func.name].signature.input_arg
        assert [a.name for a in arguments[:2]] == ["while_loop_counter", "while_maximum_iterations"]
        assert len(arguments) == len(loop.input)
    # What is read and written again has no second counter.
    again = imported(message).as_graph_def()
    assert len(loop_of(again).input) == len(loop.input)


def test_limited_loops_keep_their_counter():
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def limited(n):
        return tf.while_loop(lambda x: x < n, lambda x: (x + 1,), [0], maximum_iterations=3)[0]

    message = limited.get_concrete_function().graph.as_graph_def()
    again = imported(message).as_graph_def()
    assert len(loop_of(again).input) == len(loop_of(message).input)
    with tf.compat.v1.Session(graph=imported(again)) as session:
        assert session.run("Identity:0", {"n:0": 7}) == 3


def test_results_of_functions_have_names_of_their_own():
    @tf.function(input_signature=[tf.TensorSpec([3])])
    def mapped(x):
        return tf.map_fn(lambda one: one * 2.0, x)

    message = mapped.get_concrete_function().graph.as_graph_def()
    for function in message.library.function:
        signature = function.signature
        names = [a.name for a in (*signature.input_arg, *signature.output_arg)]
        assert len(set(names)) == len(names)
        assert set(function.ret) == {a.name for a in signature.output_arg}


def test_values_are_clipped_by_the_nodes_that_converters_know():
    @tf.function(input_signature=[tf.TensorSpec([3])])
    def clipped(x):
        return tf.clip_by_value(x, -1.0, 1.0)

    message = clipped.get_concrete_function().graph.as_graph_def()
    found = {node.op for node in message.node} - {"Const", "Placeholder", "Identity"}
    assert found == {"Minimum", "Maximum"}
    with tf.compat.v1.Session(graph=imported(message)) as session:
        np.testing.assert_array_equal(session.run("Identity:0", {"x:0": [-2, 0, 2]}), [-1, 0, 1])


def test_names_of_functions_stay():
    graph = running_sums.get_concrete_function().graph
    loop = next(op for op in graph.get_operations() if op.type.endswith("While"))
    assert {loop.get_attr("cond").name, loop.get_attr("body").name} <= set(graph._functions)


def test_operations_of_imported_graphs_are_those_of_the_message():
    @tf.function(input_signature=[tf.TensorSpec([2, 6])])
    def parts(x):
        first, second = tf.split(x, 2, axis=1)
        return tf.reduce_sum(first[:, 1:], axis=0) + second[0, 0]

    message = parts.get_concrete_function().graph.as_graph_def()
    operations = {op.name: op for op in imported(message).get_operations()}
    nodes = {node.name: node for node in message.node}
    assert operations.keys() == nodes.keys()
    for name, node in nodes.items():
        operation = operations[name]
        assert operation.type == node.op
        assert [t.name.removesuffix(":0") for t in operation.inputs] == list(node.input)
        assert list(operation.node_def.input) == list(node.input)
        assert all(output.op == operation for output in operation.outputs)


def test_functions_become_graphs():
    graph = imported(running_sums.get_concrete_function().graph.as_graph_def())
    with graph.as_default():
        found = {k: function_def_to_graph(f.definition) for k, f in graph._functions.items()}
    loop = next(op for op in graph.get_operations() if op.type.endswith("While"))
    body, cond = (found[loop.get_attr(key).name] for key in ("body", "cond"))
    assert body.name == loop.get_attr("body").name
    assert len(body.inputs) == len(body.outputs) == len(loop.inputs)
    assert [tensor.dtype for tensor in cond.outputs] == [tf.bool]
    names = {node.name for node in graph._functions[body.name].definition.node_def}
    assert {op.name for op in body.get_operations() if op.type != "Placeholder"} <= names

    concrete = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([3]))
    known = function_def_to_graph(concrete.function_def, input_shapes=[[None]])
    assert known.inputs[0].shape.as_list() == [None]
    with pytest.raises(ValueError, match="must match the number of inputs 1"):
        function_def_to_graph(concrete.function_def, input_shapes=[])


def test_loaded_functions_have_the_names_of_their_file(tmp_path):
    @tf.function(input_signature=[tf.TensorSpec([2])])
    def inner(x):
        return tf.tanh(x, name="bent")

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def outer(x):
        return inner(x) + inner(x * 2.0)

    module = tf.Module()
    module.f = outer
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    graph = loaded.f.get_concrete_function(tf.TensorSpec([2], name="x")).graph
    names = [op.name for op in graph.get_operations() if op.type == "Tanh"]
    assert len(set(names)) == 2 and all(name.endswith("/bent") for name in names)
    x = tf.constant([0.5, 1.0])
    np.testing.assert_allclose(loaded.f(x), tf.tanh(x) + tf.tanh(2.0 * x), rtol=1e-6)


def test_operations_by_name_take_captures():
    @tf.function
    def f(y):
        return tf.compat.v1.get_default_graph().create_op("Mul", [y, outside]).outputs[0]

    outside = tf.constant([3.0, 4.0])
    np.testing.assert_array_equal(f(tf.constant([1.0, 2.0])), [3, 8])


def test_messages_of_the_backward_pass_of_a_custom_gradient():
    @tf.custom_gradient
    def cubed(x):
        return x**3, lambda dy: dy * 3.0 * x**2

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cubed(x)
        return tape.gradient(y, x)

    graph = gradient.get_concrete_function(tf.TensorSpec([])).graph
    (call,) = [op for op in graph.get_operations() if op.type == "PartitionedCall"]
    message = call.node_def
    assert message.op == "PartitionedCall" and message.attr["f"].func.name
    assert list(message.input) == [tensor.op.name for tensor in call.inputs]
