"""What the graphs of programs consist of, and what of them a session runs."""

import numpy as np
import pytest

import eagerflow as tf2
from eagerflow import _core
from eagerflow.framework import context

tf = tf2.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def kinds(graph):
    return {operation.type for operation in graph.get_operations()}


def test_graphs_consist_of_operations(graph):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 2])
    y = tf.nn.softmax(tf.nn.relu(tf.matmul(x, w) + 1.0) * 2.0 - tf.reduce_mean(x))
    loss = tf.reduce_mean(tf.square(y))
    gradient = tf.gradients(loss, [w])[0]
    step = w.assign_sub(0.1 * gradient)
    values = run([loss, gradient, step], {x: np.ones((2, 3))})
    assert values[1].shape == (3, 2)
    assert {"MatMul", "Relu", "Softmax", "Mean", "AssignSubVariableOp"} < kinds(graph)


def test_composed_functions_become_rows_of_operations(graph):
    x = tf.placeholder(tf.float32, [None, 3])
    labels = tf.placeholder(tf.float32, [None, 3])
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x)
    mean, variance = tf.nn.moments(x, [0])
    feeds = {x: [[1.0, 2, 3], [3, 2, 1]], labels: np.eye(3)[:2]}
    values = run([loss, mean, variance], feeds)
    np.testing.assert_allclose(values[1], [2, 2, 2])
    np.testing.assert_allclose(values[2], [1, 0, 1])
    assert not any("cross_entropy" in kind or kind == "moments" for kind in kinds(graph))


def test_attributes_follow_sizes(graph):
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.reshape(x, [tf.shape(x)[0] * 2])
    assert run(y, {x: [[1.0, 2], [3, 4], [5, 6]]}).tolist() == [1, 2, 3, 4, 5, 6]


def test_random_operations_give_new_numbers_in_every_run(graph):
    x = tf.placeholder(tf.float32, [4])
    noise = tf.random_normal([4])
    y = tf.nn.dropout(x + noise, keep_prob=0.5)
    with tf.Session() as session:
        first, second = (session.run([noise, y], {x: np.ones(4)}) for _ in range(2))
    assert not np.array_equal(first[0], second[0])


def test_custom_gradients_are_kept(graph):
    @tf2.custom_gradient
    def odd(x):
        return x * 1.0, lambda dy: dy * 100.0

    x = tf.placeholder(tf.float32, [2])
    (gradient,) = tf.gradients(odd(x) * 2.0, x)
    with tf.Session() as session:
        assert session.run(gradient, {x: [1.0, 2.0]}).tolist() == [200, 200]


def test_eager_variables_are_read_in_every_run(graph):
    x = tf.placeholder(tf.float32, [])
    with context.running_eagerly():
        held = tf2.Variable(2.0)

    y = x * held
    with tf.Session() as session:
        assert session.run(y, {x: 3.0}) == 6
        with context.running_eagerly():
            held.assign(5.0)
        assert session.run(y, {x: 3.0}) == 15


def test_a_fed_constant_reaches_what_was_made_from_it(graph):
    size = tf.constant(3)
    filled = tf.fill([size], 1.0)
    with tf.Session() as session:
        assert session.run(filled).shape == (3,)
        assert session.run(filled, {size: 5}).shape == (5,)


def test_choices_run_only_their_branch(graph):
    ran = []

    def noted(value, name):
        ran.append(name)
        return value

    x = tf.placeholder(tf.float32, [])
    y = tf.cond(
        x > 0,
        lambda: tf.py_func(lambda v: noted(v, "yes"), [x], tf.float32) * 2.0,
        lambda: tf.py_func(lambda v: noted(v, "no"), [x], tf.float32) * 3.0,
    )
    z = y + 1.0
    with tf.Session() as session:
        assert session.run(z, {x: 2.0}) == 5
        assert session.run([z, y], {x: -2.0}) == [-5, -6]
    assert ran == ["yes", "no"]


def test_gradients_pass_choices(graph):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0, lambda: x * x, lambda: tf.cond(x < -5, lambda: x * 7.0, lambda: x * 3.0))
    (gradient,) = tf.gradients(y, x)
    with tf.Session() as session:
        assert [session.run(gradient, {x: v}) for v in (4.0, -1.0, -9.0)] == [8, 3, 7]


def test_gradients_with_constants_and_weights(graph):
    x = tf.placeholder(tf.float32, [2])
    y = x * x
    z = y * x
    (gradient,) = tf.gradients(z, x, stop_gradients=[y])
    (weighted,) = tf.gradients([z, y], x, grad_ys=[[1.0, 2.0], None])
    with tf.Session() as session:
        found = session.run([gradient, weighted], {x: [2.0, 3.0]})
    assert found[0].tolist() == [4, 9]
    assert found[1].tolist() == [12 + 4, 54 + 6]


def test_sparse_gradients_are_slices(graph):
    table = tf.get_variable("table", [5, 2], initializer=tf.zeros_initializer())
    rows = tf.gather(table, [1, 1, 3])
    (gradient,) = tf.gradients(tf.reduce_sum(rows), table)
    doubled = tf.convert_to_tensor(gradient) * 2.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        value = session.run(gradient)
        assert value.indices.tolist() == [1, 1, 3]
        assert session.run(doubled)[1].tolist() == [4, 4]


