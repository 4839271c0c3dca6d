"""Functions that call functions."""

import gc
import weakref

import numpy as np
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


ARRAYS = [
    np.ones((2, 3), "f"),
    np.arange(6.0).reshape(2, 3).T,
    np.arange(4)[::2],
    np.array(3, "i4"),
    np.zeros((0, 2), bool),
    np.ones(2, "c8"),
    np.array(["a", "b"]),
    np.arange(3, dtype=">f4"),
    np.ma.masked_array([1.0, 2.0], [0, 1]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}{list(a.shape)}")
@pytest.mark.parametrize("form", ["plain", "signature", "by name", "concrete", "method"])
def test_arrays_are_arguments_of_remembered_graphs(form, array) -> None:
    traces = []

    def double(x):
        traces.append(x)
        return (
            tf.strings.join([x, x])
            if x.dtype == tf.string
            else tf.logical_or(x, x)
            if (x.dtype == tf.bool)
            else x + x
        )

    class Model(tf.Module):
        @tf.function
        def call(self, x):
            return double(x)

    spec = tf.TensorSpec.from_tensor(tf.constant(array))
    function = {
        "plain": lambda: tf.function(double),
        "signature": lambda: tf.function(double, input_signature=[spec]),
        "by name": lambda: (lambda f: lambda x: f(x=x))(tf.function(double)),
        "concrete": lambda: tf.function(double).get_concrete_function(spec),
        "method": lambda: Model().call,
    }[form]()
    expected = double(tf.constant(array))
    traces.clear()
    for value in (array, array.copy(), array):
        found = function(value)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert len(traces) <= 1
    if form == "plain" and type(array) is np.ndarray and array.dtype.isnative:
        assert function._take_calls() == (0 if array.dtype.kind == "U" else 2)  # without Python
    if array.dtype.kind == "f":
        changed = array.copy()
        before = function(changed)
        changed[...] = 7
        np.testing.assert_array_equal(before.numpy(), expected.numpy())
        np.testing.assert_array_equal(function(changed).numpy(), np.full(array.shape, 14.0))


def test_arrays_of_other_dtypes_are_cast_or_traced_anew() -> None:
    declared = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([None], tf.float32)])
    for value in (np.ones(2, "f"), np.ones(3, "f"), np.ones(2), np.ones(2, "i4"), np.ones(2, "f")):
        assert declared(value).dtype == tf.float32
        np.testing.assert_array_equal(declared(value), 2 * np.ones(len(value)))
    free = tf.function(lambda x: x * 2)
    for value in (np.ones(2, "f"), np.ones(2), np.ones(2, "i4"), np.ones((2, 1), "f")):
        assert free(value).dtype == tf.constant(value).dtype
        assert free(tf.constant(value)).shape == value.shape
