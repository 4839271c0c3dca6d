"""A line is fitted to noisy points: placeholders, an interactive session, gradient descent."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
xs = rng.rand(100).astype(np.float32)
ys = 0.1 * xs + 0.3 + 0.01 * rng.randn(100).astype(np.float32)

x = tf.placeholder("float")
y_ = tf.placeholder("float")
W = tf.Variable(tf.zeros([1]), name="weight")
b = tf.Variable(tf.zeros([1]), name="bias")
y = W * x + b
loss = tf.reduce_mean(tf.square(y - y_))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
print("first loss %.4f" % loss.eval(feed_dict={x: xs, y_: ys}))
for step in range(201):
    train.run({x: xs, y_: ys})
    if step % 50 == 0:
        print(step, sess.run(W), sess.run(b))
print(W, b.name, y.get_shape(), x.dtype, y.op.type)
print(tf.get_default_session() is sess, y.graph is tf.get_default_graph())
assert abs(W.eval()[0] - 0.1) < 0.02 and abs(b.eval()[0] - 0.3) < 0.02
sess.close()
