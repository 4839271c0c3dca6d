"""Sample weights and masks: matching shapes, weighting values, and reducing them."""

from __future__ import annotations

import itertools
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.sizes import count_of, rank_of, shape_of, sizes_may_equal
from eagerflow.keras.losses.ragged import is_ragged, weighted
from eagerflow.ops import control_flow
from eagerflow.typing import TensorLike
from eagerflow.util.program_warnings import warn

_ops = _core.ops
Tensor = _core.Tensor
_stretch = _core.stretch_each_other


class Reduction:
    """How the losses of samples are reduced to a scalar.

    `AUTO` and `SUM_OVER_BATCH_SIZE` divide the sum of the losses by their count, `SUM` returns the
    sum, and `NONE` returns the losses.

    >>> tf.keras.losses.Reduction.SUM
    'sum'
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All reductions."""
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises a ValueError for an unknown reduction."""
        if key not in cls.all():
            raise ValueError(f'Invalid Reduction Key: {key}. Expected keys are "{cls.all()}"')


def tensor(value: TensorLike) -> Tensor:
    """A value as a tensor."""
    return value if isinstance(value, Tensor) else _core.as_tensor(value)


def cast(value: TensorLike, dtype: DType) -> Tensor:
    """A value as a tensor of a dtype."""
    if not isinstance(value, Tensor):
        value = _core.as_tensor(value)
    return value if value.dtype is dtype else _ops.cast(value, dtype)


def labels_for(y_pred: Any, y_true: TensorLike) -> Tensor:
    """Labels as a tensor of the predictions' dtype, to be combined with them element by element.

    Warns if broadcasting would stretch both, as `[n]` and `[n, 1]` to `[n, n]`.
    """
    dtype = y_pred.dtype
    if not isinstance(y_true, Tensor):
        y_true = _core.as_tensor(y_true)
    if y_true.dtype is not dtype:
        y_true = _ops.cast(y_true, dtype)
    if _stretch(y_true, y_pred):
        warn_of_stretching(y_true, y_pred, "Labels (y_true)", "predictions (y_pred)")
    return y_true


def warn_of_stretching(first: Any, second: Any, first_name: str, second_name: str) -> None:
    """Warns if broadcasting enlarges both tensors: it then pairs elements of different samples."""
    if not _stretch(first, second):
        return
    sizes = [each._shape_tuple() for each in (first, second)]
    pairs = itertools.zip_longest(*map(reversed, sizes), fillvalue=1)
    both = tuple(reversed([y if x == 1 else x for x, y in pairs]))
    warn(
        f"{first_name} of shape {sizes[0]} and {second_name} of shape {sizes[1]} are broadcast to "
        f"shape {both}: every element of one meets every element of the other. Give both one shape: "
        "tf.squeeze(x, -1) removes a last axis of size 1, x[..., tf.newaxis] adds one."
    )


def number_in(values: Tensor, dtype: DType) -> float:
    """The number of elements: a float, or a scalar tensor of the dtype if the size is unknown."""
    count = values._size
    return _ops.cast(count_of(values), dtype) if count is None else float(count)


def remove_squeezable_dimensions(
    labels: TensorLike, predictions: TensorLike, expected_rank_diff: int = 0
) -> tuple[Tensor, Tensor]:
    """Squeezes a last axis of size one if the ranks of labels and predictions differ by one more
    than expected."""
    labels, predictions = tensor(labels), tensor(predictions)
    return (
        without_last(labels, predictions, 1 - expected_rank_diff),
        without_last(predictions, labels, 1 + expected_rank_diff),
    )


def without_last(x: Tensor, other: Tensor, more: int) -> Tensor:
    """A tensor without its last axis, if that has size one and x has so many axes more than the other."""
    if x.ndim is not None and (x.ndim == 0 or x._shape_tuple()[-1] not in (1, None)):
        return x
    difference = rank_of(x) - rank_of(other)
    if isinstance(difference, int):  # an unknown size must be one then
        return _ops.squeeze(x, [-1]) if difference == more else x
    is_one = _ops.logical_and(_ops.equal(difference, more), _ops.equal(_last_size(x), 1))
    return control_flow.cond(is_one, lambda: _ops.squeeze(x, [-1]), lambda: x)


def _last_size(x: Tensor) -> Tensor:
    """The size of the last axis, which is known when the graph runs; 0 for a scalar."""
    return _ops.concat([[0], _ops.shape(x)], 0)[-1]


def squeeze_or_expand_dimensions(
    y_pred: Tensor, y_true: Tensor | None = None, sample_weight: Any = None
) -> tuple[Any, ...]:
    """Predictions, labels and weights in ranks that match.

    A last axis of size one is squeezed where the others lack it, and added to weights without it. Where
    ranks are unknown, this is decided when the graph runs.

    Returns:
        Predictions and labels, and the weights if there are any.
    """
    if y_true is not None:
        y_true, y_pred = _of_one_rank(y_true, y_pred)
    if sample_weight is None:
        return y_pred, y_true
    ranks = sample_weight.ndim, y_pred.ndim
    if None not in ranks:
        difference = ranks[0] - ranks[1] if ranks[0] else 0
        if difference == 1:
            sample_weight = _ops.squeeze(sample_weight, [-1])
        elif difference == -1:
            sample_weight = _ops.expand_dims(sample_weight, -1)
    elif ranks[0] != 0:
        sample_weight = _fitted(sample_weight, y_pred)
    return y_pred, y_true, sample_weight


def _of_one_rank(labels: Tensor, predictions: Tensor) -> Any:
    """`remove_squeezable_dimensions`, but the last axis of predictions may have another size than one."""
    difference = rank_of(predictions) - rank_of(labels)
    sizes = predictions._shape_tuple()
    if isinstance(difference, int):
        is_class_axis = difference == 1 and sizes[-1] != 1
        return (
            (labels, predictions)
            if is_class_axis
            else remove_squeezable_dimensions(labels, predictions)
        )
    has_classes = _ops.not_equal(_last_size(predictions), 1)
    return control_flow.cond(
        _ops.logical_and(_ops.equal(difference, 1), has_classes),
        lambda: (labels, predictions),
        lambda: remove_squeezable_dimensions(labels, predictions),
    )


def _fitted(weights: Tensor, values: Tensor) -> Tensor:
    """Weights with the rank of values, where one of the ranks is unknown; scalars as they are."""
    rank = rank_of(weights)
    difference = rank - rank_of(values)
    lacks_one = _ops.logical_and(_ops.equal(difference, -1), _ops.greater(rank, 0))
    return control_flow.cond(
        _ops.equal(difference, 1),
        lambda: _ops.squeeze(weights, [-1]),
        lambda: control_flow.cond(
            lacks_one, lambda: _ops.expand_dims(weights, -1), lambda: weights
        ),
    )


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """Weights in the shape of the values they belong to.

    Raises:
        ValueError: unless the weights are a scalar, or have the rank of the values and in each
            axis their size or one.
    """
    theirs, own = values._shape_tuple(), weights._shape_tuple()
    if own is None or theirs is None:
        return _ops.broadcast_to(weights, shape_of(values))
    if own == theirs and None not in theirs:
        return weights
    if own and not (
        len(own) == len(theirs)
        and all(a == 1 or sizes_may_equal(a, b) for a, b in zip(own, theirs, strict=True))
    ):
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={len(theirs)}. "
            f"weights.rank={len(own)}. values.shape={values.shape}. weights.shape={weights.shape}."
        )
    return _ops.broadcast_to(weights, shape_of(values))


def apply_mask(y_p: Any, sample_weight: TensorLike | None, mask: Any) -> Any:
    """The weights times the mask; the mask alone where there are no weights."""
    mask = cast(mask, y_p.dtype)
    if sample_weight is None:
        return mask
    mask, _, sample_weight = squeeze_or_expand_dimensions(
        mask, sample_weight=cast(sample_weight, mask.dtype)
    )
    return sample_weight * mask


def apply_valid_mask(losses: Any, sample_weight: Any, mask: Tensor | None, reduction: Any) -> Any:
    """Like `apply_mask`, but scales the weights so that a mean divides by the count of unmasked losses."""
    if mask is None:
        return sample_weight
    mask = cast(mask, losses.dtype)
    if reduction in (Reduction.AUTO, Reduction.SUM_OVER_BATCH_SIZE):
        mask = mask * (number_in(mask, mask.dtype) / _ops.reduce_sum(mask))
    return apply_mask(losses, sample_weight, mask)


def reduce_losses(losses: TensorLike, reduction: str) -> Any:
    """Reduces floating losses to a scalar; returns them unchanged for `NONE`."""
    if reduction == "none":
        return losses
    if reduction == "sum":
        return _ops.reduce_sum(losses)
    size = losses._size if isinstance(losses, Tensor) else 1
    if size == 0:
        return _ops.reduce_sum(losses)
    if size is None:
        return _ops.divide_no_nan(_ops.reduce_sum(losses), number_in(losses, losses.dtype))
    return _ops.reduce_mean(losses)


def compute_weighted_loss(
    losses: Any,
    sample_weight: TensorLike | None = None,
    reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    name: str | None = None,
) -> Any:
    """Losses times their weights, reduced.

    Args:
        losses: one for each sample; integers are reduced as float32 and cast back.
        sample_weight: broadcast against the losses, after adding or removing a last axis if need be.
        reduction: one of `Reduction`.

    Raises:
        ValueError: for an unknown reduction.
    """
    Reduction.validate(reduction)
    if is_ragged(losses):
        if sample_weight is not None:
            losses = weighted(losses, sample_weight)
        return losses if reduction == "none" else reduce_losses(losses.flat_values, reduction)
    losses = tensor(losses)
    dtype = losses.dtype
    if not dtype.is_floating:
        losses = _ops.cast(losses, dtypes.float32)
    if sample_weight is not None:
        losses, _, sample_weight = squeeze_or_expand_dimensions(
            losses, sample_weight=cast(sample_weight, losses.dtype)
        )
        warn_of_stretching(losses, sample_weight, "Losses", "weights (sample_weight)")
        losses = losses * sample_weight
    loss = reduce_losses(losses, reduction)
    return loss if dtype.is_floating else _ops.cast(loss, dtype)
