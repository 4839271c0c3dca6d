"""Variables in parts, shared by scopes: partitioners, reuse, templates, custom getters, regularizers."""

import os
import tempfile

import numpy as np
import tensorflow as tf

with tf.variable_scope("embed", partitioner=tf.fixed_size_partitioner(3)) as scope:
    table = tf.get_variable("table", [10, 4], initializer=tf.random_uniform_initializer(seed=1))
    whole = tf.get_variable("bias", [2], partitioner=None, initializer=tf.zeros_initializer())
ids = tf.placeholder(tf.int32, [None])
rows = tf.nn.embedding_lookup(table, ids, partition_strategy="div")
print(
    [v.name for v in tf.global_variables()],
    rows.get_shape(),
    [v.get_shape().as_list() for v in table],
)

with tf.variable_scope(scope, reuse=True):
    again = tf.get_variable("table", [10, 4])
with tf.variable_scope(
    "outer",
    regularizer=lambda w: 0.5 * tf.reduce_sum(w * w),
    initializer=tf.constant_initializer(2.0),
):
    with tf.variable_scope("inner") as inner:
        a = tf.get_variable("a", [3])
        b = tf.get_variable("b", [2], regularizer=None, initializer=tf.ones_initializer())
    with tf.variable_scope(inner, reuse=tf.AUTO_REUSE):
        same = tf.get_variable("a", [3])
    with tf.variable_scope("inner"):
        print(tf.get_variable_scope().name, tf.constant(0.0, name="c").name)
        try:
            tf.get_variable("a", [3])
        except ValueError as error:
            print("ValueError", "already exists" in str(error))
    try:
        with tf.variable_scope("other", reuse=True):
            tf.get_variable("missing", [1])
    except ValueError as error:
        print("ValueError", "does not exist" in str(error))
penalty = tf.losses.get_regularization_loss()


def scaled(x):
    y = tf.get_variable("y", shape=[], initializer=tf.constant_initializer(3.0))
    return x * y


template = tf.make_template("scaled", scaled)
once, twice = template(1.0), template(tf.constant([2.0, 4.0]))


def halved(getter, name, *args, **kwargs):
    return getter(name, *args, **kwargs) * 0.5


with tf.variable_scope("custom", custom_getter=halved):
    h = tf.get_variable("h", [2], initializer=tf.ones_initializer(), trainable=False)
with tf.variable_scope("a"):
    with tf.variable_scope("b", reuse=False):
        with tf.name_scope("n"):
            v = tf.Variable(1.0, name="v")
            g = tf.get_variable("g", [], collections=["mine"])
with tf.variable_scope(None, default_name="block"):
    d1 = tf.get_variable("d", [])
with tf.variable_scope(None, default_name="block"):
    d2 = tf.get_variable("d", [])
print(v.name, g.name, d1.name, d2.name, h.name, tf.get_collection("mine") == [g])
print(a is same, len(tf.trainable_variables()), [w.name for w in tf.trainable_variables("outer")])
print(
    tf.min_max_variable_partitioner(max_partitions=4, min_slice_size=16)(
        tf.TensorShape([40, 2]), tf.float32
    )
)

loss = tf.reduce_sum(rows * rows)
train = tf.train.AdagradOptimizer(0.5).minimize(loss, var_list=list(table))
folder = tempfile.mkdtemp()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.variables_initializer([g]))
    before = sess.run(tf.convert_to_tensor(table))
    print(before.shape, np.allclose(before, sess.run(tf.concat(list(again), 0))))
    sess.run(train, {ids: [0, 5, 9]})
    after = sess.run(table.as_tensor())
    print((before != after).any(1).astype(int), sess.run(penalty), sess.run([once, twice, h]))
    path = tf.train.Saver().save(sess, os.path.join(folder, "parts"))
    print([n for n, _ in tf.train.list_variables(path)][:3])
with tf.Graph().as_default(), tf.Session() as sess:
    joined = tf.get_variable("embed/table", [10, 4])
    tf.train.Saver([joined]).restore(sess, path)
    assert np.allclose(sess.run(joined), after)
