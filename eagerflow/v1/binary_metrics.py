"""tf.metrics of version 1 about yes and no: counts of what was right, at one or many thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow.v1.metric_variables import Array, metric, weighted

_EPSILON = 1e-7
# Whether predictions, and labels, are true in each count.
_CASES = {
    "true_positives": (True, True),
    "false_negatives": (False, True),
    "true_negatives": (False, False),
    "false_positives": (True, False),
}


def _counts(
    kind: str,
    cases: Sequence[str],
    labels: Any,
    predictions: Any,
    weights: Any,
    thresholds: Sequence[float] | None,
    value: Callable[..., Any],
    by_threshold: bool,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Any:
    """A metric that is made from counts; without thresholds, predictions are true or false."""
    sizes = [] if thresholds is None else [len(thresholds)]

    def count(labels: Array, predictions: Array, by: Any) -> tuple:
        positive = labels.astype(bool)
        by = weighted(by, labels)
        if thresholds is None:
            guesses = predictions.astype(bool).reshape(1, -1)
        else:
            limits = np.asarray(thresholds, np.float32)[:, None]
            guesses = predictions.reshape(1, -1).astype(np.float32) > limits
        flat, shares = positive.reshape(1, -1), by.reshape(1, -1)
        found = []
        for case in cases:
            guess, label = _CASES[case]
            found.append((((guesses == guess) & (flat == label)) * shares).sum(1).reshape(sizes))
        return tuple(found)

    return metric(
        kind,
        (labels, predictions, weights),
        dict.fromkeys(_names(kind, cases), sizes),
        count,
        value,
        sizes if by_threshold else [],
        name,
        metrics_collections,
        updates_collections,
    )


def _names(kind: str, cases: Sequence[str]) -> list[str]:
    """The names of the variables that hold the counts."""
    if kind in _CASES and len(cases) == 1:
        return ["count"]
    return [f"{case}/count" if kind in ("precision", "recall") else case for case in cases]


def _simple(kind: str, case: str) -> Callable[..., Any]:
    def function(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Any:
        return _counts(
            kind,
            [case],
            labels,
            predictions,
            weights,
            None,
            lambda found: found,
            False,
            metrics_collections,
            updates_collections,
            name,
        )

    function.__name__ = function.__qualname__ = kind
    function.__doc__ = f"How many {case.replace('_', ' ')} there were."
    return function


def _at_thresholds(kind: str, case: str) -> Callable[..., Any]:
    def function(
        labels: Any,
        predictions: Any,
        thresholds: Sequence[float],
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Any:
        return _counts(
            f"{case}_at_thresholds",
            [case],
            labels,
            predictions,
            weights,
            thresholds,
            lambda found: found,
            True,
            metrics_collections,
            updates_collections,
            name,
        )

    function.__name__ = function.__qualname__ = kind
    function.__doc__ = f"How many {case.replace('_', ' ')} there were, for each threshold."
    return function


true_positives = _simple("true_positives", "true_positives")
true_negatives = _simple("true_negatives", "true_negatives")
false_positives = _simple("false_positives", "false_positives")
false_negatives = _simple("false_negatives", "false_negatives")
true_positives_at_thresholds = _at_thresholds("true_positives_at_thresholds", "true_positives")
true_negatives_at_thresholds = _at_thresholds("true_negatives_at_thresholds", "true_negatives")
false_positives_at_thresholds = _at_thresholds("false_positives_at_thresholds", "false_positives")
false_negatives_at_thresholds = _at_thresholds("false_negatives_at_thresholds", "false_negatives")


def _share(part: Array, rest: Array) -> Array:
    whole = part + rest
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How often a prediction of yes is right.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     value, update = tf.compat.v1.metrics.precision([1, 0, 1], [1, 1, 0])
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     print(session.run(update))
    0.5
    """
    cases = ["true_positives", "false_positives"]
    collections = metrics_collections, updates_collections
    return _counts(
        "precision", cases, labels, predictions, weights, None, _share, False, *collections, name
    )


def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How many of those that are yes are predicted as such."""
    cases = ["true_positives", "false_negatives"]
    collections = metrics_collections, updates_collections
    return _counts(
        "recall", cases, labels, predictions, weights, None, _share, False, *collections, name
    )


def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How often predictions above each threshold are right."""
    return _counts(
        "precision_at_thresholds",
        ["true_positives", "false_positives"],
        labels,
        predictions,
        weights,
        thresholds,
        lambda right, wrong: right / (_EPSILON + right + wrong),
        True,
        metrics_collections,
        updates_collections,
        name,
    )


def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """How many of those that are yes have predictions above each threshold."""
    return _counts(
        "recall_at_thresholds",
        ["true_positives", "false_negatives"],
        labels,
        predictions,
        weights,
        thresholds,
        lambda right, missed: right / (_EPSILON + right + missed),
        True,
        metrics_collections,
        updates_collections,
        name,
    )


def _spread(count: int) -> list[float]:
    """Thresholds from just below 0 to just above 1."""
    inner = [(k + 1) / (count - 1) for k in range(count - 2)]
    return [-_EPSILON, *inner, 1.0 + _EPSILON]


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Any:
    """The area under a curve of rates at many thresholds.

    Args:
        labels: true or false.
        predictions: in [0, 1].
        weights: of the examples.
        num_thresholds: how many thresholds there are.
        metrics_collections: collections that get the value.
        updates_collections: collections that get the operation.
        curve: "ROC", or "PR": precision by recall.
        name: the scope's name.
        summation_method: "trapezoidal", "minoring", "majoring" or, for "PR",
            "careful_interpolation" (Davis and Goadrich, ICML 2006).
        thresholds: others than evenly spread ones.

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
    limits = _spread(num_thresholds)
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

    return _counts(
        "auc",
        list(_CASES),
        labels,
        predictions,
        weights,
        limits,
        area,
        False,
        metrics_collections,
        updates_collections,
        name,
    )


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


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The share of yes that is found at the threshold with a given share of no.

    Raises:
        ValueError: if the share is not between 0 and 1.
    """
    if not 0 <= specificity <= 1:
        raise ValueError(f"`specificity` must be in the range [0, 1]. Currently {specificity}.")

    def value(tp: Array, fn: Array, tn: Array, fp: Array) -> Array:
        k = np.argmin(np.abs(tn / (tn + fp + _EPSILON) - specificity))
        return tp[k] / (tp[k] + fn[k] + _EPSILON)

    return _counts(
        "sensitivity_at_specificity",
        list(_CASES),
        labels,
        predictions,
        weights,
        _spread(num_thresholds),
        value,
        False,
        metrics_collections,
        updates_collections,
        name,
    )


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """The share of no that is found at the last threshold with a given share of yes.

    Raises:
        ValueError: if the share is not between 0 and 1.
    """
    if not 0 <= sensitivity <= 1:
        raise ValueError(f"`sensitivity` must be in the range [0, 1]. Currently {sensitivity}.")

    def value(tp: Array, fn: Array, tn: Array, fp: Array) -> Array:
        distances = np.abs(tp / (tp + fn + _EPSILON) - sensitivity)
        k = np.flatnonzero(distances == distances.min())[-1]
        return tn[k] / (tn[k] + fp[k] + _EPSILON)

    return _counts(
        "specificity_at_sensitivity",
        list(_CASES),
        labels,
        predictions,
        weights,
        _spread(num_thresholds),
        value,
        False,
        metrics_collections,
        updates_collections,
        name,
    )
