"""Streaming metrics: those of `tf.metrics`, which have labels first."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.ops.nn.losses import in_top_k
from eagerflow_compat.v1 import binary_metrics, metrics, ranking_metrics

_ops = _core.ops


def _streaming(metric: Callable[..., Any]) -> Callable[..., Any]:
    """A metric with predictions before labels, and its other arguments."""
    signature = inspect.signature(metric)
    first, second, *others = signature.parameters.values()
    predictions = second.replace(name=_OLD_NAMES.get(second.name, second.name))

    @functools.wraps(metric)
    def streaming(*args: Any, **kwargs: Any) -> Any:
        if predictions.name in kwargs:
            kwargs[second.name] = kwargs.pop(predictions.name)
        if len(args) == 1:
            kwargs[second.name], args = args[0], ()
        return metric(*args[1::-1], *args[2:], **kwargs)

    streaming.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[predictions, first, *others]
    )
    streaming.__doc__ = f"`tf.metrics.{metric.__name__}` with {predictions.name} before labels."
    return streaming


_OLD_NAMES = {"predictions_idx": "top_k_predictions"}

streaming_accuracy = _streaming(metrics.accuracy)
streaming_auc = _streaming(binary_metrics.auc)
streaming_false_negatives = _streaming(binary_metrics.false_negatives)
streaming_false_negatives_at_thresholds = _streaming(binary_metrics.false_negatives_at_thresholds)
streaming_false_positives = _streaming(binary_metrics.false_positives)
streaming_false_positives_at_thresholds = _streaming(binary_metrics.false_positives_at_thresholds)
streaming_mean_absolute_error = _streaming(metrics.mean_absolute_error)
streaming_mean_cosine_distance = _streaming(metrics.mean_cosine_distance)
streaming_mean_iou = _streaming(metrics.mean_iou)
streaming_mean_relative_error = _streaming(metrics.mean_relative_error)
streaming_mean_squared_error = _streaming(metrics.mean_squared_error)
streaming_precision = _streaming(binary_metrics.precision)
streaming_precision_at_thresholds = _streaming(binary_metrics.precision_at_thresholds)
streaming_recall = _streaming(binary_metrics.recall)
streaming_recall_at_thresholds = _streaming(binary_metrics.recall_at_thresholds)
streaming_root_mean_squared_error = _streaming(metrics.root_mean_squared_error)
streaming_sensitivity_at_specificity = _streaming(binary_metrics.sensitivity_at_specificity)
streaming_sparse_average_precision_at_k = _streaming(ranking_metrics.average_precision_at_k)
streaming_sparse_precision_at_k = _streaming(ranking_metrics.precision_at_k)
streaming_sparse_precision_at_top_k = _streaming(ranking_metrics.precision_at_top_k)
streaming_sparse_recall_at_k = _streaming(ranking_metrics.recall_at_k)
streaming_specificity_at_sensitivity = _streaming(binary_metrics.specificity_at_sensitivity)
streaming_true_negatives = _streaming(binary_metrics.true_negatives)
streaming_true_negatives_at_thresholds = _streaming(binary_metrics.true_negatives_at_thresholds)
streaming_true_positives = _streaming(binary_metrics.true_positives)
streaming_true_positives_at_thresholds = _streaming(binary_metrics.true_positives_at_thresholds)


def streaming_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The share of labels that are among the `k` largest predictions.

    Args:
        predictions: float32 `[batch, classes]`.
        labels: `[batch]` class ids.
        k: among how many.
        weights: of the rows.
        metrics_collections: collections that the value is added to.
        updates_collections: collections that the update is added to.
        name: the scope of the variables.
    """
    among = _ops.cast(in_top_k(labels, predictions, k), "float32")
    return metrics.mean(among, weights, metrics_collections, updates_collections, name or "recall")
