"""Nodes are named by the functions and operators that add them, as TensorFlow names them."""

import pytest

import eagerflow as tf

NAMES = {
    "Add": lambda x: tf.add(x, x),
    "add": lambda x: x + 1.0,
    "Sub": lambda x: tf.subtract(x, x),
    "sub": lambda x: 1.0 - x,
    "Mul": lambda x: tf.multiply(x, x),
    "mul": lambda x: x * x,
    "truediv": lambda x: x / x,
    "floordiv": lambda x: tf.math.floordiv(x, x),
    "Pow": lambda x: tf.pow(x, x),
    "pow": lambda x: x**2.0,
    "Neg": lambda x: -x,
    "stack": lambda x: tf.stack([x, x]),
    "concat": lambda x: tf.concat([x, x], 0),
    "split": lambda x: tf.split(x, 2)[0],
    "unstack": lambda x: tf.unstack(x)[0],
    "range": lambda x: tf.range(tf.size(x, tf.int64) * tf.cast(x[0], tf.int64)),
    "one_hot": lambda x: tf.one_hot(tf.cast(x, tf.int32), 2),
    "transpose": lambda x: tf.transpose(tf.reshape(x, [1, 2])),
    "div_no_nan": lambda x: tf.math.divide_no_nan(x, x),
    "zeros": lambda x: tf.zeros([tf.cast(x[0], tf.int32)]),
    "clip_by_value": lambda x: tf.clip_by_value(x, 0.0, 1.0),
    "strided_slice": lambda x: x[0],
    "Sum": lambda x: tf.reduce_sum(x),
    "MatMul": lambda x: tf.matmul(x[None], x[:, None]),
    "foo": lambda x: tf.add(x, x, name="foo"),
}


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    found = []

    @tf.function
    def run(x):
        with tf.name_scope("scope"):
            found.append(NAMES[name](x).name)

    run.get_concrete_function(tf.TensorSpec([2]))
    assert found == [f"scope/{name}:0"]


def test_shapes_that_are_known_are_constants():
    def types(sizes):
        shape = tf.function(lambda x: tf.shape(x))
        graph = shape.get_concrete_function(tf.TensorSpec(sizes)).graph
        return [operation.type for operation in graph.get_operations()]

    assert types([2, 3]) == ["Placeholder", "Const", "Identity"]
    assert types([None, 3]) == ["Placeholder", "Shape", "Identity"]
