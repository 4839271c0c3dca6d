"""A variational autoencoder on digits, by tf.layers and a class."""

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits


class VAE:
    def __init__(self, units=2):
        self.x = tf.placeholder(tf.float32, [None, 64])
        with tf.variable_scope("encoder"):
            h = tf.layers.dense(
                self.x, 48, tf.nn.elu, kernel_initializer=tf.glorot_uniform_initializer(seed=1)
            )
            self.mu = tf.layers.dense(
                h, units, kernel_initializer=tf.glorot_uniform_initializer(seed=2)
            )
            self.log_var = tf.layers.dense(h, units, kernel_initializer=tf.zeros_initializer())
        eps = tf.random_normal(tf.shape(self.mu), seed=3)
        self.z = self.mu + tf.exp(0.5 * self.log_var) * eps
        with tf.variable_scope("decoder"):
            self.logits = self.decode(self.z)
        self.z_in = tf.placeholder(tf.float32, [None, units])
        with tf.variable_scope("decoder", reuse=True):
            self.generated = tf.sigmoid(self.decode(self.z_in))
        reconstruction = tf.reduce_sum(
            tf.nn.sigmoid_cross_entropy_with_logits(labels=self.x, logits=self.logits), 1
        )
        divergence = -0.5 * tf.reduce_sum(
            1 + self.log_var - tf.square(self.mu) - tf.exp(self.log_var), axis=1
        )
        self.loss = tf.reduce_mean(reconstruction + divergence)
        self.train = tf.train.AdamOptimizer(0.01).minimize(self.loss)

    def decode(self, z):
        h = tf.layers.dense(z, 48, activation=tf.nn.elu, name="hidden")
        return tf.layers.dense(h, 64, name="pixels")


tf.set_random_seed(0)
data = load_digits().data / 16.0
vae = VAE()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = sess.run(vae.loss, {vae.x: data})
    for epoch in range(15):
        for start in range(0, 1700, 100):
            sess.run(vae.train, {vae.x: data[start : start + 100]})
    last = sess.run(vae.loss, {vae.x: data})
    pictures = sess.run(vae.generated, {vae.z_in: np.random.RandomState(0).randn(5, 2)})
    print(
        "falls: %s" % (last < 0.75 * first),
        pictures.shape,
        [v.name for v in tf.trainable_variables()],
    )
    assert last < 0.75 * first, (first, last)
