"""Measures of how similar texts are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework.host_call import host_call
from eagerflow.ragged.tensor import RaggedTensor


def rouge_l(hypotheses: Any, references: Any, alpha: float | None = None) -> Any:
    """ROUGE-L: how much of two texts their longest common subsequence is.

    Args:
        hypotheses: the words of texts, a ragged matrix of strings or integers.
        references: the words of the texts that they are compared with.
        alpha: how much precision counts, from 0 to 1; 0.5 by default. A negative number gives the
            measure of tensor2tensor.

    Returns:
        F-measures, precisions and recalls, float32, one for each row.

    Raises:
        ValueError: if the texts are no ragged matrices, or `alpha` is above 1.

    >>> from eagerflow_compat import text
    >>> words = tf.ragged.constant([["a", "b"]]), tf.ragged.constant([["b"]])
    >>> [measure.numpy().tolist() for measure in text.metrics.rouge_l(*words, alpha=1)]
    [[0.5], [0.5], [1.0]]
    """
    for what, given in (("hypotheses", hypotheses), ("references", references)):
        if not isinstance(given, RaggedTensor) or given.ragged_rank != 1:
            raise ValueError(f"{what} must be a RaggedTensor with ragged_rank 1, got {given!r}")
    if alpha is None:
        alpha = 0.5
    if isinstance(alpha, (float, int)) and alpha > 1:
        raise ValueError(f"alpha cannot be greater than 1, got {alpha}")
    if _core.building() is not None:
        spec = tf.TensorSpec([hypotheses.shape[0]], tf.float32)
        arguments = (hypotheses, references, alpha)
        return host_call(rouge_l, (spec,) * 3, arguments, name="RougeL")
    rows = zip(hypotheses.to_list(), references.to_list(), strict=True)
    found = np.array([_measures(*row, float(alpha)) for row in rows], np.float32).reshape(-1, 3)
    return tuple(tf.constant(column) for column in found.T)


def _measures(one: Sequence[Any], other: Sequence[Any], alpha: float) -> tuple[float, float, float]:
    common = _common(one, other)
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(one), common / len(other)
    if alpha < 0:
        square = (precision / (recall + 1e-12)) ** 2
        return (1 + square) * recall * precision / (recall + square * precision), precision, recall
    return precision * recall / (recall * alpha + precision * (1 - alpha)), precision, recall


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """The length of the longest common subsequence."""
    lengths = [0] * (len(other) + 1)
    for item in one:
        before = 0
        for at, word in enumerate(other, 1):
            before, lengths[at] = (
                lengths[at],
                before + 1 if item == word else max(lengths[at], lengths[at - 1]),
            )
    return lengths[-1]
