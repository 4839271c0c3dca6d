"""Connectionist temporal classification with dense labels."""

import numpy as np

from oracle.inputs import gradient, tensor
from oracle.registry import case

LABELS = np.array([[1, 2, 2, 0], [3, 0, 0, 0], [1, 1, 3, 2]], np.int32)


@case(loose=50, dtype=("float32",), blank=(None, 0, -1, 4), batch_first=(False, True))
def loss(tf, dtype, blank, batch_first):
    logits = tensor(tf, (3, 8, 5) if batch_first else (8, 3, 5), dtype)

    def run(logits):
        labels = LABELS - 1 if blank in (-1, 4) else LABELS
        return tf.nn.ctc_loss(
            np.maximum(labels, 0), logits, [3, 1, 4], [8, 5, 7], not batch_first, blank_index=blank
        )

    return gradient(tf, run, logits)


@case(loose=50)
def no_labels(tf):
    return tf.nn.ctc_loss(LABELS, tensor(tf, (6, 3, 5)), [0, 1, 2], [6, 6, 6])


@case
def unique_labels(tf):
    return tf.nn.ctc_unique_labels(LABELS), tf.nn.ctc_unique_labels([[7, 7, 3, 7, 3]])


@case(dtype=("int32", "int64"))
def collapse_repeated(tf, dtype):
    labels = tf.constant([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0], [0, 0, 1, 0, 0]], dtype)
    return tf.nn.collapse_repeated(labels, [5, 3, 4])
