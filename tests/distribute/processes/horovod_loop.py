"""A program in the shape of Horovod's examples: a loop of its own, and checkpoints of the first process."""

import pathlib
import sys

import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf

hvd.init()
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)

random = np.random.RandomState(0)
images = random.randn(256, 8, 8, 1).astype("float32")
labels = (images.sum((1, 2, 3)) > 0).astype("int64")
dataset = tf.data.Dataset.from_tensor_slices((images, labels))
dataset = dataset.shard(hvd.size(), hvd.rank()).repeat().shuffle(64, seed=hvd.rank()).batch(16)

tf.keras.utils.set_random_seed(hvd.rank())  # the first process's weights count
model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(2),
    ]
)
loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.002 * hvd.size())
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)


@tf.function
def training_step(images, labels, first_batch):
    with tf.GradientTape() as tape:
        loss = loss_of(labels, model(images, training=True))
    tape = hvd.DistributedGradientTape(tape, compression=hvd.Compression.fp16)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    if first_batch:
        hvd.broadcast_variables(model.variables, root_rank=0)
        hvd.broadcast_variables(optimizer.variables, root_rank=0)
    return loss


losses = [
    float(training_step(*batch, number == 0))
    for number, batch in enumerate(dataset.take(200 // hvd.size()))
]
assert np.mean(losses[-5:]) < 0.6 * np.mean(losses[:5]), losses
weights = hvd.allgather_object([weight.numpy() for weight in model.weights])
for others in weights:
    for one, other in zip(weights[0], others, strict=True):
        np.testing.assert_array_equal(one, other)
mean = hvd.allreduce(tf.constant(losses[-1]))
np.testing.assert_allclose(mean, np.mean(hvd.allgather_object(losses[-1])), rtol=1e-5)
if hvd.rank() == 0:
    checkpoint.save(str(pathlib.Path(sys.argv[1]) / "checkpoint"))
print("done")
