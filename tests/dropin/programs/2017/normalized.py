"""tf.layers with batch normalization, dropout, regularizers and update operations; a restored graph."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

digits = load_digits()
images, labels = (digits.images / 16.0).astype(np.float32)[..., None], digits.target
path = os.path.join(tempfile.mkdtemp(), "model.ckpt")
tf.set_random_seed(1)

x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="x")
y = tf.placeholder(tf.int64, [None], name="y")
training = tf.placeholder_with_default(False, [], name="training")


def conv(inputs, filters, name):
    with tf.variable_scope(name):
        net = tf.layers.conv2d(
            inputs,
            filters,
            3,
            padding="same",
            use_bias=False,
            kernel_initializer=tf.variance_scaling_initializer(seed=filters),
            kernel_regularizer=lambda w: 1e-4 * tf.nn.l2_loss(w),
        )
        net = tf.layers.batch_normalization(net, training=training, momentum=0.9)
        return tf.nn.relu(net)


net = conv(x, 8, "conv1")
net = tf.layers.max_pooling2d(net, 2, 2)
net = tf.concat([conv(net, 8, "left"), conv(net, 4, "right")], 3)
net = tf.layers.average_pooling2d(net, 2, 2)
net = tf.layers.flatten(net)
net = tf.layers.dropout(tf.layers.dense(net, 32, tf.nn.relu), 0.2, training=training)
logits = tf.layers.dense(net, 10, name="logits")
data_loss = tf.losses.softmax_cross_entropy(tf.one_hot(y, 10), logits, label_smoothing=0.05)
total_loss = tf.losses.get_total_loss()
accuracy = tf.reduce_mean(tf.to_float(tf.nn.in_top_k(logits, y, 1)), name="accuracy")
step = tf.train.create_global_step()
boundaries = tf.train.piecewise_constant(step, [60, 90], [0.01, 0.003, 0.001])
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    train = tf.train.AdamOptimizer(boundaries).minimize(total_loss, step)
print(
    len(update_ops),
    len(tf.losses.get_regularization_losses()),
    len(tf.losses.get_losses()),
    net.get_shape(),
)
count = int(np.sum([np.prod(v.get_shape().as_list()) for v in tf.trainable_variables()]))
print(count, [v.op.name for v in tf.global_variables() if "moving" in v.op.name][:2])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(120):
        rows = slice(i * 64 % 1472, i * 64 % 1472 + 64)
        sess.run(train, {x: images[rows], y: labels[rows], training: True})
    found = sess.run(accuracy, {x: images[1536:], y: labels[1536:]})
    mean = sess.run("conv1/batch_normalization/moving_mean:0")
    tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=2).save(
        sess, path, global_step=step
    )
    print("good: %s, moved: %s" % (found > 0.85, np.abs(mean).max() > 0))
    assert found > 0.85, found
tf.reset_default_graph()
saver = tf.train.import_meta_graph(path + "-120.meta", clear_devices=True)
with tf.Session() as sess:
    saver.restore(sess, path + "-120")
    graph = tf.get_default_graph()
    feed = {graph.get_tensor_by_name("x:0"): images[1536:], "y:0": labels[1536:]}
    print(sess.run("accuracy:0", feed) == found, graph.get_operation_by_name("training").type)
    print(
        len(graph.get_collection("trainable_variables")),
        len(graph.get_collection(tf.GraphKeys.UPDATE_OPS)),
    )
