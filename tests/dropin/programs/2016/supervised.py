"""A supervisor initializes, restores, saves and stops."""

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf

logdir = tempfile.mkdtemp()


def build():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    step = tf.Variable(0, name="global_step", trainable=False)
    loss = tf.reduce_mean(tf.squared_difference(tf.matmul(x, w), y))
    tf.summary.scalar("loss", loss)
    train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=step)
    return x, y, w, step, loss, train


rng = np.random.RandomState(0)
truth = np.array([[1.0], [-2.0], [0.5]])
for attempt in range(2):
    with tf.Graph().as_default():
        x, y, w, step, loss, train = build()
        merged = tf.summary.merge_all()
        supervisor = tf.train.Supervisor(
            logdir=logdir,
            summary_op=None,
            global_step=step,
            save_model_secs=0,
            saver=tf.train.Saver(),
        )
        with supervisor.managed_session() as sess:
            print("starts at step %d" % sess.run(step))
            while not supervisor.should_stop():
                points = rng.randn(20, 3)
                feed = {x: points, y: points.dot(truth)}
                _, value, number = sess.run([train, loss, step], feed)
                if number % 25 == 0:
                    supervisor.summary_computed(sess, sess.run(merged, feed))
                    supervisor.saver.save(sess, supervisor.save_path, global_step=step)
                    print("step %d loss %.4f" % (number, value))
                if number == 50 * (attempt + 1):
                    supervisor.request_stop()
            print(np.round(sess.run(w).ravel(), 2))
state = tf.train.get_checkpoint_state(logdir)
print(os.path.basename(state.model_checkpoint_path), len(state.all_model_checkpoint_paths))
print(len(glob.glob(os.path.join(logdir, "events*"))) > 0)
assert value < 0.01
