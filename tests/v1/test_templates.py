"""Templates and the scopes of variables."""

import pytest

import eagerflow

tf = eagerflow.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def scaled(x):
    return x * tf.get_variable("w", [], initializer=tf.ones_initializer())


def test_templates_have_a_scope_before_they_are_called():
    asked = []

    def getter(get, name, *args, **kwargs):
        asked.append(name)
        return get(name, *args, **kwargs)

    first = tf.make_template("t", scaled, create_scope_now_=True, custom_getter_=getter)
    second = tf.make_template("t", scaled)
    assert first.variable_scope_name == "t/" and second.variable_scope_name is None
    outputs = second(1.0), first(2.0), first(3.0), second(3.0)
    assert [output.op.name for output in outputs] == ["t/mul", "t_1/mul", "t_2/mul", "t_1_1/mul"]
    assert [variable.op.name for variable in first.variables] == ["t/w"]
    assert [variable.op.name for variable in second.global_variables] == ["t_1/w"]
    assert asked == ["t/w", "t/w"] and first.local_variables == []
    assert first.variable_scope.name == "t"


def test_scopes_keep_the_prefix_of_their_operations():
    with tf.variable_scope("a"), tf.variable_scope("b") as first:
        assert first.original_name_scope == "a/b/"
    with tf.variable_scope("a") as second:
        assert (second.name, second.original_name_scope) == ("a", "a_1/")
    with tf.variable_scope("c"), tf.variable_scope(second, auxiliary_name_scope=False) as again:
        assert again.original_name_scope == "a_1/"
        with tf.name_scope(again.original_name_scope):
            assert tf.constant(1).op.name == "a_1/Const"
    with tf.name_scope("n"), tf.variable_scope("d", auxiliary_name_scope=False) as inner:
        assert (inner.name, inner.original_name_scope) == ("d", "n/")
        assert tf.get_variable("v", []).op.name == "d/v"
        local = tf.get_local_variable("l", [], tf.float32, tf.zeros_initializer())
        assert inner.local_variables() == [local] and inner.global_variables() != [local]


def test_variables_that_are_references_say_so():
    assert repr(tf.Variable(1.0, name="v", use_resource=False)) == (
        "<tf.Variable 'v:0' shape=() dtype=float32_ref>"
    )
    assert repr(tf.Variable(1.0, name="w", use_resource=True)) == (
        "<tf.Variable 'w:0' shape=() dtype=float32>"
    )
