"""Metrics of one batch, and lists of streaming ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eagerflow import _core

_ops = _core.ops


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """The share of predictions that are their labels, a float32 scalar.

    Args:
        predictions: integers, booleans or strings.
        labels: the same, of the same shape.
        weights: of the predictions.
        name: accepted.

    Raises:
        ValueError: if predictions and labels have other dtypes.

    >>> float(tf.contrib.metrics.accuracy([1, 2, 3, 4], [1, 2, 3, 0]))
    0.75
    """
    predictions, labels = _core.as_tensor(predictions), _core.as_tensor(labels)
    if predictions.dtype != labels.dtype:
        raise ValueError(f"dtypes should match, got {predictions.dtype} and {labels.dtype}")
    right = _ops.cast(_ops.equal(predictions, labels), "float32")
    if weights is None:
        return _ops.reduce_mean(right)
    weights = _ops.cast(_core.as_tensor(weights), "float32")
    weighted = right * weights
    total = _ops.reduce_sum(_ops.ones_like(right) * weights)
    return _ops.reduce_sum(weighted) / total


def aggregate_metrics(*value_update_tuples: tuple[Any, Any]) -> tuple[list[Any], list[Any]]:
    """The values of metrics, and their updates, as two lists.

    Raises:
        ValueError: without metrics.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(
    names_to_tuples: Mapping[str, tuple[Any, Any]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of metrics by their names, and their updates.

    >>> values, updates = tf.contrib.metrics.aggregate_metric_map({"a": (1, 2), "b": (3, 4)})
    >>> values, updates
    ({'a': 1, 'b': 3}, {'a': 2, 'b': 4})
    """
    pairs = names_to_tuples.items()
    return {name: pair[0] for name, pair in pairs}, {name: pair[1] for name, pair in pairs}
