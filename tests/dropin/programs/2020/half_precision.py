"""Mixed precision as 2.1 to 2.3 had it: experimental policies, loss scaling, a loop of one's own."""

import random

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.mixed_precision import experimental as mixed_precision

random.seed(1)  # of which Keras makes the seeds of first weights

policy = mixed_precision.Policy("mixed_float16")
mixed_precision.set_policy(policy)
print("Compute dtype: %s" % policy.compute_dtype, "Variable dtype: %s" % policy.variable_dtype)
digits = load_digits()
x, y = digits.data.astype("float32") / 16, digits.target.astype("int64")
inputs = keras.Input(shape=(64,), name="digits")
dense1 = layers.Dense(48, activation="relu", name="dense_1")
h = dense1(inputs)
print(h.dtype, dense1.kernel.dtype, mixed_precision.global_policy().name)
h = layers.Dense(10, name="dense_logits")(h)
outputs = layers.Activation("softmax", dtype="float32", name="predictions")(h)
model = keras.Model(inputs=inputs, outputs=outputs)
model.compile(
    loss="sparse_categorical_crossentropy",
    optimizer=keras.optimizers.Adam(0.01),
    metrics=["accuracy"],
)
model.fit(x[:1500], y[:1500], batch_size=100, epochs=3, verbose=0)
loss, accuracy = model.evaluate(x[1500:], y[1500:], verbose=0)
print("good: %s" % (accuracy > 0.8), outputs.dtype)

optimizer = mixed_precision.LossScaleOptimizer(
    keras.optimizers.RMSprop(0.005), loss_scale="dynamic"
)
loss_object = keras.losses.SparseCategoricalCrossentropy()


@tf.function
def train_step(rows, labels):
    with tf.GradientTape() as tape:
        predictions = model(rows)
        loss = loss_object(labels, predictions)
        scaled_loss = optimizer.get_scaled_loss(loss)
    scaled_gradients = tape.gradient(scaled_loss, model.trainable_variables)
    gradients = optimizer.get_unscaled_gradients(scaled_gradients)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


losses = [float(train_step(x[k : k + 100], y[k : k + 100])) for k in range(0, 1500, 100)]
print("finite: %s" % np.isfinite(losses).all(), type(optimizer).__name__, dense1(x[:2]).dtype)
mixed_precision.set_policy("float32")
print(layers.Dense(2)(x[:2]).dtype)
assert accuracy > 0.8
