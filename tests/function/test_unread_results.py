"""Calls, conditionals and loops in a function compute only those of their results that are read."""

import pytest

import eagerflow as tf

X = tf.constant([0.5, 1.5])


def calculate(x):
    return tf.exp(x), tf.sin(x)


def call(x):
    return tf.function(calculate)(x)


def nested_call(x):
    return tf.function(call)(x)


def conditional(x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: calculate(x), lambda: (x, x))


def switch(x):
    index = tf.cast(tf.reduce_sum(x), tf.int32) - 1
    return tf.switch_case(index, [lambda: (x, x), lambda: calculate(x)])


def loop(x):
    def body(i, a, b):
        return i + 1, tf.exp(a), tf.sin(b)

    return tf.while_loop(lambda i, a, b: i < 1, body, (0, x, x))[1:]


def loop_through_others(x):
    def body(i, read, feeds_read, unread):
        return i + 1, feeds_read, tf.exp(x), tf.sin(unread) + feeds_read

    return tf.while_loop(lambda i, *_: i < 2, body, (0, x, x, x), maximum_iterations=5)[1::2]


CONSTRUCTS = [call, nested_call, conditional, switch, loop, loop_through_others]


def operations(function, *arguments):
    function(*arguments)
    with tf.profiler.profile() as profile:
        function(*arguments)
    return {name for row in profile.rows() for name in row.name.split(", ")}


@pytest.mark.parametrize("construct", CONSTRUCTS)
@pytest.mark.parametrize("saved", [False, True])
def test_what_nothing_reads_does_not_run(construct, saved, tmp_path):
    both = tf.function(lambda x: construct(x))
    one = tf.function(lambda x: construct(x)[0])
    if saved:
        module = tf.Module()
        module.both, module.one = (f.get_concrete_function(X) for f in (both, one))
        tf.saved_model.save(module, str(tmp_path))
        module = tf.saved_model.load(str(tmp_path))
        both, one = module.both, module.one
    assert {"Exp", "Sin"} <= operations(both, X)
    ran = operations(one, X)
    assert "Exp" in ran and "Sin" not in ran
    assert tf.reduce_all(one(X) == both(X)[0])


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_derivatives_of_what_is_read(construct):
    def gradient(function):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(X)
            with tf.GradientTape() as tape:
                tape.watch(X)
                y = function(X)
            first = tape.gradient(y, X, unconnected_gradients="zero")
        return first, outer.gradient(first, X, unconnected_gradients="zero")

    def one(x):
        return construct(x)[0]

    expected = gradient(one)
    for function in (tf.function(one), lambda x: tf.function(lambda x: construct(x))(x)[0]):
        for got, want in zip(gradient(function), expected, strict=True):
            tf.debugging.assert_near(got, want)
    inside = tf.function(lambda: gradient(one))()
    for got, want in zip(inside, expected, strict=True):
        tf.debugging.assert_near(got, want)


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_effects_remain(construct):
    count = tf.Variable(0)

    def counted(x):
        count.assign_add(1)
        return construct(x)

    tf.function(lambda x: tf.cond(x[0] < 9.0, lambda: counted(x), lambda: (x, x))[0])(X)
    tf.function(lambda x: tf.function(counted)(x)[0])(X)
    assert count == 2


def test_a_loop_runs_as_often_when_only_its_count_is_read():
    loop = tf.function(
        lambda x: tf.while_loop(lambda i, a: i < 7, lambda i, a: (i + 1, a * a), (0, x))
    )
    only = tf.function(lambda x: loop(x)[0])
    assert only(X) == 7
