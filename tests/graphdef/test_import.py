"""Graphs that TensorFlow wrote, run here."""

from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.protos.graph import MESSAGES
from graphdef import programs

FILES = Path(__file__).parent / "files"


def frozen(message, inputs, outputs):
    """A function of a GraphDef."""
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(message, name=""), [])
    return wrapped.prune(inputs, outputs)


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_graph_gives_tensorflows_values(name):
    _, arguments = programs.PROGRAMS[name]
    recorded = np.load(FILES / f"{name}.npz", allow_pickle=True)
    function = frozen(
        (FILES / f"{name}.pb").read_bytes(),
        recorded["inputs"].tolist(),
        recorded["outputs"].tolist(),
    )
    results = tf.nest.flatten(function(*map(tf.constant, arguments)))
    for k, result in enumerate(results):
        expected = recorded[f"result{k}"]
        if expected.dtype == object:
            assert result.numpy().tolist() == expected.tolist()
        else:
            assert result.dtype.as_numpy_dtype == expected.dtype
            np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5, atol=1e-5)
    assert k + 1 == len(recorded["outputs"])


def graph_def(*nodes, functions=()):
    """A GraphDef of (name, operation, inputs, attributes)."""
    message = MESSAGES["GraphDef"]()
    for node in nodes:
        add_node(message.node, *node)
    message.library.function.extend(functions)
    return message


def add_node(nodes, name, op, inputs=(), **attrs):
    node = nodes.add(name=name, op=op, input=inputs)
    for key, (field, value) in attrs.items():
        setattr(node.attr[key], field, value)
    return node


def function_def(name, *nodes, result):
    """A FunctionDef of one float argument `x`."""
    message = MESSAGES["FunctionDef"]()
    message.signature.name = name
    message.signature.input_arg.add(name="x", type=1)
    message.signature.output_arg.add(name="y", type=1)
    for node in nodes:
        made = add_node(message.node_def, *node)
        if made.op == "PartitionedCall":
            made.attr["Tin"].list.type.append(1)
            made.attr["Tout"].list.type.append(1)
            made.attr["f"].func.name = name
    message.ret["y"] = result
    return message


def test_elements_and_names():
    message = graph_def(
        ("x", "Placeholder"), ("part/y", "Neg", ["x"]), ("last", "Abs", ["part/y:0", "^x"])
    )
    message.node[0].attr["dtype"].type = 1

    @tf.function
    def call(x):
        y, operation = tf.import_graph_def(message, {"x": x}, ["last:0", "part/y"])
        assert operation.type == "Neg" and operation.name == "import/part/y"
        graph = y.graph
        assert graph.get_tensor_by_name("import/part/y:0").op == operation
        return y

    assert float(call(tf.constant(-3.0))) == 3.0


def test_nodes_may_stand_in_any_order():
    message = graph_def(("last", "Abs", ["y"]), ("y", "Neg", ["x"]), ("x", "Placeholder"))
    message.node[2].attr["dtype"].type = 1
    assert float(frozen(message, ["x:0"], "last:0")(tf.constant(2.0))) == 2.0


def test_gradients_flow_through_imported_graphs():
    message = graph_def(("x", "Placeholder"), ("y", "Square", ["x"]))
    message.node[0].attr["dtype"].type = 1
    function = frozen(message, ["x:0"], "y:0")
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert float(tape.gradient(y, x)) == 6.0


def test_unknown_operations_are_refused_by_name_when_they_are_needed():
    message = graph_def(("x", "NoOp"), ("y", "NoSuchOp"), ("z", "Abs", ["y"]))
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(message, name=""), [])
    with pytest.raises(tf.errors.UnimplementedError, match="'NoSuchOp' in node 'y'"):
        wrapped.prune([], "z:0")


def refuses(message, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        frozen(message, [], [])


def test_hostile_graphs_give_one_error():
    refuses(b"\xff\xff\xff", "no GraphDef")
    refuses(graph_def(("a", "Abs", ["b"]), ("b", "Abs", ["a"])), "depends on itself")
    refuses(graph_def(("a", "Abs", ["a"])), "depends on itself")
    refuses(graph_def(("a", "Abs", ["b"])), "no node 'b'|no input 'b'")
    refuses(graph_def(("a", "NoOp"), ("b", "Abs", ["a:7"])), "no input 'a:7'")
    refuses(graph_def(("a", "Abs")), "cannot be built")
    refuses(graph_def(("a", "Const")), "cannot be built")
    huge = graph_def(("a", "Const"))
    huge.node[0].attr["value"].tensor.dtype = 1
    huge.node[0].attr["value"].tensor.tensor_shape.dim.add(size=1 << 60)
    refuses(huge, "cannot be built")
    many = graph_def(("a", "Pack"))
    many.node[0].attr["N"].i = 1 << 60
    refuses(many, "cannot be built")


def calling(function):
    """A graph that calls a function with a constant."""
    message = graph_def(("c", "Const"), ("call", "PartitionedCall", ["c"]), functions=function)
    message.node[0].attr["value"].tensor.dtype = 1
    message.node[0].attr["value"].tensor.float_val.append(1.0)
    message.node[0].attr["dtype"].type = 1
    message.node[1].attr["Tin"].list.type.append(1)
    message.node[1].attr["Tout"].list.type.append(1)
    message.node[1].attr["f"].func.name = function[0].signature.name
    return message


def test_functions_that_call_themselves_are_refused():
    twice = ("a", "PartitionedCall", ["x"]), ("b", "PartitionedCall", ["a:output:0"])
    refuses(calling([function_def("f", *twice, result="b:output:0")]), "calls itself")


def test_functions_that_multiply_are_refused():
    chain = []
    for k in range(40):
        calls = [(f"n{i}", "PartitionedCall", ["x"]) for i in range(4)]
        message = function_def(f"f{k}", *calls, ("s", "AddN"), result="s:sum:0")
        for node in message.node_def[:4]:
            node.attr["f"].func.name = f"f{k + 1}"
        message.node_def[4].input.extend(f"n{i}:output:0" for i in range(4))
        message.node_def[4].attr["N"].i = 4
        chain.append(message)
    chain.append(function_def("f40", ("a", "Abs", ["x"]), result="a:y:0"))
    refuses(calling(chain), "call each other too often")
