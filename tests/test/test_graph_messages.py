"""`tf.test.assert_equal_graph_def`."""

import pytest

import eagerflow as tf


def message(value=1.0, name="b", swapped=False):
    with tf.Graph().as_default() as graph:
        make = [lambda: tf.constant(value, name="a"), lambda: tf.constant(2.0, name=name)]
        for one in reversed(make) if swapped else make:
            one()
    return graph.as_graph_def()


def test_nodes_may_have_another_order():
    tf.test.assert_equal_graph_def(message(), message(swapped=True))


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"value": 3.0}, "Node named 'a' has attr 'value'"),
        ({"name": "c"}, "Did not find expected node 'b'"),
    ],
)
def test_differences_are_named(other, words):
    with pytest.raises(AssertionError, match=words):
        tf.test.assert_equal_graph_def(message(), message(**other))


def test_only_messages_are_compared():
    with pytest.raises(TypeError, match="for actual, got int"):
        tf.test.assert_equal_graph_def(message(), 3)
    with pytest.raises(TypeError, match="for expected, got int"):
        tf.test.assert_equal_graph_def(3, message())
