"""tf.metrics of version 1 for binary classification, from counts at one or several thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import errors
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.metric_arguments import labelled
from eagerflow_compat.v1.metric_variables import Array, Metric, metric, weighted

_EPSILON = 1e-7
# Whether predictions, and labels, are true in each count.
CASES = {
    "true_positives": (True, True),
    "false_negatives": (False, True),
    "true_negatives": (False, False),
    "false_positives": (True, False),
}


def _counts(
    kind: str,
    cases: Sequence[str],
    arguments: tuple[Any, Any, Any],
    value: Callable[..., Any],
    thresholds: Sequence[float] | None = None,
    by_threshold: bool = False,
) -> Metric:
    """A metric that is made from counts; without thresholds, predictions are true or false."""
    sizes = [] if thresholds is None else [len(thresholds)]

    def count(labels: Array, predictions: Array, weights: Any) -> tuple:
        weights = weighted(weights, labels).reshape(1, -1)
        positive = labels.astype(bool).reshape(1, -1)
        if thresholds is None:
            guesses = predictions.astype(bool).reshape(1, -1)
        else:
            if not np.all((predictions >= 0) & (predictions <= 1)):
                raise errors.InvalidArgumentError._of("predictions must be in [0, 1]")
            limits = np.asarray(thresholds, np.float32)[:, None]
            guesses = predictions.reshape(1, -1).astype(np.float32) > limits
        counts = []
        for guess, label in map(CASES.__getitem__, cases):
            chosen = (guesses == guess) & (positive == label)
            counts.append((chosen * weights).sum(1).reshape(sizes))
        return tuple(counts)

    shapes = dict.fromkeys(_variable_names(kind, cases), sizes)
    value_shape = sizes if by_threshold else []
    return Metric(kind, arguments, shapes, count, value, value_shape, align=labelled)


def _variable_names(kind: str, cases: Sequence[str]) -> list[str]:
    """The names of the variables that hold the counts."""
    if kind in CASES and len(cases) == 1:
        return ["count"]
    return [f"{case}/count" if kind in ("precision", "recall") else case for case in cases]


def _counting(case: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The metric that counts a case, and the one that counts it for each threshold."""

    def count(
        labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None
    ) -> Metric:
        return _counts(case, [case], (labels, predictions, weights), lambda count: count)

    def count_at_thresholds(
        labels: TensorLike,
        predictions: TensorLike,
        thresholds: Sequence[float],
        weights: TensorLike | None = None,
    ) -> Metric:
        arguments = labels, predictions, weights
        return _counts(
            f"{case}_at_thresholds", [case], arguments, lambda counts: counts, thresholds, True
        )

    count.__name__ = count.__qualname__ = case
    count.__doc__ = f"How many {case.replace('_', ' ')} there were."
    every = count_at_thresholds
    every.__name__ = every.__qualname__ = f"{case}_at_thresholds"
    every.__doc__ = f"How many {case.replace('_', ' ')} there were, for each threshold."
    return metric(count), metric(every)


true_positives, true_positives_at_thresholds = _counting("true_positives")
true_negatives, true_negatives_at_thresholds = _counting("true_negatives")
false_positives, false_positives_at_thresholds = _counting("false_positives")
false_negatives, false_negatives_at_thresholds = _counting("false_negatives")


def _share(part: Array, rest: Array) -> Array:
    whole = part + rest
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _share_at_thresholds(part: Array, rest: Array) -> Array:
    return part / (_EPSILON + part + rest)


@metric
def precision(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None
) -> Metric:
    """The precision: the fraction of positive predictions that are right.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.precision([1, 0, 1], [1, 1, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     print(session.run(update))
    0.5
    """
    cases = ["true_positives", "false_positives"]
    return _counts("precision", cases, (labels, predictions, weights), _share)


@metric
def recall(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None
) -> Metric:
    """The recall: the fraction of positive labels that are predicted."""
    cases = ["true_positives", "false_negatives"]
    return _counts("recall", cases, (labels, predictions, weights), _share)


@metric
def precision_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
) -> Metric:
    """The precision at each threshold."""
    cases = ["true_positives", "false_positives"]
    arguments = labels, predictions, weights
    return _counts(
        "precision_at_thresholds", cases, arguments, _share_at_thresholds, thresholds, True
    )


@metric
def recall_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
) -> Metric:
    """The recall at each threshold."""
    cases = ["true_positives", "false_negatives"]
    arguments = labels, predictions, weights
    return _counts("recall_at_thresholds", cases, arguments, _share_at_thresholds, thresholds, True)


