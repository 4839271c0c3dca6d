"""A training, an evaluation and a prediction; its numbers are written to a file."""

import sys

import numpy as np
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
random = np.random.RandomState(0)
x = random.randn(64, 6).astype("float32")
y = (x.sum(1) > 0).astype("int64")
results = {}
for eagerly, steps in ((False, None), (True, None), (False, 2)):
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(16, activation="relu", kernel_regularizer="l2"),
                tf.keras.layers.BatchNormalization(synchronized=True),
                tf.keras.layers.Dense(2),
            ]
        )
        model.compile(
            tf.keras.optimizers.Adam(0.01, gradient_accumulation_steps=steps),
            tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
            run_eagerly=eagerly,
        )
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)
    logs = [model.fit(dataset, epochs=2, verbose=0)]
    logs.append(model.fit(x, y, batch_size=16, epochs=2, verbose=0, validation_split=0.25))
    logs.append(
        model.fit(
            strategy.experimental_distribute_dataset(dataset.repeat()),
            steps_per_epoch=3,
            epochs=2,
            verbose=0,
        )
    )
    found = {
        f"{k} {name}": each for k, log in enumerate(logs) for name, each in log.history.items()
    }
    found["evaluated"] = model.evaluate(x, y, batch_size=16, verbose=0)
    found["predicted"] = model.predict(x[:21], batch_size=16, verbose=0)
    found |= {f"weight {k}": weight for k, weight in enumerate(model.get_weights())}
    results |= {f"{eagerly} {steps} {key}": value for key, value in found.items()}

# A loop of one's own.
with strategy.scope():
    v = tf.Variable(tf.ones([6, 1]))
    optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def step(batch):
    def of_replica(rows):
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(tf.square(rows @ v)[:, 0], global_batch_size=16)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return loss

    return strategy.reduce("SUM", strategy.run(of_replica, (batch,)), axis=None)


batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(x).batch(16))
results["losses"] = [float(step(batch)) for batch in batches]
results["v"] = v.numpy()
if strategy.extended.should_checkpoint:
    np.savez(sys.argv[1], **results)