def test_plans_hold_what_is_needed(graph):
    x = tf.placeholder(tf.float32, [])
    y = x * 2.0
    z = y + 1.0
    del z
    plan = _core.SessionPlan(graph, [y], [], [x])
    assert len(plan) == 1


def test_values_are_dropped_after_their_last_use(graph):
    x = tf.placeholder(tf.float32, [1 << 20])
    y = x
    for _ in range(20):
        y = tf.sin(y)
    total = tf.reduce_sum(y)
    with tf.Session() as session:
        value = np.ones(1 << 20, np.float32)
        session.run(total, {x: value})
        _core.reset_peak_memory()
        before = _core.memory_stats()["current"]
        session.run(total, {x: value})
        assert _core.memory_stats()["peak"] - before < 5 * value.nbytes


def test_everything_that_is_called_is_added(graph):
    table = tf2.lookup.StaticHashTable(
        tf2.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1
    )
    total = tf2.reduce_sum(tf2.constant([1.0, 2.0]))
    variable = tf2.Variable(tf2.ones([2]))

    @tf2.function
    def doubled(x):
        return x * 2.0 + tf2.reduce_sum(variable)

    x = tf.placeholder(tf.float32, [2])
    with tf2.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    fetches = [table.lookup(tf2.constant(["b", "c"])), total, doubled(x), tape.gradient(y, x)]
    found = run(fetches, {x: [1.0, 2.0]})
    assert [np.ravel(value).tolist() for value in found] == [[2, -1], [3], [4, 6], [2, 4]]
    dataset = tf2.data.Dataset.range(3).map(lambda x: x * 2).batch(3)
    assert run(tf.data.make_one_shot_iterator(dataset).get_next()).tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: tf.stack([[1, 4], [2, 5]]), [[1, 4], [2, 5]]),
        (lambda: tf.stack((1.0, 2.0), name="both"), [1.0, 2.0]),
        (lambda: tf.compat.v1.parallel_stack([[1], [2]]), [[1], [2]]),
        (lambda: tf.convert_to_tensor([1]), [1]),
        (lambda: tf.compat.v1.convert_to_tensor([1], preferred_dtype=tf.int64), [1]),
        (lambda: tf.compat.v1.convert_to_tensor(np.ones(2)), [1.0, 1.0]),
    ],
)
def test_constants_are_nodes(make, expected):
    with tf.Graph().as_default() as graph, tf.compat.v1.Session():
        value = make()
        assert value.graph is graph and value.op in graph.get_operations()
        assert value.eval().tolist() == expected


def test_operations_are_in_groups_with_those_they_are_colocated_with():
    with tf.device("/cpu:0"):
        a = tf.constant(1.0, name="a")
    w = tf.get_variable("w", initializer=1.0)
    with tf.colocate_with(a):
        b = tf.constant(2.0, name="b")
        with tf.colocate_with(w):
            both = tf.constant(3.0, name="both")
            assert both.op.colocation_groups() == [b"loc:@a", b"loc:@w"]
        with tf.colocate_with(w, ignore_existing=True):
            one = tf.constant(3.0, name="one")
        with tf.colocate_with(None, ignore_existing=True):
            alone = tf.constant(3.0, name="alone")
    later = tf.constant(4.0, name="later")
    assert b.op.colocation_groups() == b.op.get_attr("_class") == [b"loc:@a"]
    assert b.op.device == "/device:CPU:0"
    assert both.op.colocation_groups() == [b"loc:@a", b"loc:@w"]
    assert one.op.colocation_groups() == [b"loc:@w"]
    for tensor in (a, alone, later):
        assert tensor.op.colocation_groups() == [b"loc:@" + tensor.op.name.encode()]


def _attribute(**fields):
    return tf.compat.v1.AttrValue(**fields)


def test_operations_by_name():
    graph = tf.Graph()
    with graph.as_default():
        x = tf.constant([1.0, 2.0], name="x")
        with tf.name_scope("inner"):
            squares = graph.create_op("Mul", [x, x], name="squares")
            whole = graph.create_op("Mul", [x, x], name="whole/")
        again = graph.create_op("Mul", [x, x], [tf.float32], name="inner/squares")
        nothing = graph.create_op("NoOp", [], name="nothing")
        total = graph.create_op(
            "Sum", [x, tf.constant([0])], attrs={"keep_dims": _attribute(b=True)}
        ).outputs[0]
        names = [op.name for op in (squares, whole, again, nothing)]
        assert names == ["inner/squares", "whole", "inner/squares_1", "nothing"]
        assert nothing.type == "NoOp" and list(squares.inputs) == [x, x]
        with tf.compat.v1.Session() as session:
            np.testing.assert_array_equal(session.run(squares.outputs[0]), [1, 4])
            np.testing.assert_array_equal(session.run(total), [3])


@pytest.mark.parametrize(
    ("error", "name", "inputs", "attrs"),
    [
        (RuntimeError, "Mull", (2.0, 2.0), {}),
        (ValueError, "Mul", (2.0, 2.0), {"T": _attribute(type=3)}),
        (TypeError, "Mul", (2.0, None), {}),
    ],
)
def test_operations_by_name_that_do_not_fit(error, name, inputs, attrs):
    graph = tf.Graph()
    with graph.as_default():
        tensors = [3 if value is None else tf.constant(value) for value in inputs]
        with pytest.raises(error, match=name):
            graph.create_op(name, tensors, attrs=attrs)
