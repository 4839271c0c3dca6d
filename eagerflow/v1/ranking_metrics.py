"""tf.metrics of version 1 about the best few of many classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow.v1.metric_variables import Array, metric, weighted


def _hits(labels: Array, best: Array) -> tuple[Array, Array]:
    """Which of the best are labels, and which of the labels are valid, row by row."""
    if labels.ndim == best.ndim - 1:
        labels = labels[..., None]
    rows = labels.reshape(-1, labels.shape[-1])
    best = best.reshape(-1, best.shape[-1])
    hits = (best[:, :, None] == rows[:, None, :]).any(2)
    return hits, rows


def _best(predictions: Array, k: int) -> Array:
    # Of equal ones, the first counts.
    return np.argsort(-predictions, axis=-1, kind="stable")[..., :k]


def _at_top_k(
    kind: str,
    labels: Any,
    best_of: Any,
    predictions: Any,
    class_id: int | None,
    weights: Any,
    collections: tuple,
    name: str | None,
) -> Any:
    case = "false_positive" if "precision" in kind else "false_negative"
    place = kind.partition("_at_")[2].replace("top_k", "k")
    if class_id is not None:
        place += f"_class{class_id}"
        kind += f"_class{class_id}"

    def count(labels: Array, predictions: Array, by: Any) -> tuple:
        best = best_of(predictions)
        hits, rows = _hits(labels, best)
        best = best.reshape(hits.shape)
        by = weighted(by, hits[:, 0]).reshape(-1)
        if class_id is not None:
            right = (hits & (best == class_id)).sum(1)
            wrong = (~hits & (best == class_id)).sum(1)
            missed = (rows == class_id).any(1) - right
        else:
            right, wrong = hits.sum(1), (~hits).sum(1)
            missed = np.array([len(set(row.tolist()) - {-1}) for row in rows]) - right
        return (right * by).sum(), ((wrong if case == "false_positive" else missed) * by).sum()

    def value(right: Array, rest: Array) -> Array:
        whole = right + rest
        return right / whole if whole else np.float32(np.nan)

    return metric(
        kind,
        (labels, predictions, weights),
        {f"true_positive_at_{place}": [], f"{case}_at_{place}": []},
        count,
        value,
        [],
        name,
        *collections,
    )


def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How many of the `k` classes with the largest predictions are among the labels.

    Args:
        labels: classes, `[..., labels]`, or `[...]` if there is one each.
        predictions: `[..., classes]`.
        k: how many classes count.
        class_id: looks at this class only.
        weights: of the rows.
        metrics_collections: collections that get the value.
        updates_collections: collections that get the operation.
        name: the scope's name.
    """
    collections = metrics_collections, updates_collections
    return _at_top_k(
        f"precision_at_{k}",
        labels,
        lambda scores: _best(scores, k),
        predictions,
        class_id,
        weights,
        collections,
        name,
    )


sparse_precision_at_k = precision_at_k


def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The same as `precision_at_k`, for classes that have been chosen already."""
    collections = metrics_collections, updates_collections
    kind = "precision_at_top_k"
    return _at_top_k(
        kind, labels, np.asarray, predictions_idx, class_id, weights, collections, name
    )


def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How many labels are among the `k` classes with the largest predictions."""
    collections = metrics_collections, updates_collections
    return _at_top_k(
        f"recall_at_{k}",
        labels,
        lambda scores: _best(scores, k),
        predictions,
        class_id,
        weights,
        collections,
        name,
    )


def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The same as `recall_at_k`, for classes that have been chosen already."""
    collections = metrics_collections, updates_collections
    kind = "recall_at_top_k"
    return _at_top_k(
        kind, labels, np.asarray, predictions_idx, class_id, weights, collections, name
    )


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average over rows of precision at each place up to `k` where a label stands."""

    def count(labels: Array, predictions: Array, by: Any) -> tuple:
        hits, rows = _hits(labels, _best(predictions, k))
        precisions = np.cumsum(hits, 1) / np.arange(1, k + 1)
        relevant = np.minimum(k, (rows >= 0).sum(1))
        each = np.divide(
            (precisions * hits).sum(1), relevant, out=np.zeros(len(rows)), where=relevant > 0
        )
        by = weighted(by, each).reshape(-1)
        return by.sum(), (each * by).sum()

    def value(number: Array, total: Array) -> Array:
        return total / number if number else np.float32(0)

    return metric(
        f"average_precision_at_{k}",
        (labels, predictions, weights),
        {"max": [], "total": []},
        count,
        value,
        [],
        name,
        metrics_collections,
        updates_collections,
    )


sparse_average_precision_at_k = average_precision_at_k
