"""The nearest probabilities of scores, and their loss (Martins and Astudillo, arXiv 1602.02068)."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.ops.indexing import top_k

_ops = _core.ops


def sparsemax(logits: Any, name: str | None = None) -> Any:
    """The probabilities that are nearest to scores.

    Args:
        logits: `[batch, classes]`, the number of classes known.
        name: accepted.

    >>> tf.contrib.sparsemax.sparsemax([[1.0, 0.0, -1.0], [0.5, 0.3, 0.0]]).numpy().round(3)
    array([[1.   , 0.   , 0.   ],
           [0.567, 0.367, 0.067]], dtype=float32)
    """
    logits = _core.as_tensor(logits)
    classes = logits._sizes()[1]
    z = logits - _ops.reduce_mean(logits, [1], True)
    largest, _ = top_k(z, classes)
    sums = _ops.cumsum(largest, 1)
    ranks = _ops.cast(_ops.range(1, classes + 1, 1), z.dtype)
    kept = _ops.cast(1.0 + ranks * largest > sums, z.dtype)
    count = _ops.reduce_sum(kept, [1], True)
    threshold = (_ops.reduce_sum(largest * kept, [1], True) - 1.0) / count
    return _ops.maximum(z - threshold, 0.0)


def sparsemax_loss(logits: Any, sparsemax: Any, labels: Any, name: str | None = None) -> Any:
    """The loss of each row, `[batch]`, whose gradient is the difference of probabilities and labels.

    Args:
        logits: `[batch, classes]`.
        sparsemax: their `sparsemax`.
        labels: probabilities `[batch, classes]`.
        name: accepted.
    """
    logits, probabilities = _core.as_tensor(logits), _core.as_tensor(sparsemax)
    labels = _core.convert(labels, logits.dtype, None)
    z = logits - _ops.reduce_mean(logits, [1], True)
    # Where probabilities are 0, the scores take no part.
    some = probabilities > 0.0
    support = _ops.select(some, probabilities * (z - 0.5 * probabilities), _ops.zeros_like(z))
    return _ops.reduce_sum(support + labels * (0.5 * labels - z), [1])
