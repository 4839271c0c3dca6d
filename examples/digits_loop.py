"""Trains a small convolutional network to read handwritten digits, with a loop of its own.

    python examples/digits_loop.py

The same as digits.py, written with variables, gradient tapes and an optimizer instead of Keras.
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
from tqdm import tqdm

import eagerflow as tf

CLASSES = 10


def he_normal(shape, fan_in):
    """Random weights whose layer keeps the variance of its inputs (He et al., 2015)."""
    return tf.random.normal(shape, stddev=math.sqrt(2 / fan_in))


class Conv(tf.Module):
    """A 3×3 convolution and a ReLU; keeps height and width."""

    def __init__(self, channels_in, channels_out, name=None):
        super().__init__(name=name)
        shape = [3, 3, channels_in, channels_out]
        self.kernel = tf.Variable(he_normal(shape, fan_in=9 * channels_in), name="kernel")
        self.bias = tf.Variable(tf.zeros([channels_out]), name="bias")

    def __call__(self, images):
        images = tf.nn.conv2d(images, self.kernel, strides=1, padding="SAME")
        return tf.nn.relu(tf.nn.bias_add(images, self.bias))


class Dense(tf.Module):
    """An affine map of vectors."""

    def __init__(self, size_in, size_out, name=None):
        super().__init__(name=name)
        self.weights = tf.Variable(he_normal([size_in, size_out], fan_in=size_in), name="weights")
        self.bias = tf.Variable(tf.zeros([size_out]), name="bias")

    def __call__(self, vectors):
        return vectors @ self.weights + self.bias


class DigitReader(tf.Module):
    """Two convolutions, a pooling and a dense layer: [n, 8, 8, 1] images to [n, 10] logits."""

    def __init__(self):
        super().__init__(name="digit_reader")
        self.convolutions = [Conv(1, 16, name="conv1"), Conv(16, 32, name="conv2")]
        self.dense = Dense(4 * 4 * 32, CLASSES, name="dense")

    def __call__(self, images, training=False):
        for convolution in self.convolutions:
            images = convolution(images)
        images = tf.nn.max_pool2d(images, ksize=2, strides=2, padding="VALID")
        vectors = tf.reshape(images, [-1, 4 * 4 * 32])
        if training:
            vectors = tf.nn.dropout(vectors, rate=0.3)
        return self.dense(vectors)


def count_correct(logits, labels):
    """How many images have their largest logit at their label."""
    correct = tf.equal(tf.argmax(logits, axis=-1), labels)
    return int(tf.reduce_sum(tf.cast(correct, tf.int32)))


def train_step(model, optimizer, images, labels):
    """One step of gradient descent; returns the mean loss and the logits before it."""
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss, logits


def train(model, train_set, test_set, epochs, batch_size):
    """Trains the model with Adam; returns each step's loss and each epoch's two accuracies."""
    images, labels = map(tf.constant, train_set)
    test_images, test_labels = map(tf.constant, test_set)
    optimizer = tf.optimizers.Adam(learning_rate=2e-3)
    starts = range(0, len(labels), batch_size)
    losses = []
    accuracies = []
    seconds = 0.0
    with tqdm(total=epochs * len(starts), unit="step", dynamic_ncols=True) as bar:
        for epoch in range(1, epochs + 1):
            started = time.perf_counter()
            correct = 0
            order = tf.random.shuffle(tf.range(len(labels)))
            for start in starts:
                chosen = order[start : start + batch_size]
                batch_labels = tf.gather(labels, chosen)
                loss, logits = train_step(model, optimizer, tf.gather(images, chosen), batch_labels)
                losses.append(float(loss))
                correct += count_correct(logits, batch_labels)
                bar.update()
            seconds += time.perf_counter() - started

            train_accuracy = correct / len(labels)
            test_accuracy = count_correct(model(test_images), test_labels) / len(test_labels)
            accuracies.append((train_accuracy, test_accuracy))
            bar.write(
                f"epoch {epoch:2d}   loss {np.mean(losses[-len(starts) :]):.4f}   "
                f"train accuracy {train_accuracy:.4f}   test accuracy {test_accuracy:.4f}"
            )
    print(f"images per second: {epochs * len(labels) / seconds:,.0f}")
    return losses, accuracies


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the pictures")
    arguments = parser.parse_args()

    tf.random.set_seed(arguments.seed)
    train_images, test_images, train_labels, test_labels = load_data()
    model = DigitReader()
    weights = sum(variable.numpy().size for variable in model.trainable_variables)
    print(f"{len(train_labels)} digits to learn from, {len(test_labels)} to test on")
    print(f"{weights:,} weights in {len(model.trainable_variables)} variables")

    losses, accuracies = train(
        model,
        (train_images, train_labels),
        (test_images, test_labels),
        arguments.epochs,
        arguments.batch_size,
    )
    probabilities = tf.nn.softmax(model(tf.constant(test_images))).numpy()
    arguments.out.mkdir(parents=True, exist_ok=True)
    plot_training(losses, accuracies, arguments.out / "loss.png")
    plot_misread(test_images, test_labels, probabilities, arguments.out / "misread.png")
    print(f"test accuracy: {accuracies[-1][1]:.4f}")


if __name__ == "__main__":
    main()