def _evenly_spaced(count: int) -> list[float]:
    """Evenly spaced thresholds from just below 0 to just above 1."""
    inner = [(k + 1) / (count - 1) for k in range(count - 2)]
    return [-_EPSILON, *inner, 1.0 + _EPSILON]


@metric
def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
    metrics_collections: object = None,
    updates_collections: object = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Metric:
    """The area under a curve of rates at many thresholds.

    Args:
        labels: true or false.
        predictions: in [0, 1].
        weights: of the examples.
        num_thresholds: the number of thresholds.
        curve: "ROC", or "PR": precision by recall.
        summation_method: "trapezoidal", "minoring", "majoring" or, for "PR",
            "careful_interpolation" (Davis and Goadrich, ICML 2006).
        thresholds: thresholds that are not evenly spaced.

    Raises:
        ValueError: for another curve or method.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    methods = ("trapezoidal", "minoring", "majoring", "careful_interpolation")
    if summation_method not in methods:
        raise ValueError(f"Invalid summation_method: {summation_method}")
    if summation_method == "careful_interpolation" and curve != "PR":
        raise ValueError("careful_interpolation is for the curve PR.")
    limits = _evenly_spaced(num_thresholds)
    if thresholds is not None:
        limits = [-_EPSILON, *sorted(thresholds), 1.0 + _EPSILON]

    def area(tp: Array, fn: Array, tn: Array, fp: Array) -> Array:
        if summation_method == "careful_interpolation":
            return _interpolated(tp, fp, fn)
        small = 1e-6
        recalls = (tp + small) / (tp + fn + small)
        if curve == "ROC":
            x, y = fp / (fp + tn + small), recalls
        else:
            x, y = recalls, (tp + small) / (tp + fp + small)
        heights = {
            "trapezoidal": (y[:-1] + y[1:]) / 2,
            "minoring": np.minimum(y[:-1], y[1:]),
            "majoring": np.maximum(y[:-1], y[1:]),
        }[summation_method]
        return np.sum((x[:-1] - x[1:]) * heights)

    return _counts("auc", list(CASES), (labels, predictions, weights), area, limits)


def _interpolated(tp: Array, fp: Array, fn: Array) -> Array:
    """The area under precision by recall, where precision is interpolated as counts allow."""
    by_tp = tp[:-1] - tp[1:]
    guesses = tp + fp
    by_guess = guesses[:-1] - guesses[1:]
    slope = np.divide(
        by_tp, np.maximum(by_guess, 0), out=np.zeros_like(by_tp), where=np.maximum(by_guess, 0) > 0
    )
    intercept = tp[1:] - slope * guesses[1:]
    both = (guesses[:-1] > 0) & (guesses[1:] > 0)
    ratio = np.divide(guesses[:-1], guesses[1:], out=np.ones_like(slope), where=both)
    positives = np.maximum(tp[1:] + fn[1:], 0)
    steps = slope * (by_tp + intercept * np.log(ratio))
    return np.sum(np.divide(steps, positives, out=np.zeros_like(steps), where=positives > 0))


@metric
def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
) -> Metric:
    """The sensitivity at the threshold with a given specificity.

    Raises:
        ValueError: if the specificity is not between 0 and 1.
    """
    if not 0 <= specificity <= 1:
        raise ValueError(f"`specificity` must be in the range [0, 1]. Currently {specificity}.")

    def value(tp: Array, fn: Array, tn: Array, fp: Array) -> Array:
        k = np.argmin(np.abs(tn / (tn + fp + _EPSILON) - specificity))
        return tp[k] / (tp[k] + fn[k] + _EPSILON)

    arguments, thresholds = (labels, predictions, weights), _evenly_spaced(num_thresholds)
    return _counts("sensitivity_at_specificity", list(CASES), arguments, value, thresholds)


@metric
def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: TensorLike | None = None,
    num_thresholds: int = 200,
) -> Metric:
    """The specificity at the last threshold with a given sensitivity.

    Raises:
        ValueError: if the sensitivity is not between 0 and 1.
    """
    if not 0 <= sensitivity <= 1:
        raise ValueError(f"`sensitivity` must be in the range [0, 1]. Currently {sensitivity}.")

    def value(tp: Array, fn: Array, tn: Array, fp: Array) -> Array:
        distances = np.abs(tp / (tp + fn + _EPSILON) - sensitivity)
        k = np.flatnonzero(distances == distances.min())[-1]
        return tn[k] / (tn[k] + fp[k] + _EPSILON)

    arguments, thresholds = (labels, predictions, weights), _evenly_spaced(num_thresholds)
    return _counts("specificity_at_sensitivity", list(CASES), arguments, value, thresholds)
