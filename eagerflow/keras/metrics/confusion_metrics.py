"""Counts of true and false positives and negatives, precision, recall, and trade-offs."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras.metrics import confusion
from eagerflow.keras.metrics.confusion import (
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    TRUE_NEGATIVES,
    TRUE_POSITIVES,
    ConfusionMatrix,
)
from eagerflow.keras.metrics.metric import Metric
from eagerflow.keras.typing import Config
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops


def share(part: TensorLike, rest: Any) -> _core.Tensor:
    """`part / (part + rest)`, or zero if both are zero."""
    return _ops.divide_no_nan(part, part + rest)


class _Count(Metric):
    """The count of one cell of the confusion matrix.

    Args:
        thresholds: a float or a list; predictions above it are positive; 0.5 by default.
    """

    _cell: ConfusionMatrix

    def __init__(
        self, thresholds: Any = None, name: str | None = None, dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = confusion.parse_thresholds(thresholds)
        self._even = confusion.are_even(self.thresholds)
        self.accumulator = self.add_weight(
            "accumulator", shape=(len(self.thresholds),), initializer="zeros"
        )

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch."""
        confusion.update_counts(
            {self._cell: self.accumulator},
            y_true,
            y_pred,
            self.thresholds,
            sample_weight=sample_weight,
            even=self._even,
        )

    def result(self) -> Any:
        """The count so far; at several thresholds, a vector."""
        counts = self.accumulator.read_value()
        return counts[0] if len(self.thresholds) == 1 else counts

    def get_config(self) -> Config:
        """The arguments that make a metric like this one."""
        return super().get_config() | {"thresholds": self.init_thresholds}


class TruePositives(_Count):
    """The number of true positives.

    Raises:
        ValueError: for a threshold outside of [0, 1].

    >>> metric = tf.keras.metrics.TruePositives()
    >>> metric.update_state([0, 1, 1, 1], [1, 0, 1, 1])
    >>> print(metric.result().numpy())
    2.0
    """

    _cell = TRUE_POSITIVES


class TrueNegatives(_Count):
    """The number of true negatives.

    >>> metric = tf.keras.metrics.TrueNegatives()
    >>> metric.update_state([0, 1, 0, 0], [1, 1, 0, 0])
    >>> print(metric.result().numpy())
    2.0
    """

    _cell = TRUE_NEGATIVES


class FalsePositives(_Count):
    """The number of false positives.

    >>> metric = tf.keras.metrics.FalsePositives()
    >>> metric.update_state([0, 1, 0, 0], [0, 0, 1, 1])
    >>> print(metric.result().numpy())
    2.0
    """

    _cell = FALSE_POSITIVES


class FalseNegatives(_Count):
    """The number of false negatives.

    >>> metric = tf.keras.metrics.FalseNegatives()
    >>> metric.update_state([0, 1, 1, 1], [0, 1, 0, 0])
    >>> print(metric.result().numpy())
    2.0
    """

    _cell = FALSE_NEGATIVES


