"""The first generation: functions that differentiate functions, and a line fitted with them."""

import tensorflow as tf
import tensorflow.contrib.eager as tfe

tfe.enable_eager_execution()


def volume(radius, height):
    return 3.0 * radius * radius * height


print("A product of integers:", tf.matmul([[1, 0], [2, 5]], [[3], [4]]).numpy().tolist())
by_radius, by_height = tfe.gradients_function(volume)(2.0, 5.0)
print("Derivatives of a volume:", by_radius.numpy(), by_height.numpy())
print("An integer's derivative:", tfe.gradients_function(lambda x: x**3)(2))

slope = tfe.gradients_function(tf.tanh)
curvature = tfe.gradients_function(lambda x: slope(x)[0])
print("tanh at 0.5: slope %.4f, curvature %.4f" % (slope(0.5)[0], curvature(0.5)[0]))

tf.set_random_seed(7)
inputs = tf.random_uniform([200], -1.0, 1.0)
targets = 1.5 * inputs - 0.7 + 0.05 * tf.random_normal([200])
gain = tfe.Variable(0.0, name="gain")
offset = tfe.Variable(0.0, name="offset")


def error():
    return tf.reduce_mean(tf.square(gain * inputs + offset - targets))


value_and_gradients = tfe.implicit_value_and_gradients(error)
optimizer = tf.train.MomentumOptimizer(0.1, momentum=0.8)
step = tf.train.get_or_create_global_step()
while step.numpy() < 100:
    value, pairs = value_and_gradients()
    optimizer.apply_gradients(pairs, global_step=step)
print("A line after %d steps: %.2f x + %.2f" % (step.numpy(), gain.numpy(), offset.numpy()))
assert abs(gain.numpy() - 1.5) < 0.05 and abs(offset.numpy() + 0.7) < 0.05


@tfe.custom_gradient
def clipped(x):
    """The identity, whose gradient is kept between -1 and 1."""
    return tf.identity(x), lambda dy: tf.clip_by_value(dy, -1.0, 1.0)


steep = tfe.gradients_function(lambda x: 100.0 * clipped(x))
print("A clipped gradient:", steep(1.0)[0].numpy())
