"""Which operations of functions follow which, for programs that look at graphs."""

import pytest

import eagerflow as tf


def order(function, *specs, **options):
    """For each operation that shares state, the types of those that it follows."""
    graph = tf.function(function, **options).get_concrete_function(*specs).graph
    return graph, [
        (op.type, [before.type for before in op.control_inputs]) for op in graph.control_outputs
    ]


def test_changes_follow_reads_and_reads_follow_changes():
    v = tf.Variable(1.0)

    def f(x):
        before = v.read_value()
        v.assign_add(x)
        return before + v.read_value() + x * 2.0

    graph, found = order(f, tf.TensorSpec([]))
    read, add = "ReadVariableOp", "AssignAddVariableOp"
    assert found == [(read, []), (add, [read]), (read, [add])]
    others = [op for op in graph.get_operations() if op not in graph.control_outputs]
    assert others and not any(op.control_inputs for op in others)


def test_effects_on_other_variables_have_no_order():
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    def f():
        v.assign(3.0)
        w.assign(4.0)
        v.assign(5.0)

    assign = "AssignVariableOp"
    assert order(f)[1] == [(assign, []), (assign, []), (assign, [assign])]


def test_loops_follow_what_uses_the_same_variables():
    x, y = tf.Variable(2.0), tf.Variable(3.0)

    def loop(variable, name):
        def body(v):
            variable.assign(variable)
            return v * variable

        return tf.while_loop(lambda v: v < 16.0, body, [2.0], name=name)

    def f():
        for variable, name in ((x, "a"), (y, "b"), (x, "c"), (y, "d")):
            loop(variable, name)
        return tf.while_loop(lambda v: v < 16.0, lambda v: v * v, [2.0], name="pure")

    graph, _ = order(f)
    before = {
        name: [op.name for op in graph.get_operation_by_name(name).control_inputs]
        for name in ("a", "b", "c", "d", "pure")
    }
    assert before == {"a": [], "b": [], "c": ["a"], "d": ["b"], "pure": []}


def test_messages_follow_one_another():
    def f(x):
        tf.print("one")
        tf.print(x)

    _, found = order(f, tf.TensorSpec([]))
    assert [len(before) for _, before in found] == [0, 1]


def test_functions_without_order_have_none():
    v = tf.Variable(1.0)

    def f():
        v.assign(3.0)
        v.assign(5.0)

    graph, found = order(f, experimental_attributes={"_disable_acd": True})
    assert found == []
    assert not any(op.control_inputs for op in graph.get_operations())


def test_graphs_that_sessions_run_have_no_control_outputs():
    with pytest.raises(AttributeError, match="control_outputs"):
        tf.Graph().control_outputs  # noqa: B018
