"""The default graph while a function is traced is the function's."""

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
