"""The first eager API: tfe.Network, tfe.Variable, EagerVariableStore, tfe.Saver, gradient functions."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.contrib.eager as tfe

tfe.enable_eager_execution()


class TwoLayers(tfe.Network):
    def __init__(self, name=None):
        super(TwoLayers, self).__init__(name=name)
        init = tf.random_uniform_initializer(-0.5, 0.5, seed=3)
        self.layer1 = self.track_layer(
            tf.layers.Dense(8, activation=tf.nn.tanh, kernel_initializer=init)
        )
        self.layer2 = self.track_layer(tf.layers.Dense(1, kernel_initializer=init))

    def call(self, x):
        return self.layer2(self.layer1(x))


def loss(net, x, y):
    return tf.losses.mean_squared_error(y, net(x))


x = np.linspace(-2, 2, 60).astype(np.float32)[:, None]
y = (x**2).astype(np.float32)
net = TwoLayers()
value_and_gradients = tfe.implicit_value_and_gradients(loss)
optimizer = tf.train.AdamOptimizer(0.05)
step = tfe.Variable(0, dtype=tf.int64, trainable=False, name="step")
for i in range(150):
    value, gradients = value_and_gradients(net, x, y)
    optimizer.apply_gradients(gradients, global_step=step)
    if i % 50 == 0:
        print("step %3d loss %.4f" % (i, value.numpy()))
print(
    step.numpy(),
    len(net.variables),
    net.layers[0] is net.layer1,
    [v.shape.as_list() for v in net.trainable_weights],
)
assert value.numpy() < 0.1

path = os.path.join(tempfile.mkdtemp(), "net")
saved = tfe.Saver(net.variables).save(path, global_step=step)
before = net(x).numpy()
for v in net.variables:
    v.assign(tf.zeros_like(v))
tfe.Saver(net.variables).restore(saved)
print(os.path.basename(saved), np.allclose(net(x).numpy(), before))

square = lambda v: tf.multiply(v, v)  # noqa: E731
grad = tfe.gradients_function(square)
second = tfe.gradients_function(lambda v: grad(v)[0])
print(grad(3.0), second(3.0)[0].numpy(), tfe.value_and_gradients_function(square)(4.0)[0].numpy())
partial = tfe.gradients_function(lambda a, b: a * b * b, params=["b"])
print([g.numpy() for g in partial(2.0, 3.0)])


@tfe.custom_gradient
def log1pexp(v):
    e = tf.exp(v)
    return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


print(tfe.gradients_function(log1pexp)(100.0)[0].numpy())
w = tfe.Variable(5.0, name="w")
print(w.read_value().numpy(), w.assign_add(1.0).numpy(), (w + 1).numpy(), tfe.Variable([1.0]).shape)
container = tfe.EagerVariableStore()
for _ in range(2):
    with container.as_default():
        dense = tf.layers.dense(
            tf.ones([1, 2]), 3, name="d", kernel_initializer=tf.ones_initializer()
        )
        own = tf.get_variable("own", [2], initializer=tf.zeros_initializer())
print(
    dense.numpy(),
    sorted(v.name for v in container.variables()),
    len(container.trainable_variables()),
)
print(tfe.in_eager_mode(), tfe.num_gpus() >= 0)
print(
    tfe.py_func(lambda a: a * 2, [tf.constant(3)], tf.int32).numpy(),
    tfe.list_devices()[0].split("/")[-1][:10],
)
for batch in tfe.Iterator(tf.data.Dataset.range(5).batch(2)):
    print(batch.numpy())
