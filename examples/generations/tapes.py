"""The second generation: tensors, tapes of several kinds, and a module that is trained by hand."""

import numpy as np
import tensorflow as tf

assert tf.executing_eagerly()
grid = tf.reshape(tf.range(6), [2, 3])
print(grid * 2, np.add(grid, 1), sep="\n")

x = tf.constant(1.5)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    square, wave = x * x, tf.sin(x)
print("Two gradients of one tape:", float(tape.gradient(square, x)), float(tape.gradient(wave, x)))
del tape

with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.exp(2.0 * x)
    first = inner.gradient(y, x)
second = outer.gradient(first, x)
assert abs(float(second / y) - 4.0) < 1e-5

try:
    inner.gradient(y, x)
except RuntimeError as error:
    print("Once only:", error)


@tf.custom_gradient
def rounded(x):
    """Rounds, and lets gradients through."""
    return tf.round(x), lambda dy: dy


with tf.GradientTape() as tape:
    tape.watch(x)
    y = rounded(x) * 3.0
print("Through a rounding:", float(tape.gradient(y, x)))


class Polynomial(tf.Module):
    """A polynomial with coefficients to be found."""

    def __init__(self, degree):
        super().__init__()
        self.coefficients = [tf.Variable(0.0, name=f"c{k}") for k in range(degree + 1)]

    def __call__(self, x):
        return tf.add_n([c * x ** float(k) for k, c in enumerate(self.coefficients)])


model = Polynomial(2)
inputs = tf.linspace(-1.0, 1.0, 50)
targets = 0.5 - 2.0 * inputs + 3.0 * inputs**2
optimizer = tf.keras.optimizers.Adam(0.1)
for _ in range(300):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(inputs) - targets))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
print("Coefficients:", [round(float(c), 2) for c in model.coefficients])
assert loss < 1e-3
