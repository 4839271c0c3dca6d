"""Accuracies: fractions of correct predictions."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.sizes import as_matrix, reshaped, shape_of, sizes_of
from eagerflow.keras.config import defaults
from eagerflow.keras.losses.ragged import is_ragged
from eagerflow.keras.losses.weighting import (
    cast,
    tensor,
    warn_of_stretching,
    without_last,
)
from eagerflow.keras.metrics.reduction_metrics import MeanMetricWrapper
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops


def accuracy(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """1 where predictions equal labels, else 0.

    Raises:
        ValueError: if the shapes differ.
    """
    y_true, y_pred = tensor(y_true), tensor(y_pred)
    y_true.shape.assert_is_compatible_with(y_pred.shape)
    return _ops.cast(_ops.equal(y_true, cast(y_pred, y_true.dtype)), defaults.float_dtype)


def binary_matches(y_true: TensorLike, y_pred: TensorLike, threshold: float = 0.5) -> _core.Tensor:
    """1 where predictions are on the same side of a threshold as the labels, else 0."""
    y_pred = tensor(y_pred)
    sides = _ops.cast(_ops.greater(y_pred, cast(threshold, y_pred.dtype)), y_pred.dtype)
    y_true = _core.convert(y_true, None, y_pred.dtype)
    warn_of_stretching(y_true, y_pred, "Labels (y_true)", "predictions (y_pred)")
    return _ops.cast(_ops.equal(y_true, sides), defaults.float_dtype)


def binary_accuracy(y_true: TensorLike, y_pred: TensorLike, threshold: float = 0.5) -> _core.Tensor:
    """The fraction of predictions along the last axis on the same side of a threshold as the labels.

    >>> print(tf.keras.metrics.binary_accuracy([[1.0, 0.0]], [[0.6, 0.7]]).numpy())
    [0.5]
    """
    return _ops.reduce_mean(binary_matches(y_true, y_pred, threshold), axis=-1)


def sparse_categorical_matches(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """1 where the highest prediction along the last axis is at the label, in the labels' shape."""
    y_true, y_pred = tensor(y_true), tensor(y_pred)
    same_rank = y_true.ndim is not None and y_true.ndim == y_pred.ndim
    labels = _ops.squeeze(y_true, [-1]) if same_rank else without_last(y_true, y_pred, 0)
    best = _ops.argmax(y_pred, -1)
    if best.dtype is not labels.dtype:
        best = _ops.cast(best, labels.dtype)
    warn_of_stretching(labels, best, "Labels (y_true)", "predicted classes")
    matches = _ops.cast(_ops.equal(labels, best), defaults.float_dtype)
    if same_rank:
        return _ops.expand_dims(matches, -1)
    return matches if labels is y_true else reshaped(matches, shape_of(y_true))


def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """1 where the argmax of predictions and labels agree, else 0.

    >>> print(
    ...     tf.keras.metrics.categorical_accuracy(
    ...         [[0, 1], [1, 0]], [[0.1, 0.9], [0.2, 0.8]]
    ...     ).numpy()
    ... )
    [1. 0.]
    """
    return sparse_categorical_matches(_ops.argmax(tensor(y_true), -1), y_pred)


def sparse_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """1 where the highest prediction is at the label, else 0.

    >>> print(
    ...     tf.keras.metrics.sparse_categorical_accuracy([1, 0], [[0.1, 0.9], [0.2, 0.8]]).numpy()
    ... )
    [1. 0.]
    """
    matches = sparse_categorical_matches(y_true, y_pred)
    shape = matches._shape_tuple()
    if shape is None:
        return without_last(matches, tensor(y_pred), 0)
    return _ops.squeeze(matches, [-1]) if len(shape) > 1 and shape[-1] == 1 else matches


def in_top_k(predictions: Any, targets: TensorLike, k: int) -> _core.Tensor:
    """Whether each row's prediction at its target is among the `k` highest of the row.

    Ties with the k-th count; an invalid target, or a prediction at it that is not finite,
    is never among them.

    Args:
        predictions: `[batch, classes]`.
        targets: class ids `[batch]`.
        k: the number of highest predictions.
    """
    classes = sizes_of(predictions)[-1]
    targets = cast(targets, dtypes.int32)
    inside = _ops.logical_and(_ops.greater_equal(targets, 0), _ops.less(targets, classes))
    indices = _ops.expand_dims(_ops.select(inside, targets, _ops.zeros_like(targets)), -1)
    at_target = _ops.gather(predictions, indices, axis=1, batch_dims=1)
    higher = _ops.cast(_ops.greater(predictions, at_target), dtypes.int32)
    among = _ops.less(_ops.reduce_sum(higher, axis=-1), k)
    finite = _ops.reshape(_ops.is_finite(at_target), [-1])
    return _ops.logical_and(_ops.logical_and(among, inside), finite)


