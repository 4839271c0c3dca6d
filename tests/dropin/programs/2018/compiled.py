"""tfe.defun: functions of the eager mode as graphs; tapes through them, state, control flow."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import eager as tfe

tf.enable_eager_execution()
traced = []


@tfe.defun
def dense(x, w, b):
    traced.append(x.shape)
    return tf.nn.relu(tf.matmul(x, w) + b)


x = tf.constant([[1.0, -2.0], [3.0, 4.0]])
w = tfe.Variable([[1.0, 0.5], [-1.0, 2.0]], name="w")
b = tfe.Variable([0.0, 1.0], name="b")
with tf.GradientTape() as tape:
    y = tf.reduce_sum(dense(x, w, b))
print([g.numpy().tolist() for g in tape.gradient(y, [w, b])])
dense(x[:1], w, b)
dense(x, w, b)
print(len(traced), [s.as_list() for s in traced])


class Accumulator(object):
    def __init__(self):
        self.total = tfe.Variable(0.0)

    @tfe.defun
    def add(self, v):
        self.total.assign_add(v)
        return self.total.read_value()


acc = Accumulator()
print([acc.add(tf.constant(float(i))).numpy() for i in range(4)])


@tfe.defun
def collatz(n):
    def body(n, steps):
        n = tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1)
        return n, steps + 1

    _, steps = tf.while_loop(lambda n, _: n > 1, body, [n, 0])
    return steps


print([int(collatz(tf.constant(n))) for n in (6, 7, 27)])
model = tf.keras.Sequential([tf.keras.layers.Dense(4, "tanh"), tf.keras.layers.Dense(1)])
model.call = tfe.defun(model.call)
optimizer = tf.train.GradientDescentOptimizer(0.1)
data = np.random.RandomState(0).randn(64, 3).astype(np.float32)
target = data.sum(1, keepdims=True)
first = None
for _ in range(60):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(data) - target))
    first = first or loss.numpy()
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print("falls: %s" % (loss.numpy() < 0.3 * first), len(model.trainable_variables))
with tf.GradientTape(persistent=True) as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        z = tf.reduce_sum(x**3)
    slope = inner.gradient(z, x)
print(outer.gradient(slope, x).numpy().tolist())
del outer
scale = tf.make_template(
    "scale", lambda v: v * tf.get_variable("s", [], initializer=tf.constant_initializer(3.0))
)
print(scale(2.0).numpy(), scale(tf.constant([1.0, 2.0])).numpy(), len(scale.variables))
print(bool(tf.equal(tf.constant(1), 1)))
print(
    tf.executing_eagerly(),
    isinstance(x, tf.Tensor),
    x.numpy().dtype,
    x[0, 1].numpy(),
    list(x[0].numpy()),
)
with tf.Graph().as_default():
    print(tf.executing_eagerly(), tf.add(1, 2).op.type)
    with tf.Session() as sess:
        print(sess.run(tf.constant([1, 2]) * 2))
