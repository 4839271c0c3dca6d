"""The second generation: a subclassed Keras model, its weights saved, its losses summarized.

Event files need protobuf: pip install 'eagerflow[messages]'
"""

import glob
import os
import tempfile

import tensorflow as tf


class Scale(tf.keras.Model):
    """A line."""

    def __init__(self):
        super().__init__()
        self.gain = tf.Variable(0.0, name="gain")
        self.offset = tf.Variable(1.0, name="offset")

    def call(self, inputs):
        return inputs * self.gain + self.offset


folder = tempfile.mkdtemp()
tf.random.set_seed(11)
inputs = tf.random.uniform([256], -1.0, 1.0)
targets = 4.0 * inputs - 1.0
model, optimizer = Scale(), tf.keras.optimizers.SGD(0.3)
average = tf.keras.metrics.Mean("loss")
with tf.summary.create_file_writer(os.path.join(folder, "logs")).as_default():
    for step in range(100):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(inputs) - targets))
        pairs = zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        optimizer.apply_gradients(pairs)
        average(loss)
        tf.summary.scalar("loss", loss, step=step)
print(f"mean loss {average.result():.3f}, last {loss:.6f}")
model.save_weights(os.path.join(folder, "weights"))
restored = Scale()
restored.load_weights(os.path.join(folder, "weights"))
assert float(restored(1.0)) == float(model(1.0))
print("The restored model at 1:", round(float(restored(1.0)), 2))
print(len(glob.glob(os.path.join(folder, "logs", "events.out.tfevents.*"))), "file of events")
