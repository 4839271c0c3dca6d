"""Losses as metrics: their means over all batches."""

from __future__ import annotations

from eagerflow.keras import losses
from eagerflow.keras.metrics.reduction_metrics import MeanMetricWrapper
from eagerflow.typing import DTypeLike
from eagerflow.util.arguments import arguments


class MeanSquaredError(MeanMetricWrapper):
    """The mean of squared errors.

    >>> metric = tf.keras.metrics.MeanSquaredError()
    >>> metric.update_state([[0, 1], [0, 0]], [[1, 1], [0, 0]])
    >>> print(metric.result().numpy())
    0.25
    """

    def __init__(
        self, name: str | None = "mean_squared_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(losses.mean_squared_error, name, dtype=dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of absolute errors.

    >>> metric = tf.keras.metrics.MeanAbsoluteError()
    >>> metric.update_state([[0, 1], [0, 0]], [[1, 1], [0, 0]])
    >>> print(metric.result().numpy())
    0.25
    """

    def __init__(
        self, name: str | None = "mean_absolute_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(losses.mean_absolute_error, name, dtype=dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of absolute errors in percent.

    >>> metric = tf.keras.metrics.MeanAbsolutePercentageError()
    >>> metric.update_state([[2.0, 4.0]], [[1.0, 4.0]])
    >>> print(metric.result().numpy())
    25.0
    """

    def __init__(
        self, name: str | None = "mean_absolute_percentage_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(losses.mean_absolute_percentage_error, name, dtype=dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean of squared errors of logarithms.

    >>> metric = tf.keras.metrics.MeanSquaredLogarithmicError()
    >>> metric.update_state([[0, 0]], [[0, 1]])
    >>> print(metric.result().numpy().round(4))
    0.2402
    """

    def __init__(
        self, name: str | None = "mean_squared_logarithmic_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(losses.mean_squared_logarithmic_error, name, dtype=dtype)


class LogCoshError(MeanMetricWrapper):
    """The mean of log(cosh(error)).

    >>> metric = tf.keras.metrics.LogCoshError()
    >>> metric.update_state([[0, 1], [0, 0]], [[1, 1], [0, 0]])
    >>> print(metric.result().numpy().round(4))
    0.1084
    """

    def __init__(self, name: str | None = "logcosh", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.log_cosh, name, dtype=dtype)


class Poisson(MeanMetricWrapper):
    """The Poisson loss of counts.

    >>> metric = tf.keras.metrics.Poisson()
    >>> metric.update_state([[0, 1], [0, 0]], [[1, 1], [0, 0]])
    >>> print(metric.result().numpy().round(4))
    0.5
    """

    def __init__(self, name: str | None = "poisson", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.poisson, name, dtype=dtype)


class KLDivergence(MeanMetricWrapper):
    """The Kullback-Leibler divergence.

    >>> metric = tf.keras.metrics.KLDivergence()
    >>> metric.update_state([[0, 1], [0, 0]], [[0.6, 0.4], [0.4, 0.6]])
    >>> print(metric.result().numpy().round(4))
    0.4581
    """

    def __init__(
        self, name: str | None = "kullback_leibler_divergence", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(losses.kl_divergence, name, dtype=dtype)


class Hinge(MeanMetricWrapper):
    """The hinge loss, for labels of -1 and 1.

    >>> metric = tf.keras.metrics.Hinge()
    >>> metric.update_state([[-1, 1]], [[0.5, 2.0]])
    >>> print(metric.result().numpy())
    0.75
    """

    def __init__(self, name: str | None = "hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.hinge, name, dtype=dtype)


class SquaredHinge(MeanMetricWrapper):
    """The squared hinge loss.

    >>> metric = tf.keras.metrics.SquaredHinge()
    >>> metric.update_state([[-1, 1]], [[0.5, 2.0]])
    >>> print(metric.result().numpy())
    1.125
    """

    def __init__(self, name: str | None = "squared_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.squared_hinge, name, dtype=dtype)


class CategoricalHinge(MeanMetricWrapper):
    """The hinge loss of one-hot labels.

    >>> metric = tf.keras.metrics.CategoricalHinge()
    >>> metric.update_state([[0, 1]], [[0.5, 0.75]])
    >>> print(metric.result().numpy())
    0.75
    """

    def __init__(
        self, name: str | None = "categorical_hinge", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(losses.categorical_hinge, name, dtype=dtype)


class BinaryCrossentropy(MeanMetricWrapper):
    """The cross-entropy of binary labels.

    Args:
        label_smoothing: the fraction by which labels move towards 0.5.

    >>> metric = tf.keras.metrics.BinaryCrossentropy()
    >>> metric.update_state([[0, 1], [0, 0]], [[0.6, 0.4], [0.4, 0.6]])
    >>> print(metric.result().numpy().round(4))
    0.8149
    """

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(losses.binary_crossentropy, **arguments(locals()))


class CategoricalCrossentropy(MeanMetricWrapper):
    """The cross-entropy of one-hot labels.

    Args:
        label_smoothing: the fraction of the labels that is spread evenly over the classes.
        axis: the axis of the classes.

    >>> metric = tf.keras.metrics.CategoricalCrossentropy()
    >>> metric.update_state([[0, 1, 0], [0, 0, 1]], [[0.05, 0.95, 0], [0.1, 0.8, 0.1]])
    >>> print(metric.result().numpy().round(4))
    1.1769
    """

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        super().__init__(losses.categorical_crossentropy, **arguments(locals()))


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The cross-entropy of labels that are class ids.

    Args:
        ignore_class: labels of this class are ignored.
        axis: the axis of the classes.

    >>> metric = tf.keras.metrics.SparseCategoricalCrossentropy()
    >>> metric.update_state([1, 2], [[0.05, 0.95, 0], [0.1, 0.8, 0.1]])
    >>> print(metric.result().numpy().round(4))
    1.1769
    """

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(losses.sparse_categorical_crossentropy, **arguments(locals()))
