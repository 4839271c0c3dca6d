"""MirroredStrategy with a training loop of one's own, as 2.0 taught it."""

import random

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_iris

random.seed(1)  # of which Keras makes the seeds of first weights

iris = load_iris()
order = np.random.RandomState(0).permutation(150)
x = iris.data.astype(np.float32)[order]
x, y = (x - x.mean(0)) / x.std(0), iris.target[order]
tf.config.experimental.set_virtual_device_configuration(
    tf.config.experimental.list_physical_devices("CPU")[0],
    [tf.config.experimental.VirtualDeviceConfiguration()] * 2,
)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
print("Number of devices: {}".format(strategy.num_replicas_in_sync))
GLOBAL_BATCH_SIZE = 15 * strategy.num_replicas_in_sync
train = tf.data.Dataset.from_tensor_slices((x[:120], y[:120])).batch(GLOBAL_BATCH_SIZE)
test = tf.data.Dataset.from_tensor_slices((x[120:], y[120:])).batch(GLOBAL_BATCH_SIZE)
train_dist = strategy.experimental_distribute_dataset(train)
test_dist = strategy.experimental_distribute_dataset(test)

with strategy.scope():
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction=tf.keras.losses.Reduction.NONE
    )

    def compute_loss(labels, predictions):
        return tf.nn.compute_average_loss(
            loss_object(labels, predictions), global_batch_size=GLOBAL_BATCH_SIZE
        )

    test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="test_accuracy")
    init = tf.keras.initializers.GlorotUniform(seed=1)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(16, activation="relu", kernel_initializer=init, input_shape=(4,)),
            tf.keras.layers.Dense(3, kernel_initializer=init),
        ]
    )
    optimizer = tf.keras.optimizers.SGD(0.2)


def train_step(inputs):
    images, labels = inputs
    with tf.GradientTape() as tape:
        loss = compute_loss(labels, model(images, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def test_step(inputs):
    images, labels = inputs
    test_accuracy.update_state(labels, model(images, training=False))


run = getattr(strategy, "experimental_run_v2", None) or strategy.run


@tf.function
def distributed_train_step(inputs):
    per_replica_losses = run(train_step, args=(inputs,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)


@tf.function
def distributed_test_step(inputs):
    return run(test_step, args=(inputs,))


for epoch in range(12):
    total_loss, batches = 0.0, 0
    for inputs in train_dist:
        total_loss += distributed_train_step(inputs)
        batches += 1
    if epoch % 4 == 0:
        print("epoch %d loss %.4f" % (epoch, total_loss / batches))
for inputs in test_dist:
    distributed_test_step(inputs)
print(
    "accuracy %.2f" % test_accuracy.result(),
    type(model.weights[0]).__name__,
    optimizer.iterations.numpy(),
)
with strategy.scope():
    compiled = tf.keras.models.clone_model(model)
    compiled.compile(
        tf.keras.optimizers.SGD(0.2),
        tf.keras.losses.SparseCategoricalCrossentropy(True),
        ["accuracy"],
    )
history = compiled.fit(train, epochs=3, verbose=0)
print("falls: %s" % (history.history["loss"][-1] < history.history["loss"][0]))
assert test_accuracy.result() > 0.8
