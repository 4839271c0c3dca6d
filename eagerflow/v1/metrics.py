"""tf.metrics of version 1: averages over many runs, in local variables of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import dtype as dtypes
from eagerflow.v1.metric_variables import Array, metric, weighted


def _average(
    kind: str,
    each: Any,
    values: tuple,
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
    result: Any = None,
) -> Any:
    """The average of what `each` gives, and an operation that takes more into account."""

    def count(*arrays: Any) -> tuple:
        *given, by = arrays
        found = np.asarray(each(*given), np.float32)
        by = weighted(by, found)
        return np.sum(found * by), np.sum(by)

    def value(total: Array, number: Array) -> Array:
        average = total / number if number else np.float32(0)
        return average if result is None else result(average)

    return metric(
        kind,
        (*values, weights),
        {"total": [], "count": []},
        count,
        value,
        [],
        name,
        metrics_collections,
        updates_collections,
    )


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average of all values: a tensor, and an operation that takes more into account.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean([1.0, 2.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     print(session.run(update), session.run(value))
    1.5 1.5
    """
    return _average(
        "mean", lambda x: x, (values,), weights, metrics_collections, updates_collections, name
    )


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How often predictions are the labels."""

    return _average(
        "accuracy",
        lambda labels, predictions: labels.astype(predictions.dtype) == predictions,
        (labels, predictions),
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average of squared differences."""
    return _average(
        "mean_squared_error",
        lambda a, b: np.square(a.astype(np.float32) - b),
        (labels, predictions),
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average of absolute differences."""
    return _average(
        "mean_absolute_error",
        lambda a, b: np.abs(a.astype(np.float32) - b),
        (labels, predictions),
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The square root of the average of squared differences."""
    return _average(
        "root_mean_squared_error",
        lambda a, b: np.square(a.astype(np.float32) - b),
        (labels, predictions),
        weights,
        metrics_collections,
        updates_collections,
        name,
        np.sqrt,
    )


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average of absolute differences as shares of `normalizer`; 0 where that is 0."""

    def each(a: Array, b: Array, by: Array) -> Array:
        difference = np.abs(a.astype(np.float32) - b)
        by = np.broadcast_to(by, difference.shape)
        return np.divide(difference, by, out=np.zeros_like(difference), where=by != 0)

    return _average(
        "mean_relative_error",
        each,
        (labels, predictions, normalizer),
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """One minus the average cosine of vectors of length one along the axis `dim`."""
    return _average(
        "mean_cosine_distance",
        lambda a, b: np.sum(a.astype(np.float32) * b, dim, keepdims=True),
        (labels, predictions),
        weights,
        metrics_collections,
        updates_collections,
        name,
        lambda average: 1 - average,
    )


def percentage_below(
    values: Any,
    threshold: float,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The share of values below a threshold."""
    return _average(
        "percentage_below_threshold",
        lambda x: x < threshold,
        (values,),
        weights,
        metrics_collections,
        updates_collections,
        name,
    )


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average of each element of tensors of one shape."""
    shape = values.shape if hasattr(values, "shape") else np.shape(values)
    sizes = [int(size) for size in shape]

    def count(x: Array, by: Any) -> tuple:
        x = x.astype(np.float32)
        by = weighted(by, x)
        return x * by, by

    def value(total: Array, number: Array) -> Array:
        return np.divide(total, number, out=np.zeros_like(total), where=number != 0)

    return metric(
        "mean",
        (values, weights),
        {"total_tensor": sizes, "count_tensor": sizes},
        count,
        value,
        sizes,
        name,
        metrics_collections,
        updates_collections,
    )


def _matrix(labels: Array, predictions: Array, by: Any, classes: int) -> Array:
    """How often each class was taken for each other one."""
    labels, predictions = labels.astype(np.int64).ravel(), predictions.astype(np.int64).ravel()
    if labels.size and not (0 <= labels.min() and labels.max() < classes):
        raise ValueError(f"`labels` out of bound: they must be in [0, {classes}).")
    if predictions.size and not (0 <= predictions.min() and predictions.max() < classes):
        raise ValueError(f"`predictions` out of bound: they must be in [0, {classes}).")
    found = np.zeros((classes, classes), np.float64)
    np.add.at(found, (labels, predictions), weighted(by, labels).ravel())
    return found


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average over classes of intersection over union; updates give the confusion matrix."""

    def value(matrix: Array) -> Array:
        both = np.diag(matrix)
        union = matrix.sum(0) + matrix.sum(1) - both
        valid = union > 0
        return np.mean(both[valid] / union[valid]) if valid.any() else np.float32(0)

    return metric(
        "mean_iou",
        (labels, predictions, weights),
        {"total_confusion_matrix": [num_classes, num_classes]},
        lambda a, b, by: (_matrix(a, b, by, num_classes),),
        value,
        [],
        name,
        metrics_collections,
        updates_collections,
        dtype=dtypes.float64,
        update=lambda matrix: matrix,
        update_shape=[num_classes, num_classes],
    )


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The average over classes of how often predictions are the labels; updates give each class's."""

    def count(a: Array, b: Array, by: Any) -> tuple:
        matrix = _matrix(a, b, by, num_classes)
        return matrix.sum(1), np.diag(matrix)

    def shares(total: Array, right: Array) -> Array:
        return np.divide(right, total, out=np.zeros_like(right), where=total != 0)

    return metric(
        "mean_accuracy",
        (labels, predictions, weights),
        {"total": [num_classes], "count": [num_classes]},
        count,
        lambda total, right: np.mean(shares(total, right)),
        [],
        name,
        metrics_collections,
        updates_collections,
        update=shares,
        update_shape=[num_classes],
    )
