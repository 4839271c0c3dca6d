"""Regression losses: squared, absolute and relative errors, and divergences."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras.config import defaults
from eagerflow.keras.losses.loss import LossFunctionWrapper
from eagerflow.keras.losses.ragged import takes_ragged
from eagerflow.keras.losses.weighting import Reduction, cast, labels_for, tensor
from eagerflow.ops import norms
from eagerflow.typing import Axes, TensorLike

_ops = _core.ops
_LOG_2 = 0.6931471805599453


def mean(values: Any, axis: Axes = -1) -> Any:
    """The mean along an axis; of booleans, in the default float type."""
    if values.dtype is dtypes.bool:
        values = _ops.cast(values, defaults.float_dtype)
    return _ops.reduce_mean(values, axis=axis)


@takes_ragged
def mean_squared_error(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """The mean of squared errors over the last axis.

    >>> print(tf.keras.losses.mean_squared_error([[0.0, 1.0]], [[1.0, 3.0]]).numpy().round(4))
    [2.5]
    """
    y_pred = tensor(y_pred)
    return mean(_ops.squared_difference(y_pred, labels_for(y_pred, y_true)))


@takes_ragged
def mean_absolute_error(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """The mean of absolute errors over the last axis.

    >>> print(tf.keras.losses.mean_absolute_error([[0.0, 1.0]], [[1.0, 3.0]]).numpy().round(4))
    [1.5]
    """
    y_pred = tensor(y_pred)
    return mean(_ops.abs(y_pred - labels_for(y_pred, y_true)))


@takes_ragged
def mean_absolute_percentage_error(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """The mean of absolute errors over the last axis, in percent of the labels.

    >>> print(
    ...     tf.keras.losses.mean_absolute_percentage_error([[2.0, 4.0]], [[1.0, 4.0]])
    ...     .numpy()
    ...     .round(4)
    ... )
    [25.]
    """
    y_pred = tensor(y_pred)
    y_true = labels_for(y_pred, y_true)
    size = _ops.maximum(_ops.abs(y_true), _core.convert(defaults.epsilon, y_pred.dtype))
    return 100.0 * mean(_ops.abs((y_true - y_pred) / size))


@takes_ragged
def mean_squared_logarithmic_error(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """The mean of squared differences of log(1 + value) over the last axis.

    >>> print(
    ...     tf.keras.losses.mean_squared_logarithmic_error([[0.0, 0.0]], [[0.0, 1.0]])
    ...     .numpy()
    ...     .round(4)
    ... )
    [0.2402]
    """
    y_pred = tensor(y_pred)
    epsilon = _core.convert(defaults.epsilon, y_pred.dtype)
    first = _ops.log(_ops.maximum(y_pred, epsilon) + 1.0)
    second = _ops.log(_ops.maximum(labels_for(y_pred, y_true), epsilon) + 1.0)
    return mean(_ops.squared_difference(first, second))


@takes_ragged
def huber(y_true: TensorLike, y_pred: TensorLike, delta: float = 1.0) -> _core.Tensor:
    """The mean over the last axis of errors, squared up to `delta` and linear beyond.

    Huber, "Robust estimation of a location parameter" (1964).

    >>> print(tf.keras.losses.huber([[0.0, 0.0]], [[0.5, 3.0]]).numpy().round(4))
    [1.3125]
    """
    dtype = defaults.float_dtype
    y_pred = cast(y_pred, dtype)
    error = y_pred - labels_for(y_pred, y_true)
    limit = cast(delta, dtype)
    size = _ops.abs(error)
    small = 0.5 * _ops.square(error)
    large = limit * size - 0.5 * _ops.square(limit)
    return mean(_ops.select(_ops.less_equal(size, limit), small, large))


def log_cosh(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """The mean over the last axis of log(cosh(error)).

    >>> print(tf.keras.losses.log_cosh([[0.0, 0.0]], [[1.0, 0.0]]).numpy().round(4))
    [0.2169]
    """
    y_pred = tensor(y_pred)
    error = y_pred - labels_for(y_pred, y_true)
    return mean(error + _ops.softplus(-2.0 * error) - _LOG_2)


def kl_divergence(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """The Kullback-Leibler divergence between probabilities along the last axis.

    Both are kept above epsilon.

    >>> print(tf.keras.losses.kl_divergence([[1.0, 0.0]], [[0.5, 0.5]]).numpy().round(4))
    [0.6931]
    """
    y_pred = tensor(y_pred)
    p = _ops.clip_by_value(labels_for(y_pred, y_true), defaults.epsilon, 1.0)
    q = _ops.clip_by_value(y_pred, defaults.epsilon, 1.0)
    return _ops.reduce_sum(p * _ops.log(p / q), axis=-1)


def poisson(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """The mean over the last axis of `y_pred - y_true * log(y_pred)`.

    >>> print(tf.keras.losses.poisson([[0.0, 1.0]], [[1.0, 1.0]]).numpy().round(4))
    [1.]
    """
    y_pred = tensor(y_pred)
    y_true = labels_for(y_pred, y_true)
    return mean(y_pred - y_true * _ops.log(y_pred + defaults.epsilon))


def _normalized(values: TensorLike, axis: Axes) -> _core.Tensor:
    return norms.unit(tensor(values), axis, 1e-6)


def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> _core.Tensor:
    """The negative cosine of the angle between labels and predictions.

    >>> print(tf.keras.losses.cosine_similarity([[0.0, 1.0]], [[0.0, 2.0]]).numpy().round(4))
    [-1.]
    """
    labels, predictions = _normalized(y_true, axis), _normalized(y_pred, axis)
    return -_ops.reduce_sum(labels_for(predictions, labels) * predictions, axis=axis)


class MeanSquaredError(LossFunctionWrapper):
    """The mean of squared errors.

    >>> print(
    ...     tf.keras.losses.MeanSquaredError()([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]])
    ...     .numpy()
    ...     .round(4)
    ... )
    0.5
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "mean_squared_error"
    ) -> None:
        super().__init__(mean_squared_error, name=name, reduction=reduction)


