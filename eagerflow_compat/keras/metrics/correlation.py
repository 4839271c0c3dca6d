"""Metrics of how well predictions go along with labels."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras import config
from eagerflow.keras.losses import weighting
from eagerflow.keras.metrics.reduction_metrics import MeanMetricWrapper
from eagerflow.ops import norms
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops


def _pair(y_true: TensorLike, y_pred: TensorLike) -> tuple[Any, Any]:
    y_pred = weighting.tensor(y_pred)
    y_true = weighting.cast(y_true, y_pred.dtype)
    y_pred, y_true = weighting.squeeze_or_expand_dimensions(y_pred, y_true)
    return weighting.labels_for(y_pred, y_true), y_pred


def _moments(values: TensorLike, axis: int) -> tuple[_core.Tensor, _core.Tensor]:
    mean = _ops.reduce_mean(values, axis, True)
    return mean, _ops.reduce_mean(_ops.square(values - mean), axis, True)


def _standardized(values: TensorLike, axis: int) -> _core.Tensor:
    distance = values - _ops.reduce_mean(values, axis, True)
    _, length, inverse = norms.scaled_norm(distance, axis, True, mean=True)
    return distance * inverse * _ops.reciprocal(length)


def pearson_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> _core.Tensor:
    """Pearson's coefficient of correlation along an axis.

    >>> y_true = [[0.0, 1.0, 0.5], [1.0, 1.0, 0.2]]
    >>> y_pred = [[0.1, 0.9, 0.5], [1.0, 0.9, 0.2]]
    >>> print(tf.keras.metrics.pearson_correlation(y_true, y_pred).numpy().round(4))
    [1.     0.9934]
    """
    y_true, y_pred = _pair(y_true, y_pred)
    products = _standardized(y_true, axis) * _standardized(y_pred, axis)
    return _ops.reduce_mean(products, axis)


def concordance_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> _core.Tensor:
    """Lin's coefficient of concordance along an axis: 1 where predictions are the labels.

    >>> y_true = [[0.0, 1.0, 0.5], [1.0, 1.0, 0.2]]
    >>> y_pred = [[0.1, 0.9, 0.5], [1.0, 0.9, 0.2]]
    >>> print(tf.keras.metrics.concordance_correlation(y_true, y_pred).numpy().round(4))
    [0.9756 0.9877]
    """
    y_true, y_pred = _pair(y_true, y_pred)
    mean, variance = _moments(y_true, axis)
    other_mean, other_variance = _moments(y_pred, axis)
    # That both are taken about the predictions' mean changes nothing in the mean of the product.
    product = (y_true - other_mean) * (y_pred - other_mean) * 2.0
    scale = variance + other_variance + _ops.square(mean - other_mean) + config.epsilon()
    return _ops.reduce_mean(product / scale, axis)


class PearsonCorrelation(MeanMetricWrapper):
    """The mean of Pearson's coefficients of correlation.

    Args:
        axis: along which labels and predictions are compared.

    >>> metric = tf.keras.metrics.PearsonCorrelation(axis=-1)
    >>> metric.update_state([[0.0, 1.0, 0.5], [1.0, 1.0, 0.2]], [[0.1, 0.9, 0.5], [1.0, 0.9, 0.2]])
    >>> print(metric.result().numpy().round(4))
    0.9967
    """

    def __init__(
        self,
        name: str | None = "pearson_correlation",
        dtype: DTypeLike | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(pearson_correlation, name, dtype=dtype, axis=axis)


class ConcordanceCorrelation(MeanMetricWrapper):
    """The mean of Lin's coefficients of concordance.

    Args:
        axis: along which labels and predictions are compared.

    >>> metric = tf.keras.metrics.ConcordanceCorrelation(axis=-1)
    >>> metric.update_state([[0.0, 1.0, 0.5], [1.0, 1.0, 0.2]], [[0.1, 0.9, 0.5], [1.0, 0.9, 0.2]])
    >>> print(metric.result().numpy().round(4))
    0.9816
    """

    def __init__(
        self,
        name: str | None = "concordance_correlation",
        dtype: DTypeLike | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(concordance_correlation, name, dtype=dtype, axis=axis)
