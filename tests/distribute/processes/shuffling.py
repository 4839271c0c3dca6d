"""Processes that shuffle without a seed read every element once."""

import pathlib
import random
import sys

import numpy as np
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
communicator = strategy.extended._communicator
x = np.arange(48.0, dtype="float32")[:, None]


class Notes(tf.keras.Model):
    """Remembers what it is trained on."""

    def __init__(self):
        super().__init__()
        self.v = tf.Variable(0.0)
        self.seen = []

    def train_step(self, data):
        rows = data[0] if isinstance(data, tuple) else data
        self.seen.append(tf.reshape(rows, [-1]).numpy())
        return {"loss": tf.constant(0.0)}


class Batches(tf.keras.utils.Sequence):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return x[index * 8 : index * 8 + 8]


def seen(data, **options):
    """What all processes have seen of two epochs, each in its order."""
    with strategy.scope():
        model = Notes()
        model.compile(run_eagerly=True)
    model.fit(data, epochs=2, verbose=0, **options)
    parts = communicator.all_gather_object(np.split(np.concatenate(model.seen), 2))
    return [np.concatenate(epoch) for epoch in zip(*parts, strict=True)]


random.seed(communicator.rank)
dataset = tf.data.Dataset.from_tensor_slices(x)
for epochs in (
    seen(x, batch_size=8),
    seen(x, batch_size=8, shuffle="batch"),
    seen(Batches(), shuffle=True),
    seen(dataset.shuffle(48).batch(8)),
    seen(strategy.experimental_distribute_dataset(dataset.shuffle(48).batch(8))),
):
    for epoch in epochs:
        np.testing.assert_array_equal(np.sort(epoch), x[:, 0])
        assert (epoch != x[:, 0]).any()
    assert (epochs[0] != epochs[1]).any()

# Files are listed in random order.
folder = pathlib.Path(sys.argv[1])
if communicator.rank == 0:
    for number in range(4):
        (folder / f"{number}.txt").write_text("".join(f"{12 * number + k}\n" for k in range(12)))
communicator.barrier()
files = tf.data.Dataset.list_files(f"{folder}/*.txt")
lines = files.interleave(tf.data.TextLineDataset).map(tf.strings.to_number)
for epoch in seen(lines.batch(4 * communicator.size)):
    np.testing.assert_array_equal(np.sort(epoch), x[:, 0])
print("done")
