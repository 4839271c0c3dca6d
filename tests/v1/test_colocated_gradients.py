"""The groups of gradients' operations with `colocate_gradients_with_ops`, as TensorFlow 2.21 has them."""

from __future__ import annotations

import pytest

import eagerflow as tf

v1 = tf.compat.v1


def placeholder(name, shape=(), dtype=tf.float32):
    return v1.placeholder(dtype, shape, name=name)


def product():
    x, w = placeholder("x", [2, 3]), placeholder("w", [3, 2])
    return tf.reduce_sum(tf.matmul(x, w, name="m") * 2.0, name="s"), [x, w]


def used_twice():
    x = placeholder("x", [2])
    return tf.add(tf.square(x, name="sq"), tf.exp(x, name="ex"), name="both"), [x]


def unknown_sizes():
    x, b = placeholder("x", [None]), placeholder("b")
    return tf.reduce_mean(tf.add(x, b, name="shifted"), name="mean"), [x, b]


def variables():
    v = v1.get_variable("v", [2], use_resource=False, initializer=v1.zeros_initializer())
    r = v1.get_variable("r", [2], use_resource=True, initializer=v1.zeros_initializer())
    return tf.reduce_sum(tf.multiply(v, r, name="vr"), name="s"), [v, r]


def rows():
    x = placeholder("x", [4, 2])
    return tf.reduce_sum(tf.tanh(tf.gather(x, [0, 1], name="g"), name="t"), name="s"), [x]


def conditional():
    x, p = placeholder("x"), placeholder("p", dtype=tf.bool)
    return tf.identity(v1.cond(p, lambda: x * x, lambda: x + 1.0), name="y"), [x]


def loop():
    x = placeholder("x")
    found = v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
    return tf.identity(found[1], name="y"), [x]


def own_gradient():
    @tf.custom_gradient
    def doubled(x):
        return x * 2.0, lambda dy: tf.negative(dy, name="own")

    x = placeholder("x", [2])
    return tf.sqrt(doubled(x), name="root"), [x]


# The groups that gradients of these programs are in, besides those of unnamed operations.
GROUPS = {
    product: {"s", "m"},
    used_twice: {"sq", "ex", "both"},
    unknown_sizes: {"mean", "shifted"},
    variables: {"s", "vr"},
    rows: {"s", "t"},
    conditional: {"y"},
    loop: {"y"},
    own_gradient: {"root"},
}


def added(program, colocate, **given):
    """The operations of the program's own, and those that gradients add."""
    with tf.Graph().as_default() as graph:
        y, xs = program()
        before = {op.name: op for op in graph.get_operations()}
        v1.gradients(y, xs, colocate_gradients_with_ops=colocate, **given)
        return before, [op for op in graph.get_operations() if op.name not in before]


def groups_of(op):
    return {group.decode().removeprefix("loc:@") for group in op.colocation_groups()}


@pytest.mark.parametrize("program", GROUPS)
def test_gradients_are_in_the_groups_of_operations(program):
    before, after = added(program, True)
    found = set().union(*map(groups_of, after))
    assert found <= before.keys()
    assert GROUPS[program] <= found


@pytest.mark.parametrize("program", GROUPS)
def test_gradients_are_in_groups_of_their_own_by_default(program):
    for op in added(program, False)[1]:
        assert groups_of(op) == {op.name}


def test_each_operation_has_the_group_of_its_own():
    _, after = added(product, True)
    groups = {op.type: groups_of(op) for op in after}
    assert groups["Fill"] == {"s"}
    assert groups["MatMul"] == {"m"}
    assert groups["Mul"] <= {"mul", "Mul"}


def test_sums_are_in_the_group_of_their_first_part():
    _, after = added(used_twice, True)
    assert groups_of(after[-1]) == {"sq"}


def test_groups_are_those_of_the_operation():
    with tf.Graph().as_default() as graph:
        x = placeholder("x")
        with graph.colocate_with(x):
            y = tf.tanh(x, name="y")
        (dx,) = v1.gradients(y, x, colocate_gradients_with_ops=True)
        assert groups_of(dx.op) == {"x"}
        z, s = placeholder("z"), tf.sin(x, name="s")
        with graph.colocate_with(z):
            (dx,) = v1.gradients(s, x, colocate_gradients_with_ops=True)
        assert groups_of(dx.op) == {"s", "z"}
        assert dx.op.node_def.attr["_class"].list.s == [b"loc:@s", b"loc:@z"]


def test_gradients_are_on_the_devices_of_operations():
    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            x = placeholder("x")
            y = tf.tanh(x)
        z = tf.sin(y)
        plain = v1.gradients(z, [x, y])
        (dx, dy) = v1.gradients(z, [x, y], colocate_gradients_with_ops=True)
        later = tf.constant(1.0)
    assert [dx.op.device, dy.op.device] == ["/device:CPU:0", ""]
    assert [d.op.device for d in plain] == ["", ""] and later.op.device == ""


def test_given_weights_are_where_they_were():
    with tf.Graph().as_default():
        x = placeholder("x", [2])
        weights = tf.constant([1.0, 2.0], name="weights")
        (dx,) = v1.gradients(tf.tanh(x, name="y"), x, weights, colocate_gradients_with_ops=True)
        assert groups_of(weights.op) == {"weights"} and groups_of(dx.op) == {"y"}
        with v1.Session() as session:
            assert session.run(dx, {x: [0.0, 0.0]}).tolist() == [1.0, 2.0]


def test_optimizers_pass_it_on():
    with tf.Graph().as_default():
        v = v1.get_variable("v", [], use_resource=True, initializer=v1.zeros_initializer())
        loss = tf.square(v, name="loss")
        optimizer = v1.train.GradientDescentOptimizer(0.1)
        ((gradient, _),) = optimizer.compute_gradients(loss, [v], colocate_gradients_with_ops=True)
        assert groups_of(gradient.op) == {"loss"}
