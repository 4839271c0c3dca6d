"""The loss of sequences of logits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.ops.nn import losses

_ops = _core.ops


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., _core.Tensor] | None = None,
    name: str | None = None,
) -> _core.Tensor:
    """The weighted cross entropy of sequences.

    Args:
        logits: `[batch, time, classes]`.
        targets: integers, `[batch, time]`.
        weights: `[batch, time]`, zero for steps that do not count.
        average_across_timesteps: whether to divide the sum over time by the weights' sum.
        average_across_batch: the same for the batch.
        sum_over_timesteps: whether to divide the sum over time by the number of weights that are not
            zero, in place of an average.
        sum_over_batch: the same for the batch.
        softmax_loss_function: takes `labels` and `logits` of flat sequences; by default the sparse
            cross entropy.
        name: accepted.

    Returns:
        A scalar where both axes are reduced; `[time]` or `[batch]` where one is; else `[batch, time]`.

    Raises:
        ValueError: for inputs of other ranks, or an average and a sum over one axis.

    >>> loss = tf.contrib.seq2seq.sequence_loss(
    ...     tf.zeros([2, 3, 4]), tf.zeros([2, 3], "int32"), tf.ones([2, 3])
    ... )
    >>> round(float(loss), 4)
    1.3863
    """
    logits, targets, weights = map(_core.as_tensor, (logits, targets, weights))
    for given, rank, shape in (
        (logits, 3, "[batch_size x sequence_length x logits]"),
        (targets, 2, "[batch_size x sequence_length]"),
        (weights, 2, "[batch_size x sequence_length]"),
    ):
        if given.shape.rank not in (None, rank):
            raise ValueError(f"A {shape} tensor is wanted, not one of shape {given.shape}.")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError("average_across_timesteps and sum_over_timesteps exclude one another.")
    if average_across_batch and sum_over_batch:
        raise ValueError("average_across_batch and sum_over_batch exclude one another.")
    flat = _ops.reshape(targets, [-1])
    rows = _ops.reshape(logits, [-1, logits._sizes()[2]])
    if softmax_loss_function is None:
        found = losses.sparse_softmax_cross_entropy_with_logits(labels=flat, logits=rows)
    else:
        found = softmax_loss_function(labels=flat, logits=rows)
    found = _ops.reshape(found, targets._sizes()) * weights
    by_time = average_across_timesteps or sum_over_timesteps
    by_batch = average_across_batch or sum_over_batch
    axes = [axis for axis, chosen in ((0, by_batch), (1, by_time)) if chosen]
    if not axes:
        return found
    counts = weights
    if sum_over_timesteps or sum_over_batch:
        counts = _ops.cast(_ops.not_equal(weights, 0.0), weights.dtype)
    return _ops.divide_no_nan(_ops.reduce_sum(found, axes), _ops.reduce_sum(counts, axes))
