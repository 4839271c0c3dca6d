"""A convolutional generator and its critic in 2.0, with a checkpoint manager and summaries."""

import glob
import os
import random
import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

random.seed(1)  # of which Keras makes the seeds of first weights

tf.random.set_seed(1)
images = (load_digits().images.astype("float32") - 8.0) / 8.0
dataset = (
    tf.data.Dataset.from_tensor_slices(images[..., None]).shuffle(1797, seed=1).batch(128).take(6)
)
NOISE = 8


def make_generator():
    model = tf.keras.Sequential()
    model.add(tf.keras.layers.Dense(2 * 2 * 16, use_bias=False, input_shape=(NOISE,)))
    model.add(tf.keras.layers.BatchNormalization())
    model.add(tf.keras.layers.LeakyReLU())
    model.add(tf.keras.layers.Reshape((2, 2, 16)))
    assert model.output_shape == (None, 2, 2, 16)
    model.add(
        tf.keras.layers.Conv2DTranspose(8, (3, 3), strides=(2, 2), padding="same", use_bias=False)
    )
    model.add(tf.keras.layers.BatchNormalization())
    model.add(tf.keras.layers.LeakyReLU())
    model.add(tf.keras.layers.Conv2DTranspose(1, 3, strides=2, padding="same", activation="tanh"))
    return model


def make_discriminator():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(8, 3, strides=2, padding="same", input_shape=[8, 8, 1]),
            tf.keras.layers.LeakyReLU(),
            tf.keras.layers.Dropout(0.3),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(1),
        ]
    )


generator, discriminator = make_generator(), make_discriminator()
cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
optimizers = [tf.keras.optimizers.Adam(1e-3) for _ in range(2)]
folder = tempfile.mkdtemp()
checkpoint = tf.train.Checkpoint(
    step=tf.Variable(0), optimizers=optimizers, generator=generator, discriminator=discriminator
)
manager = tf.train.CheckpointManager(checkpoint, os.path.join(folder, "tf_ckpts"), max_to_keep=2)
print(manager.latest_checkpoint, generator.output_shape)


@tf.function
def train_step(real):
    noise = tf.random.normal([tf.shape(real)[0], NOISE])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        fake = generator(noise, training=True)
        real_out, fake_out = discriminator(real, training=True), discriminator(fake, training=True)
        gen_loss = cross_entropy(tf.ones_like(fake_out), fake_out)
        disc_loss = cross_entropy(tf.ones_like(real_out), real_out) + cross_entropy(
            tf.zeros_like(fake_out), fake_out
        )
    for tape, loss, model, optimizer in (
        (gen_tape, gen_loss, generator, optimizers[0]),
        (disc_tape, disc_loss, discriminator, optimizers[1]),
    ):
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return gen_loss, disc_loss


writer = tf.summary.create_file_writer(os.path.join(folder, "logs"))
with writer.as_default():
    for epoch in range(3):
        for batch in dataset:
            gen_loss, disc_loss = train_step(batch)
            checkpoint.step.assign_add(1)
            tf.summary.scalar("loss/generator", gen_loss, step=int(checkpoint.step))
        tf.summary.image(
            "samples", (generator(tf.zeros([2, NOISE]), training=False) + 1) / 2, step=epoch
        )
        tf.summary.histogram("kernel", generator.layers[0].kernel, step=epoch)
        saved = manager.save()
writer.flush()
print(os.path.basename(saved), [os.path.basename(p) for p in manager.checkpoints])
status = tf.train.Checkpoint(step=tf.Variable(0), generator=make_generator()).restore(saved)
status.expect_partial().assert_existing_objects_matched()
tags = set()
for file in glob.glob(os.path.join(folder, "logs", "*")):
    for event in tf.compat.v1.train.summary_iterator(file):
        tags.update(v.tag for v in event.summary.value)
print(sorted(tags), checkpoint.step.numpy(), np.isfinite(gen_loss) and np.isfinite(disc_loss))
