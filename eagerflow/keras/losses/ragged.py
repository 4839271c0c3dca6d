"""Losses of ragged labels and predictions, computed row by row."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeGuard, TypeVar

from eagerflow import _core, errors
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import TensorLike
from eagerflow.util import lazy

# Imported when they are first used: traces of losses of ragged tensors need them.
assertions = lazy.Module("eagerflow.ops.assertions")
loops = lazy.Module("eagerflow.ops.loops")

_ops = _core.ops
_Tensor = _core.Tensor
_LENGTHS = "ragged labels and predictions must have rows of the same lengths."
Function = TypeVar("Function", bound=Callable[..., Any])


def is_ragged(value: object) -> TypeGuard[RaggedTensor]:
    """Whether a value is a ragged tensor."""
    return not isinstance(value, _Tensor) and hasattr(value, "nested_row_splits")


def takes_ragged(function: Function) -> Function:
    """Makes a loss function also accept ragged tensors, whose losses are computed row by row.

    If every row has one loss, the result is a tensor `[rows]`, otherwise a ragged tensor.
    """

    @functools.wraps(function)
    def loss(y_true: TensorLike, y_pred: TensorLike, *args: Any, **kwargs: Any) -> Any:
        if isinstance(y_pred, _Tensor) and isinstance(y_true, _Tensor):
            return function(y_true, y_pred, *args, **kwargs)
        if is_ragged(y_pred) or is_ragged(y_true):
            return _by_rows(function, y_true, y_pred, args, kwargs)
        return function(y_true, y_pred, *args, **kwargs)

    return loss  # type: ignore[return-value]


def _by_rows(function: Any, y_true: Any, y_pred: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    y_true, y_pred = _as_ragged(y_true), _as_ragged(y_pred)
    _check_lengths(y_true, y_pred)
    if y_pred.shape.rank > 2:  # a loss for each element of a row
        losses = takes_ragged(function)(y_true.values, y_pred.values, *args, **kwargs)
        return y_pred.with_values(losses)

    def of_row(row: tuple[_Tensor, _Tensor]) -> _Tensor:
        return function(*row, *args, **kwargs)

    if _core.building() is None:
        rows = [of_row((y_true[k], y_pred[k])) for k in range(int(y_pred.nrows()))]
        return _ops.stack(rows, 0) if rows else _ops.zeros([0], y_pred.dtype)
    spec = TensorSpec([], y_pred.dtype)
    return loops.map_fn(of_row, (y_true, y_pred), fn_output_signature=spec)


def _as_ragged(value: TensorLike) -> RaggedTensor:
    return value if is_ragged(value) else RaggedTensor.from_tensor(value)


def _check_lengths(y_true: RaggedTensor, y_pred: RaggedTensor) -> None:
    """Raises a tf.errors.InvalidArgumentError unless both have as many elements in each row."""
    own, theirs = y_true.row_lengths(), y_pred.row_lengths()
    if _core.building() is not None:
        assertions.assert_equal(own, theirs, _LENGTHS)
        return
    rows = zip(own.numpy().tolist(), theirs.numpy().tolist(), strict=False)
    for row, (labels, predictions) in enumerate(rows):
        if labels != predictions:
            raise errors.InvalidArgumentError._of(
                f"Row {row} of the labels has {labels} elements, that of the predictions "
                f"{predictions}: {_LENGTHS}"
            )


def weighted(losses: Any, sample_weight: TensorLike | None) -> Any:
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


def flat(*values: TensorLike | None) -> list[Any]:
    """Replaces ragged tensors by their flat values, and returns other values unchanged.

    As in TensorFlow an axis of size 1 is added: each flat value is one sample.

    Raises:
        tf.errors.InvalidArgumentError: if the row lengths of ragged tensors differ.
    """
    ragged = [value for value in values if is_ragged(value)]
    for one in ragged[1:]:
        own, first = one.nested_row_splits, ragged[0].nested_row_splits
        if _core.building() is not None and len(own) == len(first):
            for a, b in zip(own, first, strict=True):
                assertions.assert_equal(a, b, _LENGTHS)
        elif len(own) != len(first) or any(
            a.numpy().tolist() != b.numpy().tolist() for a, b in zip(own, first, strict=True)
        ):
            raise errors.InvalidArgumentError._of(
                "Ragged labels, predictions and weights must have rows of the same "
                f"lengths. Received: {ragged[0]} and {one}"
            )
    return [_ops.expand_dims(v.flat_values, -1) if is_ragged(v) else v for v in values]
