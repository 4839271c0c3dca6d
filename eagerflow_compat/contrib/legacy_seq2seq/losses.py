"""Losses of lists of steps, and one model for several lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.ops import array
from eagerflow.ops.nn import losses as nn
from eagerflow_compat.v1.variable_scope import get_variable_scope, variable_scope

_ops = _core.ops


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The weighted cross entropy of each row, `[batch]`.

    Args:
        logits: `[batch, symbols]` for each step.
        targets: int32 `[batch]` for each step.
        weights: floats `[batch]` for each step.
        average_across_timesteps: whether the sum is divided by that of the weights.
        softmax_loss_function: the loss of `labels` and `logits` of a step, instead of the cross entropy.
        name: accepted.

    Raises:
        ValueError: if the lists have other lengths.

    >>> losses = tf.contrib.legacy_seq2seq.sequence_loss_by_example(
    ...     [tf.zeros([1, 4])], [tf.constant([2])], [tf.ones([1])]
    ... )
    >>> round(float(losses[0]), 4)
    1.3863
    """
    if not len(targets) == len(logits) == len(weights):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    losses = []
    for step, labels, weight in zip(logits, targets, weights, strict=True):
        if softmax_loss_function is None:
            labels = _ops.reshape(labels, [-1])
            loss = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=step)
        else:
            loss = softmax_loss_function(labels=labels, logits=step)
        losses.append(loss * weight)
    total: Any = sum(losses[1:], losses[0])
    if not average_across_timesteps:
        return total
    return total / (sum(weights[1:], _core.as_tensor(weights[0])) + 1e-12)


def sequence_loss(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The weighted cross entropy of all rows, a scalar; arguments as in `sequence_loss_by_example`.

    Args:
        logits: see there, as the other arguments.
        targets: see there.
        weights: see there.
        average_across_timesteps: see there.
        average_across_batch: whether the sum is divided by the number of rows.
        softmax_loss_function: see there.
        name: accepted.
    """
    by_row = sequence_loss_by_example(
        logits, targets, weights, average_across_timesteps, softmax_loss_function
    )
    total = _ops.reduce_sum(by_row)
    if not average_across_batch:
        return total
    return total / _ops.cast(array.shape(targets[0])[0], total.dtype)


def model_with_buckets(
    encoder_inputs: Sequence[Any],
    decoder_inputs: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    buckets: Sequence[tuple[int, int]],
    seq2seq: Callable[..., tuple[Any, Any]],
    softmax_loss_function: Callable[..., Any] | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """One model for several pairs of lengths, which share their variables.

    Args:
        encoder_inputs: the steps of the longest input.
        decoder_inputs: the steps of the longest output.
        targets: its targets.
        weights: the weights of its targets.
        buckets: pairs of an input's and an output's length.
        seq2seq: a function of inputs for the encoder and the decoder that returns outputs and a state.
        softmax_loss_function: see `sequence_loss_by_example`.
        per_example_loss: whether losses are those of rows.
        name: accepted.

    Returns:
        For each pair, the outputs; and the losses.

    Raises:
        ValueError: if there are fewer steps than the last pair says.
    """
    lengths = buckets[-1][0], *[buckets[-1][1]] * 3
    given = encoder_inputs, targets, weights, decoder_inputs
    for steps, length in zip(given, lengths, strict=True):
        if len(steps) < length:
            raise ValueError(
                f"Length of inputs ({len(steps)}) must be at least that of last bucket."
            )
    outputs, losses = [], []
    for k, (source, target) in enumerate(buckets):
        with variable_scope(get_variable_scope(), reuse=True if k else None):
            found, _ = seq2seq(encoder_inputs[:source], decoder_inputs[:target])
        outputs.append(found)
        loss = sequence_loss_by_example if per_example_loss else sequence_loss
        losses.append(
            loss(
                found,
                targets[:target],
                weights[:target],
                softmax_loss_function=softmax_loss_function,
            )
        )
    return outputs, losses
