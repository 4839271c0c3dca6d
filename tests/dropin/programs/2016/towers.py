"""Two towers share their variables; their gradients are averaged; moving averages and summaries follow."""

import glob
import os
import re
import tempfile

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("batch_size", 16, """Images in a batch.""")
tf.app.flags.DEFINE_string("train_dir", tempfile.mkdtemp(), """Where event files go.""")
tf.app.flags.DEFINE_boolean("log_device_placement", False, """Whether to log device placement.""")
TOWER_NAME = "tower"


def _activation_summary(x):
    name = re.sub("%s_[0-9]*/" % TOWER_NAME, "", x.op.name)
    tf.summary.histogram(name + "/activations", x)
    tf.summary.scalar(name + "/sparsity", tf.nn.zero_fraction(x))


def _variable_with_weight_decay(name, shape, stddev, wd):
    with tf.device("/cpu:0"):
        var = tf.get_variable(
            name, shape, initializer=tf.truncated_normal_initializer(stddev=stddev, seed=len(name))
        )
    if wd is not None:
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(var), wd, name="weight_loss"))
    return var


def inference(images):
    with tf.variable_scope("conv1") as scope:
        kernel = _variable_with_weight_decay("weights", [3, 3, 3, 8], 5e-2, 0.0)
        conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding="SAME")
        biases = tf.get_variable("biases", [8], initializer=tf.constant_initializer(0.0))
        conv1 = tf.nn.relu(tf.nn.bias_add(conv, biases), name=scope.name)
        _activation_summary(conv1)
    pool1 = tf.nn.max_pool(conv1, [1, 3, 3, 1], [1, 2, 2, 1], padding="SAME", name="pool1")
    norm1 = tf.nn.lrn(pool1, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm1")
    with tf.variable_scope("softmax_linear") as scope:
        flat = tf.reshape(norm1, [FLAGS.batch_size, -1])
        dim = flat.get_shape()[1].value
        weights = _variable_with_weight_decay("weights", [dim, 2], 0.04, 0.004)
        biases = tf.get_variable("biases", [2], initializer=tf.constant_initializer(0.1))
        return tf.add(tf.matmul(flat, weights), biases, name=scope.name)


def tower_loss(scope, images, labels):
    logits = inference(images)
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.add_to_collection("losses", tf.reduce_mean(entropy, name="cross_entropy"))
    return tf.add_n(tf.get_collection("losses", scope), name="total_loss")


def average_gradients(tower_grads):
    average = []
    for pairs in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in pairs]
        average.append((tf.reduce_mean(tf.concat(axis=0, values=grads), 0), pairs[0][1]))
    return average


def main(argv=None):
    rng = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        step = tf.get_variable(
            "global_step", [], initializer=tf.constant_initializer(0), trainable=False
        )
        lr = tf.train.exponential_decay(0.1, step, 20, 0.5, staircase=True)
        opt = tf.train.GradientDescentOptimizer(lr)
        images = tf.placeholder(tf.float32, [2, FLAGS.batch_size, 8, 8, 3])
        labels = tf.placeholder(tf.int64, [2, FLAGS.batch_size])
        tower_grads = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(2):
                with tf.device("/cpu:%d" % 0), tf.name_scope("%s_%d" % (TOWER_NAME, i)) as scope:
                    loss = tower_loss(scope, images[i], labels[i])
                    tf.get_variable_scope().reuse_variables()
                    summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
                    tower_grads.append(opt.compute_gradients(loss))
        grads = average_gradients(tower_grads)
        summaries.append(tf.summary.scalar("learning_rate", lr))
        for grad, var in grads:
            summaries.append(tf.summary.histogram(var.op.name + "/gradients", grad))
        apply_op = opt.apply_gradients(grads, global_step=step)
        averages = tf.train.ExponentialMovingAverage(0.9, step)
        train_op = tf.group(apply_op, averages.apply(tf.trainable_variables()))
        saver = tf.train.Saver(averages.variables_to_restore())
        print(sorted(averages.variables_to_restore()))
        summary_op = tf.summary.merge(summaries)
        with tf.Session(
            config=tf.ConfigProto(
                allow_soft_placement=True, log_device_placement=FLAGS.log_device_placement
            )
        ) as sess:
            sess.run(tf.global_variables_initializer())
            writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)
            for number in range(40):
                kinds = rng.randint(0, 2, (2, FLAGS.batch_size))
                pictures = (
                    rng.rand(2, FLAGS.batch_size, 8, 8, 3) + kinds[..., None, None, None] * 0.5
                )
                feed = {images: pictures, labels: kinds}
                _, value, rate = sess.run([train_op, loss, lr], feed)
                if number % 10 == 0:
                    writer.add_summary(sess.run(summary_op, feed), number)
                    print("step %d, loss = %.3f, rate %.3f" % (number, value, rate))
            saver.save(sess, os.path.join(FLAGS.train_dir, "model.ckpt"), global_step=step)
            writer.close()
    events = glob.glob(os.path.join(FLAGS.train_dir, "events.out.tfevents.*"))
    tags = [v.tag for e in tf.train.summary_iterator(events[0]) for v in e.summary.value]
    print(len(events), len(tags), sorted(set(tags))[:4])
    assert value < 0.5


if __name__ == "__main__":
    tf.app.run()
