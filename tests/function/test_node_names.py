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


def _cond(x, inside):
    return tf.cond(x[0] > 0, lambda: inside(x), lambda: x)


def _switch_case(x, inside):
    return tf.switch_case(tf.cast(x[0], tf.int32), [lambda: inside(x), lambda: x])


def _while_loop(x, inside):
    return tf.while_loop(lambda y: y[0] < 3.0, lambda y: [inside(y)], [x])[0]


def _if(x, inside):
    if x[0] > 0:
        x = inside(x)
    return x


def _while(x, inside):
    while x[0] < 3.0:
        x = inside(x)
    return x


@pytest.mark.parametrize(
    ("choice", "node"),
    [
        (_cond, "cond"),
        (_switch_case, "switch_case"),
        (_while_loop, "while"),
        (_if, "cond"),
        (_while, "while"),
    ],
)
def test_names_in_branches_and_loops_begin_with_those_of_their_nodes(choice, node):
    found = []

    def inside(x):
        with tf.name_scope("inner"):
            found.append((tf.get_current_name_scope(), (x * 2.0).name))
        return x + 1.0

    def run(x):
        with tf.name_scope("outer"):
            for _ in range(2):
                choice(x, inside)

    tf.function(run).get_concrete_function(tf.TensorSpec([2]))
    scopes = [f"outer/{name}/inner" for name in (node, f"{node}_1")]
    assert found == [(scope, f"{scope}/mul:0") for scope in scopes]


def _loop(name):
    tf.while_loop(lambda k: k < 3, lambda k: [k + 1], [tf.constant(0)], name=name)


def _choice(name):
    tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2), name=name)


def _choice_of_version_1(name):
    cond = tf.compat.v1.cond
    cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2), name=name)


@pytest.mark.parametrize("in_function", [True, False])
@pytest.mark.parametrize(
    ("add", "kind", "parts"),
    [
        (_loop, "while", {"cond": "cond", "body": "body"}),
        (_choice, "cond", {"then_branch": "true", "else_branch": "false"}),
        (_choice_of_version_1, "cond", {"then_branch": "true", "else_branch": "false"}),
    ],
)
def test_names_of_control_flow_and_its_functions(in_function, add, kind, parts):
    def build():
        add(None)
        add(None)
        with tf.name_scope("inner"):
            add(None)
            add("given")

    if in_function:
        graph = tf.function(build).get_concrete_function().graph
    else:
        graph = tf.Graph()
        with graph.as_default():
            build()
    nodes = [op for op in graph.get_operations() if op.type in ("StatelessIf", "StatelessWhile")]
    assert [op.name for op in nodes] == [kind, f"{kind}_1", f"inner/{kind}", "inner/given"]
    for op in nodes:
        for attribute, part in parts.items():
            name, number = op.get_attr(attribute).name.rsplit("_", 1)
            assert name == f"{op.name}_{part}".replace("/", "_") and number.isdigit()
