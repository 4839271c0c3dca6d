"""What the digits examples share: the data, and the pictures of how the training went."""

import math

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def load_data():
    """Train and test images, float32 [n, 8, 8, 1] in 0 to 1, and their labels, int64 [n]."""
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[..., np.newaxis]
    labels = digits.target.astype(np.int64)
    return train_test_split(images, labels, test_size=0.2, random_state=0, stratify=labels)


def plot_training(losses, accuracies, path):
    """Draws the loss of every step and the accuracies of every epoch."""
    epochs = np.arange(1, len(accuracies) + 1)
    steps = (np.arange(len(losses)) + 1) * len(epochs) / len(losses)
    train_accuracies, test_accuracies = np.transpose(accuracies)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.semilogy(steps, losses, color="tab:blue", alpha=0.3, linewidth=0.8, label="each step")
    means = np.reshape(losses, [len(epochs), -1]).mean(axis=1)
    left.semilogy(epochs, means, color="tab:blue", marker=".", label="mean of the epoch")
    left.set(xlabel="epoch", ylabel="cross-entropy", title="Training loss")
    right.plot(epochs, train_accuracies, color="tab:blue", marker=".", label="train (with dropout)")
    right.plot(epochs, test_accuracies, color="tab:orange", marker=".", label="test")
    right.set(xlabel="epoch", ylabel="share read correctly", title="Accuracy", ylim=(0.85, 1.005))
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def plot_misread(images, labels, probabilities, path, columns=4, at_most=12):
    """Draws the misread digits, the surest mistakes first, and what they were taken for."""
    read = probabilities.argmax(axis=-1)
    confidence = probabilities.max(axis=-1)
    misread = np.flatnonzero(read != labels)
    shown = misread[np.argsort(-confidence[misread])][:at_most]
    rows = max(1, math.ceil(len(shown) / columns))
    figure, grid = plt.subplots(
        rows,
        columns,
        figsize=(1.8 * columns, 0.4 + 2.2 * rows),
        layout="constrained",
        squeeze=False,
    )
    figure.suptitle(f"{len(misread)} of {len(labels)} test digits misread")
    for axes in grid.flat:
        axes.axis("off")
    for axes, i in zip(grid.flat, shown, strict=False):
        axes.imshow(images[i, ..., 0], cmap="gray_r")
        axes.set_title(f"{labels[i]}, read as {read[i]}\n({confidence[i]:.0%} sure)", fontsize=9)
    figure.savefig(path, dpi=120)
    plt.close(figure)
