"""Trains a small convolutional network to read handwritten digits.

    python examples/digits.py

The data are the 1,797 scans of handwritten digits, 8×8 pixels each, that scikit-learn ships (UCI,
"Optical Recognition of Handwritten Digits"). A fifth of them is kept aside as the test set. Writes
loss.png, how the training went, and misread.png, the test digits that the network gets wrong.
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np
from digits_common import load_data, plot_misread, plot_training

import eagerflow as tf

CLASSES = 10


def digit_reader():
    """Two convolutions, a pooling and a dense layer: [n, 8, 8, 1] images to [n, 10] logits."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Conv2D(
                16,
                3,
                padding="same",
                activation="relu",
                kernel_initializer="he_normal",
                input_shape=(8, 8, 1),
            ),
            layers.Conv2D(32, 3, padding="same", activation="relu", kernel_initializer="he_normal"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(CLASSES),
        ],
        name="digit_reader",
    )


class StepLosses(tf.keras.callbacks.Callback):
    """Keeps the loss of every step, while the logs hold the mean over the epoch so far."""

    def __init__(self, samples, batch_size):
        super().__init__()
        self.samples = samples
        self.batch_size = batch_size
        self.losses = []

    def on_epoch_begin(self, epoch, logs=None):
        self.seen = 0
        self.total = 0.0

    def on_train_batch_end(self, batch, logs=None):
        size = min(self.batch_size, self.samples - self.seen)
        self.seen += size
        total = logs["loss"] * self.seen
        self.losses.append((total - self.total) / size)
        self.total = total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the pictures")
    arguments = parser.parse_args()

    tf.keras.utils.set_random_seed(arguments.seed)
    train_images, test_images, train_labels, test_labels = load_data()
    model = digit_reader()
    steps_in_all = arguments.epochs * math.ceil(len(train_labels) / arguments.batch_size)
    rate = tf.keras.optimizers.schedules.CosineDecay(2e-3, steps_in_all)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate=rate),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.summary()
    print(f"{len(train_labels)} digits to learn from, {len(test_labels)} to test on")

    steps = StepLosses(len(train_labels), arguments.batch_size)
    started = time.perf_counter()
    history = model.fit(
        train_images,
        train_labels,
        batch_size=arguments.batch_size,
        epochs=arguments.epochs,
        validation_data=(test_images, test_labels),
        callbacks=[steps],
    ).history
    seconds = time.perf_counter() - started
    print(f"images per second: {arguments.epochs * len(train_labels) / seconds:,.0f}")

    probabilities = tf.nn.softmax(model.predict(test_images, verbose=0)).numpy()
    arguments.out.mkdir(parents=True, exist_ok=True)
    accuracies = np.transpose([history["accuracy"], history["val_accuracy"]])
    plot_training(steps.losses, accuracies, arguments.out / "loss.png")
    plot_misread(test_images, test_labels, probabilities, arguments.out / "misread.png")
    print(f"test accuracy: {history['val_accuracy'][-1]:.4f}")


if __name__ == "__main__":
    main()
