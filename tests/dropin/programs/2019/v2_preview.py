"""TensorFlow 2 as a preview in 1.13 and later: compat.v2 with its behaviour enabled."""

from __future__ import absolute_import, division, print_function

import random

import numpy as np
import tensorflow.compat.v2 as tf

random.seed(1)  # of which Keras makes the seeds of first weights

tf.enable_v2_behavior()
print(
    tf.executing_eagerly(),
    tf.constant([1, 2]).shape[0] + 1,
    tf.Variable(1.0).assign_add(2.0).numpy(),
)


class Linear(tf.Module):
    def __init__(self, inputs, outputs, name=None):
        super(Linear, self).__init__(name=name)
        with self.name_scope:
            self.w = tf.Variable(tf.random.stateless_normal([inputs, outputs], [1, 2]), name="w")
            self.b = tf.Variable(tf.zeros([outputs]), name="b")

    @tf.Module.with_name_scope
    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b


class MLP(tf.Module):
    def __init__(self):
        super(MLP, self).__init__()
        self.layers = [Linear(2, 16), Linear(16, 1)]

    @tf.function
    def __call__(self, x):
        return self.layers[1](tf.nn.relu(self.layers[0](x)))


model = MLP()
print([v.name for v in model.trainable_variables], [m.name for m in model.submodules])
optimizer = tf.optimizers.Adam(0.02)
points = np.random.RandomState(0).uniform(-1, 1, (128, 2)).astype(np.float32)
targets = points[:, :1] * points[:, 1:]


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


for step in range(301):
    loss = train_step(points, targets)
    if step % 100 == 0:
        tf.print("step", step, "falling:", bool(loss < 1.5 * 0.5 ** (step / 50)))
print("%s" % (loss.numpy() < 0.02), tf.__version__ is not None)
assert loss.numpy() < 0.03
