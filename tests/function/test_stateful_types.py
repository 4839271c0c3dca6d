"""Types of operations that run graphs say whether these have state, as TensorFlow's do."""

import pytest

import eagerflow as tf

v = tf.Variable(1.0)
table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer([1.0], tf.constant([2.0])), 0.0
)
INSIDE = {
    "pure": (lambda x: x + 1.0, False),
    "read": (lambda x: x + v, True),
    "assign": (lambda x: v.assign(x) + 0.0, True),
    "random": (lambda x: x + tf.random.uniform([]), True),
    "lookup": (lambda x: table.lookup(x), True),
    "print": (lambda x: (tf.print(x), x)[1], True),
    "nested": (lambda x: tf.cond(x > 1.0, lambda: x + v, lambda: x), True),
}
NODES = {
    "If": lambda f, x: tf.cond(x > 0.0, lambda: f(x), lambda: x),
    "Case": lambda f, x: tf.switch_case(tf.cast(x, tf.int32), [lambda: f(x), lambda: x]),
    "While": lambda f, x: tf.while_loop(lambda y: y < 3.0, lambda y: [f(y)], [x])[0],
    "PartitionedCall": lambda f, x: tf.function(f)(x),
}


@pytest.mark.parametrize("inside", INSIDE)
@pytest.mark.parametrize("node", NODES)
def test_types(node, inside):
    function, has_state = INSIDE[inside]
    concrete = tf.function(lambda x: NODES[node](function, x)).get_concrete_function(
        tf.TensorSpec([])
    )
    types = [op.type for op in concrete.graph.get_operations() if node in op.type]
    prefix = ("Stateful" if has_state else "") if node == "PartitionedCall" else "Stateless"
    assert types == [node if has_state and node != "PartitionedCall" else prefix + node]