class MeanAbsoluteError(LossFunctionWrapper):
    """The mean of absolute errors.

    >>> print(tf.keras.losses.MeanAbsoluteError()([[0.0, 1.0]], [[1.0, 3.0]]).numpy().round(4))
    1.5
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "mean_absolute_error"
    ) -> None:
        super().__init__(mean_absolute_error, name=name, reduction=reduction)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean of absolute errors in percent.

    >>> print(
    ...     tf.keras.losses.MeanAbsolutePercentageError()([[2.0, 4.0]], [[1.0, 4.0]])
    ...     .numpy()
    ...     .round(4)
    ... )
    25.0
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "mean_absolute_percentage_error"
    ) -> None:
        super().__init__(mean_absolute_percentage_error, name=name, reduction=reduction)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean of squared errors of logarithms.

    >>> print(
    ...     tf.keras.losses.MeanSquaredLogarithmicError()([[0.0, 0.0]], [[0.0, 1.0]])
    ...     .numpy()
    ...     .round(4)
    ... )
    0.2402
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "mean_squared_logarithmic_error"
    ) -> None:
        super().__init__(mean_squared_logarithmic_error, name=name, reduction=reduction)


class Huber(LossFunctionWrapper):
    """Errors squared up to `delta` and linear beyond.

    Args:
        delta: the largest error that is squared.

    >>> print(tf.keras.losses.Huber()([[0.0, 0.0]], [[0.5, 3.0]]).numpy().round(4))
    1.3125
    """

    def __init__(
        self, delta: float = 1.0, reduction: str = Reduction.AUTO, name: str | None = "huber_loss"
    ) -> None:
        super().__init__(huber, name=name, reduction=reduction, delta=delta)


class LogCosh(LossFunctionWrapper):
    """The mean of log(cosh(error)).

    >>> print(tf.keras.losses.LogCosh()([[0.0, 0.0]], [[1.0, 0.0]]).numpy().round(4))
    0.2169
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "log_cosh") -> None:
        super().__init__(log_cosh, name=name, reduction=reduction)


class KLDivergence(LossFunctionWrapper):
    """The Kullback-Leibler divergence.

    >>> print(tf.keras.losses.KLDivergence()([[1.0, 0.0]], [[0.5, 0.5]]).numpy().round(4))
    0.6931
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "kl_divergence") -> None:
        super().__init__(kl_divergence, name=name, reduction=reduction)


class Poisson(LossFunctionWrapper):
    """The Poisson loss of counts.

    >>> print(tf.keras.losses.Poisson()([[0.0, 1.0]], [[1.0, 1.0]]).numpy().round(4))
    1.0
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "poisson") -> None:
        super().__init__(poisson, name=name, reduction=reduction)


class CosineSimilarity(LossFunctionWrapper):
    """The negative cosine of the angle between labels and predictions.

    Args:
        axis: the axis of the vectors.

    >>> loss = tf.keras.losses.CosineSimilarity(axis=1)
    >>> print(f"{loss([[0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]]).numpy():.3f}")
    -0.500
    """

    def __init__(
        self,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "cosine_similarity",
    ) -> None:
        super().__init__(cosine_similarity, reduction=reduction, name=name, axis=axis)
