"""Custom gradients in the messages of a graph, which converters look up in the registry."""

import gc

import pytest

import eagerflow as tf
from eagerflow.framework import registered_gradients


def traced(kind):
    scale = tf.Variable(2.0)

    def dense(x):
        e = tf.exp(x)
        return e + 1.0, lambda dy: dy * e * 10.0

    def pair(x, y):
        return (x * y, x + y), lambda a, b: (a * y, None)

    def rows(x):
        whole = tf.constant([0, 2])
        return tf.gather(x, whole), lambda dy: tf.IndexedSlices(dy, whole, tf.shape(x))

    def weighted(x):
        def grad(dy, variables=None):
            return dy * scale, [tf.reduce_sum(dy * x)]

        return x * scale, grad

    functions = {"dense": dense, "pair": pair, "rows": rows, "weighted": weighted}
    function = tf.function(tf.custom_gradient(functions[kind]))
    function.kept = scale
    specs = [tf.TensorSpec([3], name="x"), tf.TensorSpec([3], name="y")]
    return function, function.get_concrete_function(*specs[: 2 if kind == "pair" else 1])


def found(graph):
    """The operation with the custom gradient, its message, and its gradient."""
    (operation,) = [op for op in graph.get_operations() if op.type == "IdentityN"]
    (message,) = [node for node in graph.as_graph_def().node if node.op == "IdentityN"]
    name = operation.get_attr("_gradient_op_type").decode()
    assert message.attr["_gradient_op_type"].s.decode() == name
    return operation, message, registered_gradients.find(name)


@pytest.mark.parametrize("kind", ["dense", "pair", "rows", "weighted"])
def test_a_message_names_the_gradient_of_what_it_reads(kind):
    function, concrete = traced(kind)
    operation, message, gradient = found(concrete.graph)
    count = 2 if kind == "pair" else 1
    sources = {"pair": 2, "weighted": 2}.get(kind, 1)
    assert len(operation.inputs) == len(message.input) == count + sources

    @tf.function
    def backward(*dy):
        return gradient(None, *dy)

    specs = [tf.TensorSpec.from_tensor(tensor) for tensor in operation.inputs]
    assert all(spec.name for spec in specs)
    read = backward.get_concrete_function(*specs)
    results = read.structured_outputs
    assert [result is None for result in results] == [True] * count + {
        "pair": [False, True], "weighted": [False, False],
    }.get(kind, [False])  # fmt: skip
    assert isinstance(results[count], tf.IndexedSlices) == (kind == "rows")
    outer = [t for t in read.captured_inputs if t.dtype != tf.resource]
    assert {t.name.rpartition(":")[0] for t in outer} <= {
        node.name for node in concrete.graph.as_graph_def().node
    }


def test_functions_of_a_graph_have_theirs():
    inner, _ = traced("dense")

    @tf.function
    def outer(x):
        return inner(x) * 2.0

    graph = outer.get_concrete_function(tf.TensorSpec([3])).graph
    (definition,) = graph._functions.values()
    operation, _, gradient = found(definition.graph)
    (node,) = [node for node in definition.definition.node_def if node.op == "IdentityN"]
    assert node.name == operation.name and node.attr["_gradient_op_type"].s
    assert callable(gradient)


def test_the_registry_does_not_keep_the_graph():
    function, concrete = traced("dense")
    operation, _, _ = found(concrete.graph)
    name = operation.get_attr("_gradient_op_type").decode()
    del function, concrete, operation
    gc.collect()
    with pytest.raises(LookupError, match="no entry"):
        registered_gradients.find(name)


def test_results_are_named_as_no_node_is():
    @tf.function
    def inner(x):
        return tf.add(x, 1.0, name="sum"), tf.identity(x, name="other")

    @tf.function
    def outer(x):
        return inner(x)[0] * 2.0

    graph = outer.get_concrete_function(tf.TensorSpec([])).graph
    (definition,) = [f.definition for f in graph._functions.values()]
    names = [node.name for node in definition.node_def]
    results = [argument.name for argument in definition.signature.output_arg]
    assert "sum" in names and not set(results) & set(names) and len(set(results)) == len(results)
