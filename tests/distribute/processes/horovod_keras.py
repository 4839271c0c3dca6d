"""Tapes, optimizers and callbacks of Horovod: the weights stay the same on all processes."""

import horovod.tensorflow as hvd
import horovod.tensorflow.keras as hvd_keras
import numpy as np
import tensorflow as tf
from horovod.tensorflow.keras.callbacks import MetricAverageCallback

hvd.init()
rank, size = hvd.rank(), hvd.size()

w = tf.Variable([2.0])


@tf.function
def gradient(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * x)
    return hvd.DistributedGradientTape(tape).gradient(loss, [w])[0]


np.testing.assert_allclose(gradient(tf.constant([float(rank)])), [(size - 1) / 2])
table = tf.Variable(np.zeros((4, 2), "float32"))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.gather(table, [rank]))
(rows,) = hvd.DistributedGradientTape(tape, op=hvd.Sum).gradient(loss, [table])
assert isinstance(rows, tf.IndexedSlices)
np.testing.assert_array_equal(tf.convert_to_tensor(rows)[:size], np.ones([size, 2]))

random = np.random.RandomState(0)
x = random.randn(64, 5).astype("float32")
y = x.sum(1, keepdims=True)


def trained(optimizer, x, y, batch_size, **options):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)]
    )
    model.compile(optimizer, "mse", **options)
    model.fit(x, y, batch_size=batch_size, epochs=3, verbose=0, shuffle=False)
    return model.get_weights(), int(model.optimizer.iterations)


# Each process takes its part of every batch; several passes make a step as one large batch does.
for passes in (1, 2):
    for eagerly in (False, True):
        own = np.arange(64).reshape(-1, size, 16 // size)[:, rank].ravel()
        optimizer = hvd.DistributedOptimizer(
            tf.keras.optimizers.SGD(0.05, momentum=0.9),
            backward_passes_per_step=passes,
            average_aggregated_gradients=True,
        )
        assert type(optimizer).__name__ == "SGD"
        found, steps = trained(optimizer, x[own], y[own], 16 // size, run_eagerly=eagerly)
        assert steps == 12
        expected, _ = trained(tf.keras.optimizers.SGD(0.05, momentum=0.9), x, y, 16 * passes)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)

# An optimizer that adds up gradients itself, as Keras 3's do, wrapped or with a wrapped tape.
for eagerly in (False, True):
    optimizer = hvd.DistributedOptimizer(
        tf.keras.optimizers.SGD(0.05, momentum=0.9, gradient_accumulation_steps=2)
    )
    found, steps = trained(optimizer, x[own], y[own], 16 // size, run_eagerly=eagerly)
    assert steps == 6
    expected, _ = trained(tf.keras.optimizers.SGD(0.05, momentum=0.9), x, y, 32)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)

# Weights that begin differently become the same.
tf.keras.utils.set_random_seed(rank)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(hvd_keras.DistributedOptimizer(tf.keras.optimizers.SGD(0.01 * size)), "mse")
history = model.fit(
    x[rank::size],
    y[rank::size],
    epochs=3,
    verbose=0,
    callbacks=[
        hvd_keras.callbacks.BroadcastGlobalVariablesCallback(0),
        MetricAverageCallback(),
        hvd_keras.callbacks.LearningRateWarmupCallback(0.01 * size, warmup_epochs=2),
    ],
).history
weights = hvd.allgather_object([weight.tolist() for weight in model.get_weights()])
assert all(each == weights[0] for each in weights)
assert all(each == history for each in hvd.allgather_object(history))
np.testing.assert_allclose(history["lr"][1:], [0.01 * size] * 2, rtol=1e-6)
assert history["lr"][0] < 0.01 * size
print("done")
