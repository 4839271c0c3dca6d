"""tensorflow.python.ops.metrics_impl and confusion_matrix: what metrics of packages are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow.compat import v1
from eagerflow.framework import dtypes
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.defaults import add_to_collections
from eagerflow.graph.variables import make_variable
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow_compat.v1.binary_metrics import CASES
from eagerflow_compat.v1.metric_arguments import aligned as _remove_squeezable_dimensions
from eagerflow_compat.v1.metric_arguments import remove_squeezable_dimensions
from eagerflow_compat.v1.ranking_metrics import average_precision_at_top_k

__all__ = [
    "_aggregate_variable",
    "_confusion_matrix_at_thresholds",
    "_remove_squeezable_dimensions",
    "_safe_scalar_div",
    "_streaming_sparse_average_precision_at_top_k",
    "metric_variable",
    "remove_squeezable_dimensions",
]

_streaming_sparse_average_precision_at_top_k = average_precision_at_top_k


def metric_variable(
    shape: ShapeLike, dtype: DTypeLike, validate_shape: bool = True, name: str | None = None
) -> Any:
    """A local variable of zeros, which a metric adds to."""
    return make_variable(
        lambda: v1.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        name=name,
    )


def _aggregate_variable(v: Any, collections: Any) -> Any:
    """The value of a metric's variable, which is added to collections, too."""
    value = v.read_value()
    if collections:
        add_to_collections(collections, value)
    return value


def _safe_scalar_div(numerator: TensorLike, denominator: TensorLike, name: str | None) -> Any:
    """The quotient of two scalars, 0 where the denominator is 0."""
    return v1.div_no_nan(numerator, denominator, name=name)


def _confusion_matrix_at_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    thresholds: Sequence[float],
    weights: TensorLike | None = None,
    includes: Sequence[str] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The counts of cases at each threshold, and the operations that add to them.

    Args:
        labels: true or false.
        predictions: numbers in [0, 1].
        thresholds: a prediction above one is positive.
        weights: of the predictions.
        includes: which cases are counted, of "tp", "fn", "tn" and "fp"; by default all.

    Raises:
        ValueError: if there is no such case.
    """
    short = {"".join(word[0] for word in case.split("_")): case for case in CASES}
    for case in includes or ():
        if case not in short:
            raise ValueError(f"Invalid key: {case}.")
    predictions, labels, weights = _remove_squeezable_dimensions(
        v1.cast(predictions, dtypes.float32), v1.cast(labels, dtypes.bool), weights
    )
    limits = v1.constant(thresholds, dtypes.float32)[:, None]
    positive = v1.reshape(predictions, [1, -1]) > limits
    right = v1.broadcast_to(v1.reshape(labels, [1, -1]), v1.shape(positive))
    if weights is not None:
        spread = v1.broadcast_to(v1.cast(weights, dtypes.float32), v1.shape(predictions))
        weights = v1.reshape(spread, [1, -1])
    values, updates = {}, {}
    for key in includes or short:
        guess, label = CASES[short[key]]
        chosen = v1.logical_and(v1.equal(positive, guess), v1.equal(right, label))
        each = v1.cast(chosen, dtypes.float32)
        total = metric_variable([len(thresholds)], dtypes.float32, name=short[key])
        values[key] = total.read_value()
        updates[key] = total.assign_add(
            v1.reduce_sum(each if weights is None else each * weights, axis=1)
        )
    return values, updates
