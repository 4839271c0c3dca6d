"""Trains a network to read handwritten digits and writes all of it for TensorBoard.

    python examples/digits_tensorboard.py --out logs
    tensorboard --logdir logs

The Keras callback writes losses, accuracies and histograms of the weights; the program itself adds
what only it knows: the misread digits as images, the confusion matrix as an image and a table of
text, and a sound for each epoch, the higher the better the network reads.
"""

import argparse

import numpy as np
from digits_common import load_data

import eagerflow as tf

CLASSES = 10
SAMPLE_RATE = 8000


def digit_reader():
    """Two dense layers: [n, 8, 8, 1] images to [n, 10] logits."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Flatten(input_shape=(8, 8, 1)),
            layers.Dense(64, activation="relu", name="hidden"),
            layers.Dense(CLASSES, name="digits"),
        ]
    )


def tone(accuracy):
    """Half a second of a sine, [1, samples, 1]: from 220 Hz for no digit read to 880 Hz for all."""
    seconds = np.arange(SAMPLE_RATE // 2) / SAMPLE_RATE
    wave = np.sin(2 * np.pi * 220 * 4**accuracy * seconds) * np.hanning(len(seconds))
    return 0.5 * wave[np.newaxis, :, np.newaxis].astype(np.float32)


def confusion_table(counts):
    """The digits read for each digit, as a table in Markdown."""
    head = "| digit | " + " | ".join(f"read as {k}" for k in range(CLASSES)) + " |"
    rows = [f"| **{k}** | " + " | ".join(map(str, row)) + " |" for k, row in enumerate(counts)]
    return "\n".join([head, "|---" * (CLASSES + 1) + "|", *rows])


class Pictures(tf.keras.callbacks.Callback):
    """Writes what the network makes of the test digits, after every epoch."""

    def __init__(self, folder, images, labels):
        super().__init__()
        self.writer = tf.summary.create_file_writer(f"{folder}/pictures")
        self.images, self.labels = images, labels

    def on_epoch_end(self, epoch, logs=None):
        probabilities = tf.nn.softmax(self.model(self.images))
        read = tf.argmax(probabilities, -1)
        counts = tf.math.confusion_matrix(self.labels, read, CLASSES).numpy()
        shares = counts / counts.sum(axis=1, keepdims=True)
        wrong = read.numpy() != self.labels
        with self.writer.as_default(step=epoch):
            tf.summary.scalar("misread", wrong.sum())
            tf.summary.histogram("confidence", tf.reduce_max(probabilities, -1))
            tf.summary.image("misread_digits", 1 - self.images[wrong], max_outputs=6)
            tf.summary.image("confusion", 1 - shares[np.newaxis, ..., np.newaxis])
            tf.summary.text("confusion_table", confusion_table(counts))
            tf.summary.audio("accuracy_tone", tone(1 - wrong.mean()), SAMPLE_RATE)

    def on_train_end(self, logs=None):
        self.writer.close()


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--out", default="logs", help="the folder for the event files")
    arguments = parser.parse_args()
    tf.keras.utils.set_random_seed(0)
    train_images, test_images, train_labels, test_labels = load_data()
    model = digit_reader()
    model.compile(
        "adam",
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        train_images,
        train_labels,
        epochs=arguments.epochs,
        validation_data=(test_images, test_labels),
        callbacks=[
            tf.keras.callbacks.TensorBoard(arguments.out, histogram_freq=1),
            Pictures(arguments.out, test_images, test_labels),
        ],
        verbose=2,
    )
    _, accuracy = model.evaluate(test_images, test_labels, verbose=0)
    print(f"test accuracy: {accuracy:.3f}")


if __name__ == "__main__":
    main()
