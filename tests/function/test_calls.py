"""Functions that call functions."""

import gc
import weakref

import pytest

import eagerflow as tf
from eagerflow.functions.function import function


def test_calls_are_nodes():
    traces = []

    @function
    def inner(x):
        traces.append("inner")
        return x * 2.0

    @function
    def outer(x):
        traces.append("outer")
        return inner(x) + inner(x + 1.0)

    assert float(outer(tf.constant(1.0))) == 6.0
    assert traces == ["outer", "inner"]
    types = [op.type for op in outer.get_concrete_function(tf.constant(1.0)).graph.get_operations()]
    assert types.count("PartitionedCall") == 2


def test_calls_know_more_than_a_general_trace():
    @function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def inner(x):
        return tf.reshape(x, [-1, 3]), x[0], tf.concat([tf.shape(x), [1]], 0)

    @function
    def pair(x, y):
        return tf.stack([x, y])

    shapes = []

    @function
    def outer():
        rows, first, sizes = inner(tf.zeros([10, 10, 3]))
        square = tf.zeros(pair(2, tf.constant(3)))
        shapes.extend(
            tuple(x.shape) for x in (rows, first, tf.reshape(tf.zeros([300]), sizes), square)
        )
        return rows

    assert outer().shape == [100, 3]
    assert shapes == [(100, 3), (10, 3), (10, 10, 3, 1), (2, 3)]


def test_inner_functions_capture_tensors_of_the_outer():
    @function
    def outer(x):
        @function
        def inner(y):
            return x * y

        return inner(tf.constant(3.0)) + inner(x)

    assert float(outer(tf.constant(2.0))) == 10.0
    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        y = outer(x)
    assert float(tape.gradient(y, x)) == 7.0


def test_effects_of_calls_keep_their_order():
    v = tf.Variable(1.0)

    @function
    def double():
        v.assign(v * 2.0)

    @function
    def outer():
        before = v + 0.0
        double()
        between = v + 0.0
        double()
        return before, between, v + 0.0

    assert [float(x) for x in outer()] == [1.0, 2.0, 4.0]
    assert float(v) == 4.0


def test_errors_of_python_pass():
    @function
    def inner(x):
        raise KeyError("k")

    @function
    def outer(x):
        return inner(x)

    with pytest.raises(KeyError):
        outer(tf.constant(1))


def test_graphs_are_freed_with_their_functions():
    graphs = []

    def program():
        @function
        def inner(x):
            return x * 2.0

        @function
        def outer(x):
            if x > 0.0:
                return inner(x)
            return inner(-x)

        assert float(outer(tf.constant(-2.0))) == 4.0
        for concrete in (
            *outer._list_all_concrete_functions(),
            *inner._list_all_concrete_functions(),
        ):
            graphs.append(weakref.ref(concrete.graph))

    program()
    gc.collect()
    assert [graph() for graph in graphs] == [None, None]


def test_variables_of_inner_graphs_are_known_and_watched():
    v = tf.Variable(3.0)

    @function
    def inner(x):
        return v * x

    @function
    def outer(x):
        return inner(x) if x > 0.0 else x

    concrete = outer.get_concrete_function(tf.TensorSpec([]))
    assert [id(found) for found in concrete.variables] == [id(v)]
    with tf.GradientTape() as tape:
        y = outer(tf.constant(2.0))
    assert float(tape.gradient(y, v)) == 2.0


def _plain(f, x):
    return f(x)


def _nested(f, x):
    return tf.function(lambda y: f(y))(x)


@pytest.mark.parametrize("call", [_plain, _nested])
def test_handles_of_variables_are_returned(call):
    v = tf.Variable([2.0])

    @tf.function
    def f(x):
        return {"x": x * v, "handle": v.handle, "list": [v.handle]}

    x = tf.constant(3.0)
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as forward:
        tape.watch(x)
        found = call(f, x)
    assert found["handle"] == v.handle and found["list"] == [v.handle]
    assert float(tape.gradient(found["x"], x)) == float(forward.jvp(found["x"])[0]) == 2.0
    assert tf.raw_ops.ReadVariableOp(resource=found["handle"], dtype=tf.float32).numpy() == [2.0]
