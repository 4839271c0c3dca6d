"""A graph of version 1 that is written to files and read again, here and by TensorFlow."""

import numpy as np


def build(tf):
    """A small network with a table, and an operation that trains it."""
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [None, 3], name="x")
    words = v1.placeholder(tf.string, [None], name="words")
    weight = v1.get_variable("weight", initializer=np.ones((3, 2), "f"))
    y = tf.identity(tf.matmul(x, weight) + v1.get_variable("bias", [2]), name="y")
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    found = tf.identity(table.lookup(words), name="found")
    loss = tf.reduce_mean(tf.square(y - 1.0), name="loss")
    step = v1.train.get_or_create_global_step()
    tf.group(v1.train.AdamOptimizer(0.1).minimize(loss, step), name="train")
    v1.add_to_collection("outputs", y)
    v1.add_to_collection("notes", "a text")
    v1.add_to_collection("notes", "another")
    v1.add_to_collection("sizes", 3)
    return {"x": x, "words": words}, {"y": y, "found": found}