class _Rate(Metric):
    """The fraction of true positives among them and another cell.

    Args:
        thresholds: a float or a list; predictions above it are positive; 0.5 by default, and
            none with `top_k`.
        top_k: only the `top_k` highest predictions of a sample can be positive.
        class_id: the only class to count.
    """

    _other: ConfusionMatrix
    _other_name: str

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        default = 0.5 if top_k is None else confusion.NEG_INF
        self.thresholds = confusion.parse_thresholds(thresholds, default)
        self._even = confusion.are_even(self.thresholds)
        shape = (len(self.thresholds),)
        self.true_positives = self.add_weight("true_positives", shape, initializer="zeros")
        other = self.add_weight(self._other_name, shape, initializer="zeros")
        setattr(self, self._other_name, other)

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch."""
        confusion.update_counts(
            {TRUE_POSITIVES: self.true_positives, self._other: getattr(self, self._other_name)},
            y_true,
            y_pred,
            self.thresholds,
            top_k=self.top_k,
            class_id=self.class_id,
            sample_weight=sample_weight,
            even=self._even,
        )

    def result(self) -> Any:
        """The rate so far; at several thresholds, a vector."""
        rates = share(self.true_positives, getattr(self, self._other_name))
        return rates[0] if len(self.thresholds) == 1 else rates

    def get_config(self) -> Config:
        """The arguments that make a metric like this one."""
        return super().get_config() | {"thresholds": self.init_thresholds}


class Precision(_Rate):
    """The fraction of positive predictions that are true.

    Raises:
        ValueError: for a threshold outside of [0, 1].

    >>> metric = tf.keras.metrics.Precision()
    >>> metric.update_state([0, 1, 1, 1], [1, 0, 1, 1])
    >>> print(metric.result().numpy().round(4))
    0.6667
    """

    _other = FALSE_POSITIVES
    _other_name = "false_positives"


class Recall(_Rate):
    """The fraction of positive labels that are predicted.

    >>> metric = tf.keras.metrics.Recall()
    >>> metric.update_state([0, 1, 1, 1], [1, 0, 1, 1])
    >>> print(metric.result().numpy().round(4))
    0.6667
    """

    _other = FALSE_NEGATIVES
    _other_name = "false_negatives"


class SensitivitySpecificityBase(Metric):
    """The best value of one rate for which another rate reaches a bound.

    Args:
        value: the least value of the other rate.
        num_thresholds: the number of thresholds between 0 and 1.
        class_id: the only class to count.

    Raises:
        ValueError: if the other rate is not in [0, 1], or `num_thresholds` not positive.
    """

    _bounded_rate: str | None = None  # the name that a subclass gives to `value`

    def __init__(
        self,
        value: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if self._bounded_rate is not None:
            if value < 0 or value > 1:
                raise ValueError(
                    f"Argument `{self._bounded_rate}` must be in the range [0, 1]. Received: "
                    f"{self._bounded_rate}={value}"
                )
            setattr(self, self._bounded_rate, value)
        super().__init__(name=name, dtype=dtype)
        if num_thresholds <= 0:
            raise ValueError(
                "Argument `num_thresholds` must be an integer > 0. Received: "
                f"num_thresholds={num_thresholds}"
            )
        self.value = value
        self.num_thresholds = num_thresholds
        self.class_id = class_id
        shape = (num_thresholds,)
        self.true_positives = self.add_weight("true_positives", shape, initializer="zeros")
        self.true_negatives = self.add_weight("true_negatives", shape, initializer="zeros")
        self.false_positives = self.add_weight("false_positives", shape, initializer="zeros")
        self.false_negatives = self.add_weight("false_negatives", shape, initializer="zeros")
        self._even = num_thresholds > 1
        self.thresholds = [0.5]
        if self._even:
            inner = confusion.even_thresholds(num_thresholds)
            self.thresholds = [0.0, *inner, 1.0]

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch."""
        confusion.update_counts(
            {
                TRUE_POSITIVES: self.true_positives,
                TRUE_NEGATIVES: self.true_negatives,
                FALSE_POSITIVES: self.false_positives,
                FALSE_NEGATIVES: self.false_negatives,
            },
            y_true,
            y_pred,
            self.thresholds,
            class_id=self.class_id,
            sample_weight=sample_weight,
            even=self._even,
        )

    def _best(self, constrained: _core.Tensor, wanted: _core.Tensor) -> _core.Tensor:
        """The highest wanted rate where the other is high enough; zero where it never is."""
        feasible = _ops.greater_equal(constrained, _core.convert(self.value, self._float))
        lowest = _core.convert(float("-inf"), wanted.dtype)
        best = _ops.reduce_max(_ops.select(feasible, wanted, lowest))
        return _ops.select(_ops.reduce_any(feasible), best, _ops.zeros((), wanted.dtype))

    def _sensitivities(self) -> _core.Tensor:
        return share(self.true_positives, self.false_negatives)

    def _specificities(self) -> _core.Tensor:
        return share(self.true_negatives, self.false_positives)

    def _precisions(self) -> _core.Tensor:
        return share(self.true_positives, self.false_positives)

    def get_config(self) -> Config:
        """The arguments that make a metric like this one."""
        config: dict[str, Any] = {
            "name": self.name,
            "dtype": self.dtype,
            "class_id": self.class_id,
            "num_thresholds": self.num_thresholds,
        }
        if self._bounded_rate is not None:
            config[self._bounded_rate] = self.value
        return config


class SensitivityAtSpecificity(SensitivitySpecificityBase):
    """The best sensitivity (true positive rate) at a given least specificity.

    Args:
        specificity: the least true negative rate.

    Raises:
        ValueError: if `specificity` is not in [0, 1].

    >>> metric = tf.keras.metrics.SensitivityAtSpecificity(0.5)
    >>> metric.update_state([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8])
    >>> print(metric.result().numpy())
    0.5
    """

    _bounded_rate = "specificity"

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(specificity, num_thresholds, class_id, name, dtype)

    def result(self) -> Any:
        """The sensitivity so far."""
        return self._best(self._specificities(), self._sensitivities())


class SpecificityAtSensitivity(SensitivitySpecificityBase):
    """The best specificity (true negative rate) at a given least sensitivity.

    Args:
        sensitivity: the least true positive rate.

    Raises:
        ValueError: if `sensitivity` is not in [0, 1].

    >>> metric = tf.keras.metrics.SpecificityAtSensitivity(0.5)
    >>> metric.update_state([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8])
    >>> print(metric.result().numpy().round(4))
    0.6667
    """

    _bounded_rate = "sensitivity"

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)

    def result(self) -> Any:
        """The specificity so far."""
        return self._best(self._sensitivities(), self._specificities())


class PrecisionAtRecall(SensitivitySpecificityBase):
    """The best precision at a given least recall.

    Args:
        recall: the least recall.

    Raises:
        ValueError: if `recall` is not in [0, 1].

    >>> metric = tf.keras.metrics.PrecisionAtRecall(0.5)
    >>> metric.update_state([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8])
    >>> print(metric.result().numpy())
    0.5
    """

    _bounded_rate = "recall"

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(recall, num_thresholds, class_id, name, dtype)

    def result(self) -> Any:
        """The precision so far."""
        return self._best(self._sensitivities(), self._precisions())


class RecallAtPrecision(SensitivitySpecificityBase):
    """The best recall at a given least precision.

    Args:
        precision: the least precision.

    Raises:
        ValueError: if `precision` is not in [0, 1].

    >>> metric = tf.keras.metrics.RecallAtPrecision(0.8)
    >>> metric.update_state([0, 0, 1, 1], [0, 0.5, 0.3, 0.9])
    >>> print(metric.result().numpy())
    0.5
    """

    _bounded_rate = "precision"

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(precision, num_thresholds, class_id, name, dtype)

    def result(self) -> Any:
        """The recall so far."""
        return self._best(self._precisions(), self._sensitivities())