def sparse_top_k_categorical_matches(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Any:
    """1 where the label is among the `k` highest predictions, in the labels' shape."""
    y_true, y_pred = tensor(y_true), tensor(y_pred)
    is_vector = y_true.ndim == 1
    labels = y_true if is_vector else _ops.reshape(y_true, [-1])
    matches = _ops.cast(in_top_k(as_matrix(y_pred), labels, k), defaults.float_dtype)
    return matches if is_vector else reshaped(matches, shape_of(y_true))


def sparse_top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Any:
    """1 where the label is among the `k` highest predictions, else 0.

    >>> metric = tf.keras.metrics.sparse_top_k_categorical_accuracy
    >>> print(metric([2, 1], [[0.1, 0.7, 0.8], [0.5, 0.1, 0.9]], k=2).numpy())
    [1. 0.]
    """
    return sparse_top_k_categorical_matches(y_true, y_pred, k)


def top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> _core.Tensor:
    """1 where the highest label is among the `k` highest predictions, else 0.

    >>> metric = tf.keras.metrics.top_k_categorical_accuracy
    >>> print(metric([[0, 0, 1]], [[0.1, 0.7, 0.8]], k=2).numpy())
    [1.]
    """
    return sparse_top_k_categorical_matches(_ops.argmax(tensor(y_true), -1), y_pred, k)


class Accuracy(MeanMetricWrapper):
    """The fraction of predictions that equal the labels.

    >>> metric = tf.keras.metrics.Accuracy()
    >>> metric.update_state([[1], [2], [3], [4]], [[0], [2], [3], [4]])
    >>> print(metric.result().numpy())
    0.75
    """

    def __init__(self, name: str | None = "accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(accuracy, name, dtype=dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """The fraction of predictions on the same side of a threshold as the labels.

    Args:
        threshold: predictions above it are class 1.

    >>> metric = tf.keras.metrics.BinaryAccuracy()
    >>> metric.update_state([[1], [1], [0], [0]], [[0.98], [1], [0], [0.6]])
    >>> print(metric.result().numpy())
    0.75
    """

    def __init__(
        self,
        name: str | None = "binary_accuracy",
        dtype: DTypeLike | None = None,
        threshold: float = 0.5,
    ) -> None:
        super().__init__(binary_matches, name, dtype=dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose highest prediction is the labelled class, for one-hot labels.

    >>> metric = tf.keras.metrics.CategoricalAccuracy()
    >>> metric.update_state([[0, 1], [1, 0]], [[0.1, 0.9], [0.2, 0.8]])
    >>> print(metric.result().numpy())
    0.5
    """

    def __init__(
        self, name: str | None = "categorical_accuracy", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(categorical_accuracy, name, dtype=dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose highest prediction is the labelled class, for class ids.

    >>> metric = tf.keras.metrics.SparseCategoricalAccuracy()
    >>> metric.update_state([1, 0], [[0.1, 0.9], [0.2, 0.8]])
    >>> print(metric.result().numpy())
    0.5
    """

    def __init__(
        self, name: str | None = "sparse_categorical_accuracy", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(sparse_categorical_matches, name, dtype=dtype)

    def update_state(  # type: ignore[override]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch; see `MeanMetricWrapper`."""
        if is_ragged(y_pred):
            super().update_state(y_true, y_pred, sample_weight)
            return
        y_pred = tensor(y_pred)
        y_true = tensor(y_true)
        if sample_weight is not None or y_pred.ndim != 2:
            super().update_state(y_true, y_pred, sample_weight)
            return
        rows = y_pred._shape_tuple()[0]
        if rows is None or y_true._shape_tuple() not in ((rows,), (rows, 1)):
            super().update_state(y_true, y_pred)
            return
        y_true = _ops.reshape(y_true, [-1])
        best = _ops.argmax(y_pred, -1)
        if y_true.dtype is not dtypes.int64:
            y_true = _ops.cast(y_true, self._float)
            best = _ops.cast(best, self._float)
        hits = _ops.cast(_ops.equal(y_true, best), self._float)
        self.total.assign_add(_ops.reduce_sum(hits))
        self.count.assign_add(float(hits._size))


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose labelled class is among the `k` highest predictions, for one-hot labels.

    Args:
        k: the number of highest predictions.

    >>> metric = tf.keras.metrics.TopKCategoricalAccuracy(k=1)
    >>> metric.update_state([[0, 0, 1], [0, 1, 0]], [[0.1, 0.9, 0.8], [0.05, 0.95, 0]])
    >>> print(metric.result().numpy())
    0.5
    """

    def __init__(
        self,
        k: int = 5,
        name: str | None = "top_k_categorical_accuracy",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype=dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose labelled class is among the `k` highest predictions, for class ids.

    Args:
        k: the number of highest predictions.

    >>> metric = tf.keras.metrics.SparseTopKCategoricalAccuracy(k=1)
    >>> metric.update_state([2, 1], [[0.1, 0.9, 0.8], [0.05, 0.95, 0]])
    >>> print(metric.result().numpy())
    0.5
    """

    def __init__(
        self,
        k: int = 5,
        name: str | None = "sparse_top_k_categorical_accuracy",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(sparse_top_k_categorical_matches, name, dtype=dtype, k=k)
