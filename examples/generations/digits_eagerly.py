"""Eager training as in 1.7: tfe.Iterator, implicit gradients, tfe.metrics, checkpoints, contrib.summary."""

from __future__ import absolute_import, division, print_function

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.contrib.eager as tfe
from sklearn.datasets import load_digits

tf.enable_eager_execution()
tf.set_random_seed(1)


class Net(tf.keras.Model):
    def __init__(self):
        super(Net, self).__init__()
        self.hidden = tf.layers.Dense(32, activation=tf.nn.relu)
        self.dropout = tf.layers.Dropout(0.1)
        self.out = tf.layers.Dense(10)

    def call(self, inputs, training=False):
        return self.out(self.dropout(self.hidden(inputs), training=training))


def loss(predictions, labels):
    return tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits(logits=predictions, labels=tf.one_hot(labels, 10))
    )


def train_one_epoch(model, optimizer, dataset):
    tf.train.get_or_create_global_step()

    def model_loss(images, labels):
        prediction = model(images, training=True)
        value = loss(prediction, labels)
        tf.contrib.summary.scalar("loss", value)
        return value

    for images, labels in tfe.Iterator(dataset):
        with tf.contrib.summary.record_summaries_every_n_global_steps(5):
            batch_loss = lambda: model_loss(images, labels)  # noqa: E731, B023
            optimizer.minimize(batch_loss, global_step=tf.train.get_global_step())


def test(model, dataset):
    average = tfe.metrics.Mean("loss")
    accuracy = tfe.metrics.Accuracy("accuracy")
    for images, labels in tfe.Iterator(dataset):
        predictions = model(images, training=False)
        average(loss(predictions, labels))
        accuracy(tf.argmax(predictions, axis=1, output_type=tf.int64), tf.cast(labels, tf.int64))
    with tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar("loss", average.result())
        tf.contrib.summary.scalar("accuracy", accuracy.result())
    return average.result(), accuracy.result()


digits = load_digits()
x, y = (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int32)
train_ds = tf.data.Dataset.from_tensor_slices((x[:1500], y[:1500])).shuffle(1500, seed=2).batch(50)
test_ds = tf.data.Dataset.from_tensor_slices((x[1500:], y[1500:])).batch(100)
folder = tempfile.mkdtemp()
device, data_format = (
    ("/gpu:0", "channels_first") if tfe.num_gpus() > 100 else ("/cpu:0", "channels_last")
)
model, optimizer = Net(), tf.train.MomentumOptimizer(0.1, 0.9)
step = tf.train.get_or_create_global_step()
checkpoint = tfe.Checkpoint(model=model, optimizer=optimizer, global_step=step)
checkpoint.restore(tf.train.latest_checkpoint(folder))
writer = tf.contrib.summary.create_file_writer(os.path.join(folder, "train"), flush_millis=1000)
with tf.device(device):
    for _ in range(6):
        with writer.as_default():
            train_one_epoch(model, optimizer, train_ds)
    with writer.as_default():
        average, accuracy = test(model, test_ds)
path = checkpoint.save(os.path.join(folder, "ckpt"))
print("steps %d, good: %s" % (step.numpy(), accuracy.numpy() > 0.88), os.path.basename(path))
again = Net()
tfe.Checkpoint(model=again).restore(path)
print(np.allclose(again(x[:3]).numpy(), model(x[:3]).numpy()), [v.name for v in model.variables])
events = glob.glob(os.path.join(folder, "train", "*"))
tags = [v.tag for e in tf.train.summary_iterator(events[0]) for v in e.summary.value]
print(len(events), sorted(set(tags)), len(tags), tfe.metrics.Mean("m").name)
assert accuracy.numpy() > 0.88
