"""The area under the ROC curve, or under curves of precision and recall."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.config import defaults
from eagerflow.keras.losses import weighting
from eagerflow.keras.losses.ragged import flat, is_ragged
from eagerflow.keras.metrics import confusion
from eagerflow.keras.metrics.confusion_metrics import share
from eagerflow.keras.metrics.metric import Metric
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
debugging = lazy.Module("eagerflow.debugging")

_ops = _core.ops


class AUCCurve(enum.Enum):
    """The curve whose area is computed."""

    ROC = "ROC"
    PR = "PR"
    PR_GAIN = "PR_GAIN"

    @staticmethod
    def from_str(key: str) -> AUCCurve:
        """The curve of a name.

        Raises:
            ValueError: if there is none.
        """
        if key in ("pr", "PR"):
            return AUCCurve.PR
        if key in ("roc", "ROC"):
            return AUCCurve.ROC
        if key in ("pr_gain", "prgain", "PR_GAIN", "PRGAIN"):
            return AUCCurve.PR_GAIN
        raise ValueError(
            f'Invalid AUC curve value: "{key}". Expected values are ["PR", "ROC", "PR_GAIN"]'
        )


class AUCSummationMethod(enum.Enum):
    """The height of the curve between two thresholds."""

    INTERPOLATION = "interpolation"
    MAJORING = "majoring"
    MINORING = "minoring"

    @staticmethod
    def from_str(key: str) -> AUCSummationMethod:
        """The method of a name.

        Raises:
            ValueError: if there is none.
        """
        for method in AUCSummationMethod:
            if key in (method.value, method.value.capitalize()):
                return method
        raise ValueError(
            f'Invalid AUC summation method value: "{key}". Expected values are '
            '["interpolation", "majoring", "minoring"]'
        )


class AUC(Metric):
    """The area under a curve, approximated from counts at thresholds.

    Args:
        num_thresholds: the number of thresholds; at least 2.
        curve: "ROC" (true against false positive rate), "PR" (precision against recall) or
            "PR_GAIN" (Flach and Kull, NeurIPS 2015).
        summation_method: "interpolation", "minoring" or "majoring".
        thresholds: values in [0, 1] to use instead.
        multi_label: whether each label has its own area; the result is their mean.
        num_labels: the number of labels, if the variables are to be made at once.
        label_weights: the weight of each label.
        from_logits: whether predictions are logits.

    Raises:
        ValueError: for an unknown curve or method, and too few thresholds.

    >>> metric = tf.keras.metrics.AUC(num_thresholds=3)
    >>> metric.update_state([0, 0, 1, 1], [0, 0.5, 0.3, 0.9])
    >>> print(metric.result().numpy())
    0.75
    """

    _unsaved_arguments = frozenset({"thresholds"})

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: Any = "ROC",
        summation_method: Any = "interpolation",
        name: str | None = None,
        dtype: DTypeLike | None = None,
        thresholds: Any = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        self._init_from_thresholds = thresholds is not None
        if thresholds is not None:
            self.num_thresholds = len(thresholds) + 2
            inner = sorted(thresholds)
            self._even = confusion.are_even([0.0, *inner, 1.0])
        else:
            if num_thresholds <= 1:
                raise ValueError(
                    "Argument `num_thresholds` must be an integer > 1. Received: "
                    f"num_thresholds={num_thresholds}"
                )
            self.num_thresholds = num_thresholds
            inner = confusion.even_thresholds(num_thresholds)
            self._even = True
        # The ends lie outside of [0, 1], so that 0 and 1 are inside.
        self._thresholds = np.array([0.0 - defaults.epsilon, *inner, 1.0 + defaults.epsilon])
        self.curve = curve if isinstance(curve, AUCCurve) else AUCCurve.from_str(curve)
        self.summation_method = (
            summation_method
            if isinstance(summation_method, AUCSummationMethod)
            else AUCSummationMethod.from_str(summation_method)
        )
        super().__init__(name=name, dtype=dtype)
        self.multi_label = multi_label
        self.num_labels = num_labels
        self.label_weights: Any = None
        if label_weights is not None:
            self.label_weights = weighting.cast(label_weights, self._float)
            debugging.assert_non_negative(
                self.label_weights, message="All values of `label_weights` must be non-negative."
            )
        self._from_logits = from_logits
        self._built = False
        if not multi_label:
            if num_labels:
                raise ValueError("`num_labels` is needed only when `multi_label` is True.")
            self._build(None)
        elif num_labels:
            self._build(TensorShape([None, num_labels]))

    @property
    def thresholds(self) -> list:
        """All thresholds; the first is a little below 0 and the last a little above 1."""
        return list(self._thresholds)

    def _build(self, shape: Any) -> None:
        size: tuple[int, ...] = (self.num_thresholds,)
        if self.multi_label:
            if len(shape) != 2:
                raise ValueError(
                    "`y_pred` must have rank 2 when `multi_label=True`. Found rank "
                    f"{len(shape)}. Full shape received for `y_pred`: {shape}"
                )
            self._num_labels = shape[1]
            size = (self.num_thresholds, self._num_labels)
        self.true_positives = self.add_weight("true_positives", size, initializer="zeros")
        self.true_negatives = self.add_weight("true_negatives", size, initializer="zeros")
        self.false_positives = self.add_weight("false_positives", size, initializer="zeros")
        self.false_negatives = self.add_weight("false_negatives", size, initializer="zeros")
        self._built = True

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch.

        Args:
            y_true: labels, true where not zero.
            y_pred: probabilities (or logits), of the same shape.
            sample_weight: the weight of each sample or prediction.

        Raises:
            ValueError: if shapes do not fit.
        """
        if is_ragged(y_pred):
            y_true, y_pred, sample_weight = flat(y_true, y_pred, sample_weight)
        y_pred = weighting.tensor(y_pred)
        if not self._built:
            self._build(y_pred.shape)
        if self.multi_label or self.label_weights is not None:
            self._check_labels(weighting.tensor(y_true))
        if self._from_logits:
            y_pred = _ops.sigmoid(y_pred)
        confusion.update_counts(
            {
                confusion.TRUE_POSITIVES: self.true_positives,
                confusion.TRUE_NEGATIVES: self.true_negatives,
                confusion.FALSE_POSITIVES: self.false_positives,
                confusion.FALSE_NEGATIVES: self.false_negatives,
            },
            y_true,
            y_pred,
            self._thresholds,
            sample_weight=sample_weight,
            multi_label=self.multi_label,
            label_weights=None if self.multi_label else self.label_weights,
            even=self._even,
        )

    def _check_labels(self, y_true: TensorLike) -> None:
        shapes: list[tuple] = [(y_true, ("N", "L"))]
        if self.multi_label:
            shapes.append((self.true_positives, ("T", "L")))
        if self.label_weights is not None:
            shapes.append((self.label_weights, ("L",)))
        debugging.assert_shapes(shapes, message="Number of labels is not consistent.")

    def _of_labels(self, areas: _core.Tensor) -> _core.Tensor:
        """The sum over thresholds; with several labels, their weighted mean."""
        total = _ops.reduce_sum(areas, axis=0)
        if not self.multi_label:
            return total
        if self.label_weights is None:
            return _ops.reduce_mean(total)
        return _ops.divide_no_nan(
            _ops.reduce_sum(total * self.label_weights), _ops.reduce_sum(self.label_weights)
        )

    def interpolate_pr_auc(self) -> Any:
        """The area under precision and recall, with nonlinear interpolation of precision.

        Davis and Goadrich, "The relationship between precision-recall and ROC curves" (ICML 2006).
        """
        true = self.true_positives.read_value()
        positive = true + self.false_positives
        true_steps = true[:-1] - true[1:]
        before, after = positive[:-1], positive[1:]
        slope = _ops.divide_no_nan(true_steps, _ops.relu(before - after))
        intercept = true[1:] - slope * after
        both = _ops.logical_and(_ops.greater(before, 0.0), _ops.greater(after, 0.0))
        ratio = _ops.divide_no_nan(before, _ops.relu(after))
        ratio = _ops.select(both, ratio, _ops.ones_like(after))
        labels = _ops.relu(true[1:] + self.false_negatives[1:])
        areas = slope * (true_steps + intercept * _ops.log(ratio))
        return self._of_labels(_ops.divide_no_nan(areas, labels))

    def _points(self) -> tuple[_core.Tensor, _core.Tensor]:
        """The curve's abscissae and ordinates, one for each threshold."""
        true, false = self.true_positives.read_value(), self.false_positives.read_value()
        recall = share(true, self.false_negatives)
        if self.curve is AUCCurve.ROC:
            return share(false, self.true_negatives), recall
        if self.curve is AUCCurve.PR:
            return recall, share(true, false)
        odds = _ops.divide_no_nan(true + self.false_negatives, false + self.true_negatives)
        none = _ops.equal(true, 0.0)
        recall_gain = 1.0 - odds * _ops.divide_no_nan(self.false_negatives, true)
        precision_gain = 1.0 - odds * _ops.divide_no_nan(false, true)
        recall_gain = _ops.select(none, _ops.zeros_like(true), recall_gain)
        precision_gain = _ops.select(none, _ops.ones_like(true), precision_gain)
        return _ops.relu(recall_gain), precision_gain

    def result(self) -> Any:
        """The area so far."""
        interpolate = self.summation_method is AUCSummationMethod.INTERPOLATION
        if self.curve is AUCCurve.PR and interpolate:
            return self.interpolate_pr_auc()
        x, y = self._points()
        if interpolate:
            heights = (y[:-1] + y[1:]) / 2.0
        elif self.summation_method is AUCSummationMethod.MINORING:
            heights = _ops.minimum(y[:-1], y[1:])
        else:
            heights = _ops.maximum(y[:-1], y[1:])
        return self._of_labels((x[:-1] - x[1:]) * heights)

    def get_config(self) -> dict[str, int | str]:
        """The arguments that make a metric like this one."""
        weights = self.label_weights
        config = super().get_config() | {
            "curve": self.curve.value,
            "summation_method": self.summation_method.value,
            "label_weights": None if weights is None else weights.numpy(),
        }
        if self._init_from_thresholds:
            config["thresholds"] = self.thresholds[1:-1]
        return config
