"""A recurrent network adds two marked numbers; sequences are unstacked by hand."""

import numpy as np
import tensorflow as tf

T, UNITS, BATCH = 8, 24, 50


def batch(rng):
    values = rng.rand(BATCH, T)
    marks = np.zeros((BATCH, T))
    for row in marks:
        row[rng.choice(T, 2, replace=False)] = 1
    return np.stack([values, marks], 2), (values * marks).sum(1, keepdims=True)


x = tf.placeholder(tf.float32, [None, T, 2])
y = tf.placeholder(tf.float32, [None, 1])
with tf.variable_scope("rnn") as scope:
    cell = tf.nn.rnn_cell.GRUCell(UNITS)
    state = cell.zero_state(tf.shape(x)[0], tf.float32)
    for t, part in enumerate(tf.unstack(x, T, 1)):
        if t > 0:
            scope.reuse_variables()
        output, state = cell(part, state)
w = tf.get_variable("w", [UNITS, 1], initializer=tf.contrib.layers.xavier_initializer(seed=1))
b = tf.get_variable("b", [1], initializer=tf.constant_initializer(1.0))
prediction = tf.matmul(output, w) + b
mse = tf.reduce_mean(tf.pow(prediction - y, 2))
optimizer = tf.train.RMSPropOptimizer(0.005, decay=0.9)
gvs = optimizer.compute_gradients(mse)
capped = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in gvs if g is not None]
train = optimizer.apply_gradients(capped)
print([v.name for v in tf.global_variables() if "RMS" not in v.name])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)
    for i in range(800):
        bx, by = batch(rng)
        _, value = sess.run([train, mse], feed_dict={x: bx, y: by})
    print("learned: %s" % (value < 0.05))
    assert value < 0.1, value
