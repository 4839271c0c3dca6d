"""A convolutional network reads digits; weights are made by small functions."""

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

digits = load_digits()
images = (digits.images / 16.0).astype(np.float32).reshape(-1, 64)
labels = np.eye(10, dtype=np.float32)[digits.target]


def weight_variable(shape, seed):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1, seed=seed), name="W")


def bias_variable(shape):
    return tf.Variable(tf.constant(0.1, shape=shape), name="b")


def conv2d(x, W):
    return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding="SAME")


def max_pool_2x2(x):
    return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


x = tf.placeholder(tf.float32, shape=[None, 64])
y_ = tf.placeholder(tf.float32, shape=[None, 10])
keep_prob = tf.placeholder(tf.float32)
x_image = tf.reshape(x, [-1, 8, 8, 1])
with tf.name_scope("conv1"):
    h = max_pool_2x2(
        tf.nn.relu(conv2d(x_image, weight_variable([3, 3, 1, 16], 1)) + bias_variable([16]))
    )
with tf.name_scope("conv2"):
    h = max_pool_2x2(
        tf.nn.relu(conv2d(h, weight_variable([3, 3, 16, 32], 2)) + bias_variable([32]))
    )
with tf.name_scope("dense"):
    flat = tf.reshape(h, [-1, 2 * 2 * 32])
    h = tf.nn.relu(tf.matmul(flat, weight_variable([128, 64], 3)) + bias_variable([64]))
    h = tf.nn.dropout(h, keep_prob, seed=4)
y = tf.nn.softmax(tf.matmul(h, weight_variable([64, 10], 5)) + bias_variable([10]))

cross_entropy = -tf.reduce_sum(y_ * tf.log(tf.clip_by_value(y, 1e-10, 1.0)))
train_step = tf.train.AdamOptimizer(3e-3).minimize(cross_entropy)
correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct, "float"))

for variable in tf.trainable_variables():
    print(variable.name, variable.get_shape().as_list())
with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    for i in range(300):
        rows = slice(i * 50 % 1500, i * 50 % 1500 + 50)
        feed = {x: images[rows], y_: labels[rows]}
        if i % 100 == 0:
            print(
                "step %d, loss %.2f"
                % (i, cross_entropy.eval({x: images[:50], y_: labels[:50], keep_prob: 1.0}))
            )
        train_step.run(
            feed_dict=dict(feed, **{"Placeholder_2:0": 0.8}) if i == 0 else {**feed, keep_prob: 0.8}
        )
    found = accuracy.eval({x: images[1500:], y_: labels[1500:], keep_prob: 1.0})
    print("good: %s" % (found > 0.88))
    assert found > 0.88, found
