"""tf.metrics of version 1 about the best few of many classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow.framework.composite import SparseTensorValue
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.metric_arguments import ranked
from eagerflow_compat.v1.metric_variables import Array, Metric, metric, weighted

# What fills up the rows of sparse labels, and is no label.
_NONE = np.iinfo(np.int64).min


def _hits(labels: Any, best: Array) -> tuple[Array, Array]:
    """Which of the best are labels, and the labels, row by row."""
    if isinstance(labels, SparseTensorValue):
        labels = _dense(labels)
    if labels.ndim == best.ndim - 1:
        labels = labels[..., None]
    rows = labels.reshape(-1, labels.shape[-1])
    best = best.reshape(-1, best.shape[-1])
    hits = (best[:, :, None] == rows[:, None, :]).any(2)
    return hits, rows


def _dense(labels: SparseTensorValue) -> Array:
    """Rows of labels, filled up with what is no label."""
    *sizes, width = map(int, labels.dense_shape)
    rows = np.full((*sizes, width), _NONE, np.int64)
    rows[tuple(np.asarray(labels.indices, np.int64).T)] = labels.values
    return rows


def _best(predictions: Array, k: int) -> Array:
    # Of equal ones, the first counts.
    return np.argsort(-predictions, axis=-1, kind="stable")[..., :k]


def _at_top_k(
    kind: str,
    arguments: tuple[Any, Any, Any],
    best_of: Callable[[Array], Array],
    class_id: int | None,
) -> Metric:
    """Precision or recall of the classes that `best_of` chooses."""
    rest = "false_positive" if kind.startswith("precision") else "false_negative"
    suffix = kind.partition("_at_")[2].replace("top_k", "k")
    if class_id is not None:
        suffix += f"_class{class_id}"
        kind += f"_class{class_id}"

    def count(labels: Any, predictions: Array, weights: Any) -> tuple:
        best = best_of(predictions)
        weights = weighted(weights, best[..., 0]).reshape(-1)
        hits, rows = _hits(labels, best)
        best = best.reshape(hits.shape)
        if class_id is not None:
            right = (hits & (best == class_id)).sum(1)
            wrong = (~hits & (best == class_id)).sum(1)
            missed = (rows == class_id).any(1) - right
        else:
            right, wrong = hits.sum(1), (~hits).sum(1)
            missed = np.array([len(set(row.tolist()) - {_NONE}) for row in rows]) - right
        others = wrong if rest == "false_positive" else missed
        return (right * weights).sum(), (others * weights).sum()

    def value(right: Array, others: Array) -> Array:
        whole = right + others
        return right / whole if whole else np.float32(np.nan)

    shapes: dict[str, list[int]] = {f"true_positive_at_{suffix}": [], f"{rest}_at_{suffix}": []}
    return Metric(kind, arguments, shapes, count, value, align=ranked)


@metric
def precision_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
) -> Metric:
    """How many of the `k` classes with the largest predictions are among the labels.

    Args:
        labels: classes, `[..., labels]`, or `[...]` if there is one each.
        predictions: `[..., classes]`.
        k: the number of classes that count.
        class_id: looks at this class only.
        weights: of the rows.
    """
    arguments = labels, predictions, weights
    return _at_top_k(f"precision_at_{k}", arguments, lambda scores: _best(scores, k), class_id)


sparse_precision_at_k = precision_at_k


@metric
def precision_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
) -> Metric:
    """The same as `precision_at_k`, for classes that have been chosen already."""
    arguments = labels, predictions_idx, weights
    return _at_top_k("precision_at_top_k", arguments, np.asarray, class_id)


@metric
def recall_at_k(
    labels: TensorLike,
    predictions: TensorLike,
    k: int,
    class_id: int | None = None,
    weights: TensorLike | None = None,
) -> Metric:
    """How many labels are among the `k` classes with the largest predictions."""
    arguments = labels, predictions, weights
    return _at_top_k(f"recall_at_{k}", arguments, lambda scores: _best(scores, k), class_id)


@metric
def recall_at_top_k(
    labels: TensorLike,
    predictions_idx: TensorLike,
    k: int | None = None,
    class_id: int | None = None,
    weights: TensorLike | None = None,
) -> Metric:
    """The same as `recall_at_k`, for classes that have been chosen already."""
    arguments = labels, predictions_idx, weights
    return _at_top_k("recall_at_top_k", arguments, np.asarray, class_id)


def _average_precision(
    kind: str, arguments: tuple[Any, Any, Any], best_of: Callable[[Array], Array]
) -> Metric:
    """The mean average precision over the ranks of the classes that `best_of` chooses."""

    def count(labels: Any, predictions: Array, weights: Any) -> tuple:
        best = best_of(predictions)
        weights = weighted(weights, best[..., 0]).reshape(-1)
        hits, rows = _hits(labels, best)
        k = hits.shape[1]
        precisions = np.cumsum(hits, 1) / np.arange(1, k + 1)
        relevant = np.minimum(k, (rows != _NONE).sum(1))
        each = np.divide(
            (precisions * hits).sum(1), relevant, out=np.zeros(len(rows)), where=relevant > 0
        )
        return weights.sum(), (each * weights).sum()

    def value(count: Array, total: Array) -> Array:
        return total / count if count else np.float32(0)

    shapes: dict[str, list[int]] = {"max": [], "total": []}
    return Metric(kind, arguments, shapes, count, value, align=ranked)


@metric
def average_precision_at_k(
    labels: TensorLike, predictions: TensorLike, k: int, weights: TensorLike | None = None
) -> Metric:
    """The mean average precision: over the ranks up to `k` that hold a label."""
    arguments = labels, predictions, weights
    return _average_precision(f"average_precision_at_{k}", arguments, lambda p: _best(p, k))


@metric
def average_precision_at_top_k(
    labels: TensorLike, predictions_idx: TensorLike, weights: TensorLike | None = None
) -> Metric:
    """The same as `average_precision_at_k`, for classes that have been chosen already."""
    kind = "average_precision_at_top_k"
    if convert_to_tensor(predictions_idx).shape[-1] is None:
        raise ValueError(f"{kind} needs predictions_idx with a known last size.")
    return _average_precision(kind, (labels, predictions_idx, weights), np.asarray)


sparse_average_precision_at_k = average_precision_at_k
