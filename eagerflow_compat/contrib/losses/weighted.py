"""Losses of `tf.losses` in the order of older programs: predictions, labels, weights."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow_compat.v1 import losses

_ops = _core.ops


def _weights(weights: Any, like: Any) -> Any:
    """Weights of rows, or of parts of them, with as many axes as the losses."""
    weights = _core.as_tensor(weights)
    rank = _core.as_tensor(like).shape.rank
    if rank is None or weights.shape.rank in (None, 0):
        return weights
    for _ in range(rank - weights.shape.rank):
        weights = _ops.expand_dims(weights, -1)
    return weights


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Any:
    """The weighted mean of losses, which is added to the collection of losses.

    Args:
        losses: `[batch, ...]`.
        weights: a scalar, or weights of the first axes of the losses. Those of 0 are not counted.
        scope: accepted.

    >>> float(tf.contrib.losses.compute_weighted_loss([[1.0, 3.0], [5.0, 7.0]], [1.0, 0.0]))
    2.0
    """
    return _mean(losses, _weights(weights, losses), scope)


_mean = losses.compute_weighted_loss


def absolute_difference(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """The weighted mean of absolute differences; weights as in `compute_weighted_loss`."""
    return losses.absolute_difference(labels, predictions, _weights(weights, predictions), scope)


def mean_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """The weighted mean of squared differences; weights as in `compute_weighted_loss`."""
    return losses.mean_squared_error(labels, predictions, _weights(weights, predictions), scope)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """The mean of squared differences between the differences of all pairs within a row."""
    weights = _weights(weights, predictions)
    return losses.mean_pairwise_squared_error(labels, predictions, weights, scope)


def log_loss(
    predictions: Any,
    labels: Any = None,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
) -> Any:
    """The weighted mean of log losses; `epsilon` keeps the logarithms finite."""
    return losses.log_loss(labels, predictions, _weights(weights, predictions), epsilon, scope)


def hinge_loss(
    logits: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """The weighted mean of hinge losses for labels of 0 and 1."""
    return losses.hinge_loss(labels, logits, _weights(weights, logits), scope)


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Any:
    """The weighted mean of cosine distances of unit vectors along an axis."""
    axis = dim if axis is None else axis
    return losses.cosine_distance(labels, predictions, axis, _weights(weights, predictions), scope)


def sigmoid_cross_entropy(
    logits: Any,
    multi_class_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Any:
    """The weighted mean of cross entropies of independent classes."""
    return losses.sigmoid_cross_entropy(
        multi_class_labels, logits, _weights(weights, logits), label_smoothing, scope
    )


def softmax_cross_entropy(
    logits: Any,
    onehot_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Any:
    """The weighted mean of cross entropies, for labels that are one-hot rows."""
    return losses.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """The weighted mean of cross entropies, for labels that are class ids."""
    labels = _core.as_tensor(labels)
    if labels.shape.rank is not None and labels.shape.rank == _core.as_tensor(logits).shape.rank:
        labels = _ops.squeeze(labels, [-1])
    return losses.sparse_softmax_cross_entropy(labels, logits, weights, scope)
