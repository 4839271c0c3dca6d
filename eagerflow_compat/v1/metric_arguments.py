"""How labels, predictions and weights of version 1's metrics are brought into shapes that match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.graph.control_flow import cond
from eagerflow.graph.defaults import name_scope
from eagerflow.keras.losses.weighting import broadcast_weights
from eagerflow.ops import array
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import TensorLike

_ops = _core.ops


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Any, Any]:
    """Labels and predictions without a last axis of size one that the other lacks.

    Args:
        labels: of any rank, which may be unknown.
        predictions: of any rank, too.
        expected_rank_diff: by how much the rank of the predictions should be larger.
        name: the name of the scope.
    """
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        difference = _rank_difference(predictions, labels)
        labels = _squeezed(labels, difference, expected_rank_diff - 1)
        return labels, _squeezed(predictions, difference, expected_rank_diff + 1)


def _rank_difference(first: Any, second: Any) -> Any:
    """How much larger the rank of the first is: an integer where both are known, else a tensor."""
    if first.shape.rank is None or second.shape.rank is None:
        return _ops.subtract(array.rank(first), array.rank(second))
    return first.shape.rank - second.shape.rank


def _squeezed(value: Any, difference: Any, wanted: int) -> Any:
    """The value without its last axis if the ranks' difference is the wanted one, and its size may be 1."""
    if value.shape.rank is not None and (not value.shape.rank or value.shape[-1] not in (1, None)):
        return value
    return _if_equal(difference, wanted, value, lambda: _ops.squeeze(value, [-1]))


def _if_equal(difference: Any, wanted: int, value: Any, changed: Callable[[], Any]) -> Any:
    if isinstance(difference, int):
        return changed() if difference == wanted else value
    return cond(_ops.equal(difference, wanted), changed, lambda: _ops.identity(value))


def aligned(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Predictions, labels and weights in ranks that match; the weights may stay a scalar.

    Raises:
        ValueError: if labels and predictions cannot have the same shape.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    if weights.shape.rank == 0:
        return predictions, labels, weights
    difference = _rank_difference(weights, predictions)
    if weights.shape.rank is not None:
        return predictions, labels, _with_rank_of(weights, difference)
    given = weights
    is_scalar = _ops.equal(array.rank(weights), 0)
    weights = cond(
        is_scalar, lambda: _ops.identity(given), lambda: _with_rank_of(given, difference)
    )
    return predictions, labels, weights


def _with_rank_of(weights: Any, difference: Any) -> Any:
    squeezed = _squeezed(weights, difference, 1)
    return _if_equal(difference, -1, squeezed, lambda: _ops.expand_dims(weights, -1))


def labelled(labels: Any, predictions: Any, weights: TensorLike | None) -> tuple[Any, Any, Any]:
    """Labels, predictions and weights in one shape.

    Raises:
        ValueError: if they cannot have one.
    """
    predictions, labels, weights = aligned(predictions, labels, weights)
    return labels, predictions, _spread(weights, predictions)


def valued(values: Any, weights: TensorLike | None) -> tuple[Any, Any]:
    """Values, and weights in their shape.

    Raises:
        ValueError: if the weights cannot have it.
    """
    values, _, weights = aligned(values, None, weights)
    return values, _spread(weights, values)


def _spread(weights: Any, values: Any) -> Any:
    if weights is None:
        return None
    return broadcast_weights(_ops.cast(weights, dtypes.float32), values)


def ranked(
    labels: Any, predictions: TensorLike, weights: TensorLike | None
) -> tuple[Any, Any, Any]:
    """Labels, which may be sparse, and rows of predictions.

    Raises:
        ValueError: if the predictions are no rows.
    """
    predictions = convert_to_tensor(predictions)
    if predictions.shape.rank is not None and predictions.shape.rank < 2:
        raise ValueError(f"predictions must be of rank 2 or more, got shape {predictions.shape}.")
    return labels, predictions, weights
