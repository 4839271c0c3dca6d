"""A denoising autoencoder with tied weights on digits, its summaries, and a picture of its filters."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

data = (load_digits().data / 16.0).astype(np.float32)
with tf.name_scope("input"):
    X = tf.placeholder("float", [None, 64], name="X")
    mask = tf.placeholder("float", [None, 64], name="mask")
W_max = 4 * np.sqrt(6.0 / (64 + 30))
W = tf.Variable(tf.random_uniform([64, 30], -W_max, W_max, seed=1), name="W")
b = tf.Variable(tf.zeros([30]), name="b")
b_prime = tf.Variable(tf.zeros([64]), name="b_prime")


def model(X, mask, W, b, W_prime, b_prime):
    Y = tf.nn.sigmoid(tf.matmul(mask * X, W) + b)
    return tf.nn.sigmoid(tf.matmul(Y, W_prime) + b_prime)


Z = model(X, mask, W, b, tf.transpose(W), b_prime)
cost = tf.reduce_sum(tf.pow(X - Z, 2)) / tf.cast(tf.shape(X)[0], tf.float32)
with tf.name_scope("filters"):
    grid = tf.reshape(tf.transpose(W), [30, 8, 8, 1])
    tf.summary.image("first", grid, max_outputs=2)
tf.summary.scalar("cost", cost)
tf.summary.histogram("W", W)
merged = tf.summary.merge_all()
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(cost)
folder = tempfile.mkdtemp()
with tf.Session() as sess:
    writer = tf.summary.FileWriter(folder, sess.graph, flush_secs=5)
    tf.global_variables_initializer().run()
    rng = np.random.RandomState(0)
    for epoch in range(5):
        for start in range(0, 1700, 100):
            rows = data[start : start + 100]
            noise = rng.binomial(1, 0.7, rows.shape)
            sess.run(train_op, feed_dict={X: rows, mask: noise})
        everything = {X: data[1700:], mask: np.ones_like(data[1700:])}
        summary, value = sess.run([merged, cost], everything)
        writer.add_summary(summary, epoch)
        print("epoch %d cost %.3f" % (epoch, value))
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="by_hand", simple_value=2.5)]), 9)
    writer.flush()
    writer.close()
for event in tf.train.summary_iterator(os.path.join(folder, sorted(os.listdir(folder))[0])):
    if event.summary.value and event.step in (4, 9):
        for v in event.summary.value:
            print(event.step, v.tag, v.WhichOneof("value"))
