"""Losses of ragged labels and predictions, computed row by row."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from eagerflow import _core, errors
from eagerflow import ragged as ragged_ops
from eagerflow.typing import TensorLike

if TYPE_CHECKING:
    from eagerflow.ragged.tensor import RaggedTensor

_ops = _core.ops
_Tensor = _core.Tensor
Function = TypeVar("Function", bound=Callable[..., Any])


def is_ragged(value: Any) -> TypeGuard[RaggedTensor]:
    """Whether a value is a ragged tensor."""
    return type(value) is not _Tensor and hasattr(value, "nested_row_splits")


def takes_ragged(function: Function) -> Function:
    """Makes a loss function also accept ragged tensors, whose losses are computed row by row.

    If every row has one loss, the result is a tensor `[rows]`, otherwise a ragged tensor.
    """

    @functools.wraps(function)
    def loss(y_true: TensorLike, y_pred: TensorLike, *args: Any, **kwargs: Any) -> Any:
        if type(y_pred) is _Tensor and type(y_true) is _Tensor:
            return function(y_true, y_pred, *args, **kwargs)
        if is_ragged(y_pred) or is_ragged(y_true):
            return _by_rows(function, y_true, y_pred, args, kwargs)
        return function(y_true, y_pred, *args, **kwargs)

    return loss  # type: ignore[return-value]


def _by_rows(function: Any, y_true: Any, y_pred: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    count = y_pred.nrows() if is_ragged(y_pred) else _core.as_tensor(y_pred).shape[0]
    results = []
    for row in range(int(count)):
        labels, predictions = y_true[row], y_pred[row]
        if labels.shape[0] != predictions.shape[0]:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Row {row} of the labels has {labels.shape[0]} elements, that of the predictions "
                f"{predictions.shape[0]}: ragged labels and predictions must have rows of the "
                "same lengths.",
            )
        if is_ragged(labels) or is_ragged(predictions):
            results.append(_by_rows(function, labels, predictions, args, kwargs))
        else:
            results.append(function(labels, predictions, *args, **kwargs))
    if not results:
        return _ops.zeros([0], y_pred.dtype)
    if all(type(result) is _Tensor and result.ndim == 0 for result in results):
        return _ops.stack(results, 0)
    return ragged_ops.stack(results)


def weighted(losses: Any, sample_weight: Any) -> Any:
    """Ragged losses times weights: one for all, for each row, or for each loss."""
    if is_ragged(sample_weight):
        return losses * sample_weight
    weight = _ops.cast(_core.as_tensor(sample_weight), losses.dtype)
    if weight.ndim == 2 and weight.shape[1] == 1:
        weight = _ops.reshape(weight, [-1])
    if weight.ndim == 1:
        rows = losses.value_rowids()
        flat = losses.values
        if is_ragged(flat):
            return losses.with_values(weighted(flat, _ops.gather(weight, rows, axis=0)))
        return losses.with_values(flat * _ops.gather(weight, rows, axis=0))
    if weight.ndim == 0:
        return losses.with_flat_values(losses.flat_values * weight)
    return losses * weight


def flat(*values: Any) -> list[Any]:
    """Replaces ragged tensors by their flat values, and returns other values unchanged.

    As in TensorFlow an axis of size 1 is added: each flat value is one sample.

    Raises:
        tf.errors.InvalidArgumentError: if the row lengths of ragged tensors differ.
    """
    ragged = [value for value in values if is_ragged(value)]
    for one in ragged[1:]:
        own, first = one.nested_row_splits, ragged[0].nested_row_splits
        if len(own) != len(first) or any(
            a.numpy().tolist() != b.numpy().tolist() for a, b in zip(own, first, strict=True)
        ):
            raise errors.InvalidArgumentError(
                None,
                None,
                "Ragged labels, predictions and weights must have rows of the same "
                f"lengths. Received: {ragged[0]} and {one}",
            )
    return [_ops.expand_dims(v.flat_values, -1) if is_ragged(v) else v for v in values]
