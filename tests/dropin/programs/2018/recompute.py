"""Gradients of one's own in eager programs: recomputed layers, higher orders, tapes that stop."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()


class Coupling(tf.keras.Model):
    """A reversible block: its inputs are computed from its outputs."""

    def __init__(self, units):
        super(Coupling, self).__init__()
        init = lambda seed: tf.random_normal_initializer(stddev=0.3, seed=seed)  # noqa: E731
        self.f = tf.keras.layers.Dense(units, tf.nn.tanh, kernel_initializer=init(1))
        self.g = tf.keras.layers.Dense(units, tf.nn.tanh, kernel_initializer=init(2))

    def call(self, x):
        x1, x2 = tf.split(x, 2, axis=1)
        y1 = x1 + self.f(x2)
        return tf.concat([y1, x2 + self.g(y1)], axis=1)

    def backward(self, y, dy):
        y1, y2 = tf.split(y, 2, axis=1)
        with tf.GradientTape() as tape:
            tape.watch(y1)
            gy1 = self.g(y1)
        dy1, dy2 = tf.split(dy, 2, axis=1)
        grads = tape.gradient(gy1, [y1] + self.g.trainable_variables, output_gradients=dy2)
        dz1, dg = dy1 + grads[0], grads[1:]
        x2 = y2 - gy1
        with tf.GradientTape() as tape:
            tape.watch(x2)
            fx2 = self.f(x2)
        grads = tape.gradient(fx2, [x2] + self.f.trainable_variables, output_gradients=dz1)
        x1 = y1 - fx2
        return tf.concat([x1, x2], 1), tf.concat([dz1, dy2 + grads[0]], 1), grads[1:] + dg


block = Coupling(3)
x = tf.constant(np.random.RandomState(0).randn(4, 6).astype(np.float32))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = block(x)
    loss = tf.reduce_sum(y * y)
expected = tape.gradient(loss, [x] + block.trainable_variables)
again, dx, found = block.backward(y, 2 * y)
print(np.allclose(again, x, atol=1e-5), np.allclose(dx, expected[0], atol=1e-4))
print([np.allclose(a, b, atol=1e-4) for a, b in zip(found, expected[1:])], len(block.variables))


@tf.custom_gradient
def clip_gradient(v):
    def backward(dv):
        return tf.clip_by_norm(dv, 0.5)

    return tf.identity(v), backward


v = tfe_v = tf.contrib.eager.Variable([3.0, 4.0])
with tf.GradientTape() as tape:
    out = tf.reduce_sum(clip_gradient(v * v))
print(tape.gradient(out, v).numpy(), [w.name for w in tape.watched_variables()])


@tf.custom_gradient
def power(base, exponent):
    value = base**exponent

    def grad(upstream):
        return upstream * exponent * base ** (exponent - 1), None

    return value, grad


with tf.GradientTape(persistent=True) as tape:
    a, b = tf.constant(2.0), tf.constant(3.0)
    tape.watch([a, b])
    with tape.stop_recording():
        quiet = a * 100.0
    z = power(a, b) + quiet
    first = tape.gradient(z, a)
print(first.numpy(), tape.gradient(z, b), tape.gradient(quiet, a), tape.gradient(first, a).numpy())
del tape
with tf.GradientTape() as tape:
    tape.watch(a)
    total = 0.0
    for k in range(1, 5):
        if k % 2:
            total += a**k
    tape.reset()
    tape.watch(a)
    total = total * a
print(tape.gradient(total, a).numpy())
