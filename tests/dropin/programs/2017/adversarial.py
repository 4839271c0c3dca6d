"""A generator and a discriminator, trained in turn on lists of variables."""

import numpy as np
import tensorflow as tf


def generator(z):
    with tf.variable_scope("G"):
        h = tf.nn.softplus(
            tf.layers.dense(
                z, 16, kernel_initializer=tf.random_normal_initializer(stddev=0.5, seed=1)
            )
        )
        return tf.layers.dense(
            h, 1, kernel_initializer=tf.random_normal_initializer(stddev=0.5, seed=2)
        )


def discriminator(x, reuse=None):
    with tf.variable_scope("D", reuse=reuse):
        h = tf.layers.dense(
            x, 16, tf.tanh, name="h0", kernel_initializer=tf.random_normal_initializer(seed=3)
        )
        h = tf.layers.dense(
            h, 16, tf.tanh, name="h1", kernel_initializer=tf.random_normal_initializer(seed=4)
        )
        logits = tf.layers.dense(
            h, 1, name="h2", kernel_initializer=tf.random_normal_initializer(seed=5)
        )
        return tf.nn.sigmoid(logits), logits


def lrelu(x, leak=0.2, name="lrelu"):
    return tf.maximum(x, leak * x, name=name)


z = tf.placeholder(tf.float32, [None, 1], name="z")
x = tf.placeholder(tf.float32, [None, 1], name="x")
fake = generator(z)
real_score, real_logits = discriminator(x)
fake_score, fake_logits = discriminator(fake, reuse=True)


def entropy(logits, ones):
    labels = tf.ones_like(logits) if ones else tf.zeros_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels))


d_loss = entropy(real_logits, True) + entropy(fake_logits, False)
g_loss = entropy(fake_logits, True)
t_vars = tf.trainable_variables()
d_vars = [v for v in t_vars if v.name.startswith("D/")]
g_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="G")
step = tf.Variable(0, trainable=False)
rate = tf.train.exponential_decay(0.03, step, 150, 0.95, staircase=True)
d_step = tf.train.AdamOptimizer(rate, beta1=0.5).minimize(d_loss, step, var_list=d_vars)
g_step = tf.train.AdamOptimizer(rate, beta1=0.5).minimize(g_loss, var_list=g_vars)
clip = [v.assign(tf.clip_by_value(v, -3.0, 3.0)) for v in d_vars]
print(len(d_vars), len(g_vars), lrelu(x).name)

rng = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(600):
        real = rng.normal(2.0, 0.5, (64, 1))
        noise = rng.uniform(-1, 1, (64, 1))
        sess.run([d_step], {x: real, z: noise})
        sess.run(clip)
        sess.run(g_step, {z: rng.uniform(-1, 1, (64, 1))})
        if i == 0:
            print("first losses %.3f %.3f" % tuple(sess.run([d_loss, g_loss], {x: real, z: noise})))
    found = sess.run(fake, {z: np.linspace(-1, 1, 400)[:, None]})
    print("near 2: %s" % (abs(found.mean() - 2) < 0.8))
    assert abs(found.mean() - 2) < 0.8, found.mean()
