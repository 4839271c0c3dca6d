"""While a function is traced, the default graph is the function's."""

import numpy as np
import pytest

import eagerflow as tf


def test_functions_have_a_graph_of_their_own():
    found = []

    @tf.function
    def f(x):
        found.append(tf.compat.v1.get_default_graph())
        return x

    concrete = f.get_concrete_function(tf.TensorSpec([]))
    assert found == [concrete.graph]
    assert found[0].building_function


def test_collections_are_those_of_the_graph_around():
    with tf.Graph().as_default() as graph:
        found = []

        @tf.function
        def f(x):
            inner = tf.compat.v1.get_default_graph()
            inner.add_to_collection("notes", "inside")
            found.extend(inner.get_collection("notes"))
            return x

        f(tf.constant(1.0))
        assert found == ["inside"] == graph.get_collection("notes")


def test_values_can_be_asked_for_in_each_call():
    given = {"rate": 1.0, "calls": 0}

    def rate():
        given["calls"] += 1
        return given["rate"]

    @tf.function
    def scaled(x):
        graph = tf.compat.v1.get_default_graph()
        one = graph.capture_call_time_value(rate, tf.TensorSpec([]), key="rate")
        same = graph.capture_call_time_value(None, tf.TensorSpec([]), key="rate")
        return x * one + same

    concrete = scaled.get_concrete_function(tf.TensorSpec([]))
    assert given["calls"] == 0
    assert concrete(tf.constant(3.0)).numpy() == 4.0
    given["rate"] = 2.0
    assert concrete(tf.constant(3.0)).numpy() == 8.0
    assert given["calls"] == 2
    given["rate"] = tf.constant(1)
    with pytest.raises(TypeError, match="Can not cast"):
        concrete(tf.constant(3.0))


def test_structures_can_be_asked_for():
    given = {"rows": tf.ragged.constant([[1], [2, 3]]), "number": 4}
    specs = {
        "rows": tf.RaggedTensorSpec([None, None], tf.int32),
        "number": tf.TensorSpec([], tf.int32),
    }

    @tf.function
    def total():
        found = tf.compat.v1.get_default_graph().capture_call_time_value(lambda: given, specs)
        return tf.reduce_sum(found["rows"]) + found["number"]

    assert total().numpy() == 10
    given["rows"] = tf.ragged.constant([[5]])
    assert total().numpy() == 9


def test_functions_are_traced_for_each_variable_that_a_graph_updates():
    graph = tf.Graph()
    sums: dict[str, tf.Variable] = {}
    traced = []

    @tf.function
    def update(variable):
        traced.append(variable.name)
        variable.assign_sub(sums[variable.name])

    with graph.as_default(), tf.compat.v1.Session() as session:
        variables = [tf.Variable([1.0], name=name) for name in "ab"]
        for k, v in enumerate(variables):
            sums[v.name] = tf.Variable([k + 2.0])
        changes = []
        for v in [*variables, variables[0]]:
            tf.distribute.get_strategy().extended.update(v, update, group=False)
            changes.append(graph.get_operations()[-1])
        assert traced == ["a:0", "b:0"]
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(changes)
        np.testing.assert_array_equal(session.run(variables), [[-3.0], [-2.0]])
        with tf.compat.v1.colocate_with(variables[0]), tf.compat.v1.colocate_with(None, True):
            update(variables[1])
        assert traced == ["a:0", "b:0", "b:0"]
    assert graph.colocations == ()
