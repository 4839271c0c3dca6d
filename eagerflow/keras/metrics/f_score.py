"""F scores: weighted harmonic means of precision and recall."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.metrics.metric import Metric
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops


class FBetaScore(Metric):
    """The weighted harmonic mean of precision and recall.

    `(1 + beta²) * precision * recall / (beta² * precision + recall)`

    Args:
        average: "micro" over all counts, "macro" over classes, "weighted" by the classes' labels;
            None for each class's score.
        beta: how many times as much recall counts as precision.
        threshold: predictions above it are positive; if None, only the highest of each sample is.

    Raises:
        ValueError: for an unknown average, a `beta` that is not positive, or a threshold that is
            not in (0, 1].

    >>> metric = tf.keras.metrics.FBetaScore(beta=2.0, threshold=0.5)
    >>> metric.update_state([[1, 1], [1, 0], [0, 1]], [[0.2, 0.6], [0.7, 0.1], [0.6, 0.8]])
    >>> print(metric.result().numpy().round(4))
    [0.5 1. ]
    """

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(
                "Invalid `average` argument value. Expected one of: "
                f"{{None, 'micro', 'macro', 'weighted'}}. Received: average={average}"
            )
        if not isinstance(beta, float):
            raise ValueError(
                "Invalid `beta` argument value. It should be a Python float. Received: "
                f"beta={beta} of type '{type(beta)}'"
            )
        if beta <= 0.0:
            raise ValueError(
                f"Invalid `beta` argument value. It should be > 0. Received: beta={beta}"
            )
        if threshold is not None:
            if not isinstance(threshold, float):
                raise ValueError(
                    "Invalid `threshold` argument value. It should be a Python float. Received: "
                    f"threshold={threshold} of type '{type(threshold)}'"
                )
            if threshold > 1.0 or threshold <= 0.0:
                raise ValueError(
                    "Invalid `threshold` argument value. It should verify 0 < threshold <= 1. "
                    f"Received: threshold={threshold}"
                )
        self.average = average
        self.beta = beta
        self.threshold = threshold
        self.axis = None if average == "micro" else 0
        self.built = False

    def build(  # type: ignore[override]
        self, y_true_shape: TensorShape, y_pred_shape: TensorShape
    ) -> None:
        """Makes the counts for this many classes.

        Raises:
            ValueError: if a shape is not `[batch, classes]`.
        """
        if len(y_pred_shape) != 2 or len(y_true_shape) != 2:
            raise ValueError(
                f"{type(self).__name__} expects 2D inputs with shape (batch_size, output_dim). "
                f"Received input shapes: y_pred.shape={y_pred_shape} and "
                f"y_true.shape={y_true_shape}."
            )
        shape = [] if self.average == "micro" else [y_pred_shape[-1]]
        self.true_positives = self.add_weight("true_positives", shape, initializer="zeros")
        self.false_positives = self.add_weight("false_positives", shape, initializer="zeros")
        self.false_negatives = self.add_weight("false_negatives", shape, initializer="zeros")
        self.intermediate_weights = self.add_weight(
            "intermediate_weights", shape, initializer="zeros"
        )
        self.built = True

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch.

        Args:
            y_true: labels of 0 and 1, `[batch, classes]`.
            y_pred: predictions, `[batch, classes]`.
            sample_weight: what each sample counts, `[batch]`.
        """
        y_true = _core.convert(y_true, self._float)
        y_pred = _core.convert(y_pred, self._float)
        if not self.built:
            self.build(y_true.shape, y_pred.shape)
        if self.threshold is None:
            highest = _ops.reduce_max(y_pred, axis=-1, keepdims=True)
            positive = _ops.logical_and(
                _ops.greater_equal(y_pred, highest), _ops.greater(_ops.abs(y_pred), 1e-9)
            )
        else:
            positive = _ops.greater(y_pred, self.threshold)
        y_pred = _ops.cast(positive, self._float)
        weight = None
        if sample_weight is not None:
            weight = _ops.expand_dims(_core.convert(sample_weight, self._float), 1)

        def total(values: TensorLike) -> _core.Tensor:
            values = values if weight is None else values * weight
            return _ops.reduce_sum(values, axis=self.axis)

        self.true_positives.assign_add(total(y_pred * y_true))
        self.false_positives.assign_add(total(y_pred * (1 - y_true)))
        self.false_negatives.assign_add(total((1 - y_pred) * y_true))
        self.intermediate_weights.assign_add(total(y_true))

    def result(self) -> _core.Tensor:
        """The score so far."""
        true = self.true_positives.read_value()
        precision = _ops.divide_no_nan(true, true + self.false_positives)
        recall = _ops.divide_no_nan(true, true + self.false_negatives)
        square = self.beta * self.beta
        score = _ops.divide_no_nan(precision * recall, square * precision + recall) * (1 + square)
        if self.average == "weighted":
            counts = self.intermediate_weights.read_value()
            return _ops.reduce_sum(score * _ops.divide_no_nan(counts, _ops.reduce_sum(counts)))
        return score if self.average is None else _ops.reduce_mean(score)


class F1Score(FBetaScore):
    """The harmonic mean of precision and recall.

    >>> metric = tf.keras.metrics.F1Score(threshold=0.5)
    >>> metric.update_state([[1, 1], [1, 0], [0, 1]], [[0.2, 0.6], [0.7, 0.1], [0.6, 0.8]])
    >>> print(metric.result().numpy().round(4))
    [0.5 1. ]
    """

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(average=average, threshold=threshold, name=name, dtype=dtype)
