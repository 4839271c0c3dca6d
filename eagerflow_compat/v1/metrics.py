"""tf.metrics of version 1: averages over many runs, in local variables of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import errors
from eagerflow.framework import dtypes
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.metric_arguments import (
    aligned,
    labelled,
    remove_squeezable_dimensions,
    valued,
)
from eagerflow_compat.v1.metric_variables import Array, Metric, metric, weighted


def _average(
    kind: str,
    each: Callable[..., Array],
    arguments: tuple,
    weights: Any,
    result: Callable[[Array], Array] = lambda average: average,
    align: Callable[..., tuple] | None = labelled,
) -> Metric:
    """The weighted average of the values that `each` computes from the arguments."""

    def count(*arrays: Any) -> tuple:
        *arguments, weights = arrays
        values = np.asarray(each(*arguments), np.float32)
        weights = weighted(weights, values)
        return np.sum(values * weights), np.sum(weights)

    def value(total: Array, count: Array) -> Array:
        return result(total / count if count else np.float32(0))

    return Metric(
        kind, (*arguments, weights), {"total": [], "count": []}, count, value, align=align
    )


@metric
def mean(values: TensorLike, weights: TensorLike | None = None) -> Metric:
    """The average of all values: a tensor, and an operation that takes more into account.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.mean([1.0, 2.0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     print(session.run(update), session.run(value))
    1.5 1.5
    """
    return _average("mean", lambda x: x, (values,), weights, align=valued)


@metric
def accuracy(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None
) -> Metric:
    """How often predictions are the labels."""

    def equal(labels: Array, predictions: Array) -> Array:
        return labels.astype(predictions.dtype) == predictions

    return _average("accuracy", equal, (labels, predictions), weights)


def _difference(labels: Array, predictions: Array) -> Array:
    return labels.astype(np.float32) - predictions


def _squared_difference(labels: Array, predictions: Array) -> Array:
    return np.square(_difference(labels, predictions))


@metric
def mean_squared_error(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None
) -> Metric:
    """The average of squared differences."""
    arguments = (labels, predictions)
    return _average("mean_squared_error", _squared_difference, arguments, weights)


@metric
def mean_absolute_error(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None
) -> Metric:
    """The average of absolute differences."""

    def distance(labels: Array, predictions: Array) -> Array:
        return np.abs(_difference(labels, predictions))

    return _average("mean_absolute_error", distance, (labels, predictions), weights)


@metric
def root_mean_squared_error(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None
) -> Metric:
    """The square root of the average of squared differences."""
    arguments = (labels, predictions)
    return _average("root_mean_squared_error", _squared_difference, arguments, weights, np.sqrt)


@metric
def mean_relative_error(
    labels: TensorLike,
    predictions: TensorLike,
    normalizer: TensorLike,
    weights: TensorLike | None = None,
) -> Metric:
    """The average of absolute differences relative to `normalizer`; 0 where that is 0."""

    def relative_error(labels: Array, predictions: Array, normalizer: Array) -> Array:
        distance = np.abs(_difference(labels, predictions))
        by = np.broadcast_to(normalizer, distance.shape)
        return np.divide(distance, by, out=np.zeros_like(distance), where=by != 0)

    def align(labels: Any, predictions: Any, normalizer: Any, weights: Any) -> tuple:
        labels, predictions, weights = labelled(labels, predictions, weights)
        predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
        predictions.shape.assert_is_compatible_with(normalizer.shape)
        return labels, predictions, normalizer, weights

    arguments = labels, predictions, normalizer
    return _average("mean_relative_error", relative_error, arguments, weights, align=align)


@metric
def mean_cosine_distance(
    labels: TensorLike, predictions: TensorLike, dim: int, weights: TensorLike | None = None
) -> Metric:
    """One minus the average cosine of vectors of length one along the axis `dim`."""

    def cosine(labels: Array, predictions: Array) -> Array:
        return np.sum(labels.astype(np.float32) * predictions, dim, keepdims=True)

    def align(labels: Any, predictions: Any, weights: Any) -> tuple:
        predictions, labels, weights = aligned(predictions, labels, weights)
        return labels, predictions, weights

    arguments = (labels, predictions)
    return _average(
        "mean_cosine_distance", cosine, arguments, weights, lambda mean: 1 - mean, align
    )


@metric
def percentage_below(
    values: TensorLike, threshold: float, weights: TensorLike | None = None
) -> Metric:
    """The fraction of values below a threshold."""
    return _average(
        "percentage_below_threshold", lambda x: x < threshold, (values,), weights, align=valued
    )


@metric
def mean_tensor(values: TensorLike, weights: TensorLike | None = None) -> Metric:
    """The average of each element of tensors of one shape."""
    given: Any = values
    shape = given.shape if hasattr(given, "shape") else np.shape(given)
    sizes = [int(size) for size in shape]

    def count(x: Array, weights: Any) -> tuple:
        x = x.astype(np.float32)
        weights = weighted(weights, x)
        return x * weights, weights

    def value(total: Array, count: Array) -> Array:
        return np.divide(total, count, out=np.zeros_like(total), where=count != 0)

    shapes = {"total_tensor": sizes, "count_tensor": sizes}
    return Metric("mean", (values, weights), shapes, count, value, sizes, align=valued)


def _confusion_matrix(labels: Array, predictions: Array, weights: Any, classes: int) -> Array:
    """How often each class was predicted for each class."""
    labels, predictions = labels.astype(np.int64).ravel(), predictions.astype(np.int64).ravel()
    for name, ids in (("labels", labels), ("predictions", predictions)):
        if ids.size and not (0 <= ids.min() and ids.max() < classes):
            raise errors.InvalidArgumentError._of(
                f"`{name}` out of bound: they must be in [0, {classes})."
            )
    matrix = np.zeros((classes, classes), np.float64)
    np.add.at(matrix, (labels, predictions), 1.0 if weights is None else weights.ravel())
    return matrix


@metric
def mean_iou(
    labels: TensorLike, predictions: TensorLike, num_classes: int, weights: TensorLike | None = None
) -> Metric:
    """The average over classes of intersection over union; updates return the confusion matrix."""
    shape = [num_classes, num_classes]

    def count(labels: Array, predictions: Array, weights: Any) -> tuple:
        return (_confusion_matrix(labels, predictions, weights, num_classes),)

    def value(matrix: Array) -> Array:
        both = np.diag(matrix)
        union = matrix.sum(0) + matrix.sum(1) - both
        valid = union > 0
        return np.mean(both[valid] / union[valid]) if valid.any() else np.float32(0)

    return Metric(
        "mean_iou",
        (labels, predictions, weights),
        {"total_confusion_matrix": shape},
        count,
        value,
        dtype=dtypes.float64,
        update=lambda matrix: matrix,
        update_shape=shape,
        align=labelled,
    )


@metric
def mean_per_class_accuracy(
    labels: TensorLike, predictions: TensorLike, num_classes: int, weights: TensorLike | None = None
) -> Metric:
    """The average over classes of their accuracies; updates return those of all classes."""

    def count(labels: Array, predictions: Array, weights: Any) -> tuple:
        matrix = _confusion_matrix(labels, predictions, weights, num_classes)
        return matrix.sum(1), np.diag(matrix)

    def accuracies(total: Array, right: Array) -> Array:
        return np.divide(right, total, out=np.zeros_like(right), where=total != 0)

    return Metric(
        "mean_accuracy",
        (labels, predictions, weights),
        {"total": [num_classes], "count": [num_classes]},
        count,
        lambda total, right: np.mean(accuracies(total, right)),
        update=accuracies,
        update_shape=[num_classes],
        align=labelled,
    )
