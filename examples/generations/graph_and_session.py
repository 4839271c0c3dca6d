"""The first generation without eager execution: a graph, a session, and a small classifier."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
points = rng.normal(size=(300, 2)).astype(np.float32)
inside = (np.square(points).sum(1) < 1.2).astype(np.int64)

x = tf.placeholder(tf.float32, [None, 2], name="points")
y = tf.placeholder(tf.int64, [None], name="labels")
hidden = tf.layers.dense(x, 24, activation=tf.nn.tanh, name="hidden")
logits = tf.layers.dense(hidden, 2, name="out")
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
right = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(logits, 1), y)))
train = tf.train.AdamOptimizer(0.02).minimize(loss, global_step=tf.train.create_global_step())
print(logits)
print([variable.name for variable in tf.trainable_variables()])

(sensitivity,) = tf.gradients(loss, x)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(150):
        session.run(train, feed_dict={x: points, y: inside})
    found, share, slopes = session.run([loss, right, sensitivity], {x: points, y: inside})
print("loss %.3f, %.0f%% right, gradient of shape %s" % (found, 100 * share, slopes.shape))
assert share > 0.9

try:
    with tf.Session() as session:
        session.run(loss, {x: points, y: inside})
except tf.errors.FailedPreconditionError as error:
    print("Another session:", error.message.splitlines()[0])
