"""A training that is broken off, and goes on with another number of processes."""

import pathlib
import sys

import numpy as np
import tensorflow as tf

folder, stop_at = pathlib.Path(sys.argv[1]), int(sys.argv[2])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
count = strategy.num_replicas_in_sync
chief = strategy.extended.should_checkpoint
last = strategy.extended._communicator.rank == count - 1
x = np.random.RandomState(0).randn(48, 5).astype("float32")
y = x.sum(1)


class Stop(tf.keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == stop_at and last:
            raise RuntimeError("broken off")


tf.keras.utils.set_random_seed(3)
with strategy.scope():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input([5]),
            tf.keras.layers.Dense(8, activation="tanh"),
            tf.keras.layers.BatchNormalization(synchronized=True),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile(tf.keras.optimizers.Adam(0.01), "mse")

# A loop of one's own, whose checkpoints the chief keeps and the others throw away.
with strategy.scope():
    step, v = tf.Variable(0, dtype=tf.int64), tf.Variable(1.0)
    optimizer = tf.keras.optimizers.Adam(0.1)
checkpoint = tf.train.Checkpoint(step=step, v=v, optimizer=optimizer)
place = folder / "loop" if chief else folder / f"thrown_away_{strategy.extended._communicator.rank}"
manager = tf.train.CheckpointManager(checkpoint, str(place), max_to_keep=2)
checkpoint.restore(tf.train.latest_checkpoint(str(folder / "loop")))


@tf.function
def advance():
    def of_replica():
        with tf.GradientTape() as tape:
            loss = tf.square(v - 3.0) / count
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        step.assign_add(1)

    strategy.run(of_replica)


while int(step) < 6:
    if int(step) == 2 * stop_at:
        break
    advance()
    manager.save()

history = model.fit(
    x,
    y,
    batch_size=12,
    epochs=4,
    shuffle=False,
    verbose=0,
    callbacks=[tf.keras.callbacks.BackupAndRestore(str(folder / "backup")), Stop()],
)
weights = model.get_weights()
if chief:
    print("epochs", history.epoch)
    np.savez(folder / "weights.npz", v.numpy(), *weights)
