"""Counting true and false positives and negatives at thresholds."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras.config import defaults
from eagerflow.keras.losses import weighting
from eagerflow.keras.losses.ragged import flat, is_ragged
from eagerflow.ops.creation import one_hot
from eagerflow.typing import TensorLike
from eagerflow.util.arguments import checked_count

_ops = _core.ops
Tensor = _core.Tensor

# Below every prediction: replaces those outside of the top k.
NEG_INF = -1e10


class ConfusionMatrix(enum.Enum):
    """The cells of a table of predictions against labels."""

    TRUE_POSITIVES = "tp"
    FALSE_POSITIVES = "fp"
    TRUE_NEGATIVES = "tn"
    FALSE_NEGATIVES = "fn"


TRUE_POSITIVES = ConfusionMatrix.TRUE_POSITIVES
FALSE_POSITIVES = ConfusionMatrix.FALSE_POSITIVES
TRUE_NEGATIVES = ConfusionMatrix.TRUE_NEGATIVES
FALSE_NEGATIVES = ConfusionMatrix.FALSE_NEGATIVES


def listed(value: object) -> list:
    """A list, tuple or array as a list; any other value as a list of one."""
    if isinstance(value, list | tuple | np.ndarray):
        return list(value)
    return [value]


def parse_thresholds(thresholds: Any, default: float = 0.5) -> list:
    """Thresholds as a list.

    Raises:
        ValueError: for a threshold outside of [0, 1].
    """
    if thresholds is None:
        return [default]
    thresholds = listed(thresholds)
    wrong = [value for value in thresholds if value is None or value < 0 or value > 1]
    if wrong:
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {wrong}")
    return thresholds


def even_thresholds(count: int) -> list[float]:
    """What lies between 0 and 1 if a number of thresholds goes from 0 to 1 in even steps."""
    checked_count("num_thresholds", count, 1 << 20)
    return [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]


def are_even(thresholds: Any) -> bool:
    """Whether thresholds go from 0 to 1 in even steps, so that buckets can be computed."""
    count = len(thresholds)
    if count < 3:
        return False
    even = np.arange(count, dtype=np.float32) / (count - 1)
    return bool(np.allclose(thresholds, even, atol=defaults.epsilon))


def _only_top_k(predictions: Tensor, k: int) -> Any:
    """Predictions, with those below the `k` highest of each row far below all thresholds."""
    classes = predictions._shape_tuple()[-1]
    indices = _ops.top_k(predictions, k=k)[1]
    chosen = _ops.reduce_sum(one_hot(indices, classes), axis=-2)
    return predictions * chosen + NEG_INF * (1 - chosen)


def update_counts(
    variables: Mapping[ConfusionMatrix, _core.Variable],
    y_true: Any,
    y_pred: Any,
    thresholds: object,
    top_k: int | None = None,
    class_id: int | None = None,
    sample_weight: TensorLike | None = None,
    multi_label: bool = False,
    label_weights: Any = None,
    even: bool = False,
) -> None:
    """Adds a batch's counts to the variables of some cells.

    Args:
        variables: the cells to count, each with its variable `[thresholds]`, or
            `[thresholds, labels]` with `multi_label`.
        y_true: labels, true where not zero.
        y_pred: predictions, positive above a threshold.
        thresholds: in ascending order.
        top_k: only the `top_k` highest predictions of a row can be positive.
        class_id: the only class to count.
        sample_weight: the weight of each sample or prediction.
        multi_label: whether each label is counted by itself.
        label_weights: the weight of each label.
        even: whether the thresholds are evenly spaced.

    Raises:
        ValueError: if labels and predictions differ in shape.
    """
    if is_ragged(y_pred):
        y_true, y_pred, sample_weight = flat(y_true, y_pred, sample_weight)
    dtype = next(iter(variables.values())).dtype
    y_true = weighting.cast(y_true, dtype)
    y_pred = weighting.cast(y_pred, dtype)
    if sample_weight is None:
        y_pred, y_true = weighting.squeeze_or_expand_dimensions(y_pred, y_true)
    else:
        y_pred, y_true, sample_weight = weighting.squeeze_or_expand_dimensions(
            y_pred, y_true, weighting.cast(sample_weight, dtype)
        )
    y_pred.shape.assert_is_compatible_with(y_true.shape)
    if top_k is not None:
        y_pred = _only_top_k(y_pred, top_k)
    if class_id is not None:
        y_true = y_true[..., class_id, None]
        y_pred = y_pred[..., class_id, None]
    weights = None
    if sample_weight is not None:
        weights = weighting.broadcast_weights(sample_weight, y_pred)
    if label_weights is not None:
        spread = weighting.broadcast_weights(_ops.expand_dims(label_weights, 0), y_pred)
        weights = spread if weights is None else weights * spread
    if not multi_label:
        y_true, y_pred = _ops.reshape(y_true, [-1]), _ops.reshape(y_pred, [-1])
        weights = None if weights is None else _ops.reshape(weights, [-1])
    positive = _ops.cast(_ops.not_equal(y_true, 0.0), dtype)
    negative = 1.0 - positive
    if weights is not None:
        positive, negative = positive * weights, negative * weights
    count = _counts_of_buckets if even else _counts_of_comparisons
    true_positives, false_positives = count(positive, negative, y_pred, thresholds)
    counts = {TRUE_POSITIVES: true_positives, FALSE_POSITIVES: false_positives}
    if TRUE_NEGATIVES in variables:
        counts[TRUE_NEGATIVES] = _ops.reduce_sum(negative, axis=0) - false_positives
    if FALSE_NEGATIVES in variables:
        counts[FALSE_NEGATIVES] = _ops.reduce_sum(positive, axis=0) - true_positives
    for cell, variable in variables.items():
        variable.assign_add(counts[cell])


def _counts_of_comparisons(
    positive: Tensor, negative: Tensor, y_pred: Tensor, thresholds: Any
) -> tuple[Tensor, Tensor]:
    """True and false positives at each threshold, by comparing all predictions with all thresholds."""
    if len(thresholds) == 1:
        limit = _core.convert(float(thresholds[0]), y_pred.dtype)
        above = _ops.cast(_ops.greater(y_pred, limit), y_pred.dtype)
        right = _ops.reduce_sum(positive * above, axis=0)
        wrong = _ops.reduce_sum(negative * above, axis=0)
        return _ops.expand_dims(right, 0), _ops.expand_dims(wrong, 0)
    limits = _core.as_tensor(np.asarray(thresholds, dtype=np.float64))
    limits = _ops.cast(limits, y_pred.dtype)
    limits = _ops.reshape(limits, [len(thresholds)] + [1] * y_pred.ndim)
    above = _ops.cast(_ops.greater(_ops.expand_dims(y_pred, 0), limits), y_pred.dtype)
    return _ops.reduce_sum(above * positive, axis=1), _ops.reduce_sum(above * negative, axis=1)


def _counts_of_buckets(
    positive: Tensor, negative: Tensor, y_pred: Tensor, thresholds: Any
) -> tuple[Tensor, Tensor]:
    """Positives above each of evenly spaced thresholds, by sorting predictions into buckets."""
    steps = len(thresholds)
    buckets = _ops.ceil(_ops.clip_by_value(y_pred, 0.0, 1.0) * float(steps - 1)) - 1
    if thresholds[0] < 0.0 or thresholds[-1] > 1.0:
        # A first threshold below zero has predictions of zero above it.
        buckets = _ops.relu(buckets)
    buckets = _ops.cast(buckets, dtypes.int32)
    labels = 1
    if y_pred.ndim == 2:
        labels = y_pred._shape_tuple()[1]
        buckets = buckets * labels + _ops.range(0, labels, 1)

    def above(values: TensorLike) -> Tensor:
        sums = _ops.unsorted_segment_sum(values, buckets, num_segments=steps * labels)
        if y_pred.ndim == 2:
            sums = _ops.reshape(sums, [steps, labels])
        return _ops.cumsum(sums, axis=0, reverse=True)

    return above(positive), above(negative)
