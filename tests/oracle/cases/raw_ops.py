"""TensorFlow's operations by their own names: `tf.raw_ops`. `raw_ops.txt` lists the calls."""

from pathlib import Path

import numpy as np

from oracle import registry


def run(tf, expression):
    """The result of one call."""
    return eval(expression, names(tf))


def names(tf):
    """Tensors by the names that expressions use."""
    numbers = np.arange(2 * 6 * 6 * 3, dtype="f").reshape(2, 6, 6, 3) / 100
    return dict(
        tf=tf,
        raw=tf.raw_ops,
        x=tf.constant([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]),
        n=tf.constant([[3, 1, 2], [6, 5, 4]]),
        img=tf.constant(numbers),
        kernel=tf.constant(np.sin(np.arange(54, dtype="f")).reshape(3, 3, 3, 2)),
        square=tf.constant([[4.0, 1.0], [1.0, 3.0]]),
        volume=tf.constant(np.cos(np.arange(128, dtype="f") / 9).reshape(1, 4, 4, 4, 2)),
        cube=tf.constant(np.sin(np.arange(16, dtype="f")).reshape(2, 2, 2, 2, 1)),
        wide=tf.constant(np.cos(np.arange(48, dtype="f")).reshape(6, 8)),
        states=tf.constant(np.sin(np.arange(8, dtype="f")).reshape(2, 2, 2)),
        ind=tf.constant([[0, 0], [1, 1], [1, 2]], tf.int64),
        words=tf.constant(["one two", "", "three"]),
    )


EXPRESSIONS = Path(__file__).with_suffix(".txt").read_text()

registry.expressions("raw_ops", EXPRESSIONS, run)
