"""Cross-entropies as functions, of probabilities or of logits."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.sizes import as_matrix, reshaped, sizes_of
from eagerflow.keras.config import defaults
from eagerflow.keras.losses.ragged import takes_ragged
from eagerflow.keras.losses.weighting import cast, labels_for, tensor
from eagerflow.ops.nn import losses as nn_losses
from eagerflow.ops.nn.activation import softmax
from eagerflow.typing import Axes, TensorLike
from eagerflow.util.program_warnings import warn

_ops = _core.ops
Tensor = _core.Tensor


def logits_of(output: TensorLike, from_logits: bool, function: str) -> tuple[Any, bool]:
    """The logits of an output, if its activation kept them: they are more precise."""
    logits = getattr(output, "_keras_logits", None)
    if logits is None:
        return output, from_logits
    if from_logits:
        warn(
            f'"`{function}` received `from_logits=True`, but the `output` argument was produced '
            "by a Softmax or Sigmoid activation and thus does not represent logits. Was this "
            "intended?"
        )
    return logits, True


def inner_probabilities(output: Tensor, epsilon: float) -> Tensor:
    """Probabilities, clipped away from 0 and 1, where logarithms are infinite.

    Clipping moves the point at which the loss is computed, but keeps its slope: the derivatives at 0 and
    1 are those at the clipped points. Values that are not probabilities have the derivative 0.
    """
    output = _ops.clip_by_value(output, 0.0, 1.0)
    moved = _ops.clip_by_value(output, epsilon, 1.0 - epsilon)
    return output + _ops.stop_gradient(moved - output)


def _clipped(output: Tensor) -> Tensor:
    return inner_probabilities(output, defaults.epsilon)


def _wide(*values: Tensor) -> list[Tensor]:
    """Converts 16-bit floats to float32: they cannot represent the slopes of logarithms near 0."""
    return [_ops.cast(x, dtypes.float32) if x.dtype.size == 2 else x for x in values]


def _narrow(losses: Tensor, like: Tensor) -> Tensor:
    return losses if losses.dtype is like.dtype else _ops.cast(losses, like.dtype)


def _check_compatible(target: Tensor, output: Tensor) -> None:
    target.shape.assert_is_compatible_with(output.shape)


def categorical_probabilities(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross-entropy along an axis, for labels that are probabilities.

    Raises:
        ValueError: if the shapes differ.
    """
    target, output = tensor(target), tensor(output)
    _check_compatible(target, output)
    output, from_logits = logits_of(output, from_logits, "categorical_crossentropy")
    if from_logits:
        return nn_losses.softmax_cross_entropy_with_logits(target, output, axis)
    labels, wide = _wide(target, output)
    wide = _clipped(wide / _ops.reduce_sum(wide, axis=axis, keepdims=True))
    return _narrow(-_ops.reduce_sum(_ops.xlogy(labels, wide), axis=axis), output)


def categorical_focal_probabilities(
    target: Any,
    output: Any,
    alpha: TensorLike = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    axis: int = -1,
) -> Tensor:
    """The focal cross-entropy along an axis: well-classified samples count less."""
    target, output = tensor(target), tensor(output)
    _check_compatible(target, output)
    output, from_logits = logits_of(output, from_logits, "categorical_focal_crossentropy")
    if from_logits:
        output = softmax(output, axis=axis)
    labels, wide = _wide(target, output)
    wide = _clipped(wide / _ops.reduce_sum(wide, axis=axis, keepdims=True))
    losses = -_ops.xlogy(labels, wide)
    losses = _ops.reduce_sum(_ops.pow(1.0 - wide, gamma) * alpha * losses, axis=axis)
    return _narrow(losses, output)


def sparse_classes(
    target: Any,
    output: Any,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> Tensor:
    """The cross-entropy along an axis, for labels that are class ids.

    Args:
        target: class ids, of the shape of `output` without the axis, or with that axis of size one.
        output: probabilities or logits.
        from_logits: whether `output` is logits.
        axis: the axis of the classes.
        ignore_class: labels of this class have no loss; the result carries their mask.

    Raises:
        ValueError: for another axis than the last one of an output of unknown rank.
    """
    target, output = tensor(target), tensor(output)
    if target.dtype not in (dtypes.int32, dtypes.int64):
        target = _ops.cast(target, dtypes.int64)
    output, from_logits = logits_of(output, from_logits, "sparse_categorical_crossentropy")
    given = output
    if not from_logits:
        output = _ops.log(_clipped(*_wide(output)))
    rank = output.ndim
    if rank is not None:
        axis %= rank
        if axis != rank - 1:
            order = [*range(axis), *range(axis + 1, rank), axis]
            output = _ops.transpose(output, order)
    elif axis != -1:
        raise ValueError(
            f"Cannot compute sparse categorical crossentropy with `axis={axis}` on an output tensor "
            "with unknown rank"
        )
    if target.ndim is None:
        target = _ops.reshape(target, _ops.shape(output)[:-1])
    flattened = None not in (rank, target.ndim) and target.ndim != rank - 1
    shape = sizes_of(output) if flattened or ignore_class is not None else []
    if flattened:
        target = _ops.reshape(target, [-1])
        output = as_matrix(output)
    if ignore_class is None:
        losses = _narrow(nn_losses.sparse_softmax_cross_entropy_with_logits(target, output), given)
        return reshaped(losses, shape[:-1]) if flattened and rank >= 3 else losses
    ignored = _core.convert(ignore_class, target.dtype)
    valid = _ops.not_equal(target, ignored)
    target = _ops.select(valid, target, _ops.zeros_like(target))
    losses = _narrow(nn_losses.sparse_softmax_cross_entropy_with_logits(target, output), given)
    losses = _ops.select(valid, losses, _ops.zeros_like(losses))
    losses = reshaped(losses, shape[:-1])
    losses._keras_mask = reshaped(valid, shape[:-1])
    return losses


def binary_probabilities(target: TensorLike, output: Any, from_logits: bool = False) -> Tensor:
    """The cross-entropy of each element, for labels that are probabilities of class 1."""
    output = tensor(output)
    target = labels_for(output, target)
    output, from_logits = logits_of(output, from_logits, "binary_crossentropy")
    if from_logits:
        return nn_losses.sigmoid_cross_entropy_with_logits(target, output)
    epsilon = defaults.epsilon
    output = _clipped(output)
    yes = _ops.xlogy(target, output + epsilon)
    return -(yes + _ops.xlogy(1 - target, 1 - output + epsilon))


def binary_focal_probabilities(
    target: TensorLike,
    output: TensorLike,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
) -> Tensor:
    """The focal cross-entropy of each element."""
    target, output = tensor(target), tensor(output)
    probability = _ops.sigmoid(output) if from_logits else output
    of_label = target * probability + (1 - target) * (1 - probability)
    losses = _ops.pow(1.0 - of_label, gamma) * binary_probabilities(target, output, from_logits)
    if apply_class_balancing:
        losses = (target * alpha + (1 - target) * (1 - alpha)) * losses
    return losses


def _smooth(y_true: Tensor, label_smoothing: Any, axis: int | None) -> Tensor:
    """Labels with a fraction of their weight spread over all classes: those of an axis, or else two."""
    if isinstance(label_smoothing, int | float):
        if not label_smoothing:
            return y_true
    elif not bool(label_smoothing):
        return y_true
    classes = 2 if axis is None else y_true._shape_tuple()[axis]
    label_smoothing = cast(label_smoothing, y_true.dtype)
    return y_true * (1.0 - label_smoothing) + label_smoothing / float(classes)


def _check_classes(y_pred: Tensor, axis: Axes, function: str) -> None:
    if isinstance(axis, bool):
        raise ValueError(
            f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}"
        )
    if y_pred.ndim and y_pred._shape_tuple()[-1] == 1:
        warn(
            f"In loss {function}, expected y_pred.shape to be (batch_size, num_classes) with "
            f"num_classes > 1. Received: y_pred.shape={y_pred.shape}. Consider using "
            "'binary_crossentropy' if you only have 2 classes.",
            SyntaxWarning,
        )


@takes_ragged
def categorical_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """The cross-entropy of one-hot labels, or of labels that are probabilities.

    Args:
        y_true: `[..., classes]`.
        y_pred: probabilities or logits, `[..., classes]`.
        from_logits: whether `y_pred` is logits.
        label_smoothing: the fraction of the labels that is spread evenly over the classes.
        axis: the axis of the classes.

    Returns:
        The loss of each sample, without the axis.

    Raises:
        ValueError: if the shapes differ.

    >>> print(tf.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4))
    [0.6931]
    """
    y_pred = tensor(y_pred)
    _check_classes(y_pred, axis, "categorical_crossentropy")
    y_true = cast(y_true, y_pred.dtype)
    if None not in (y_true.ndim, y_pred.ndim) and y_true.ndim != y_pred.ndim:
        raise ValueError(f"Shapes {y_true.shape} and {y_pred.shape} are incompatible")
    y_true = _smooth(y_true, label_smoothing, axis)
    return categorical_probabilities(y_true, y_pred, from_logits, axis)


@takes_ragged
def categorical_focal_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    alpha: TensorLike = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """The focal cross-entropy of one-hot labels.

    Lin et al., "Focal loss for dense object detection" (ICCV 2017).

    Args:
        y_true: `[..., classes]`.
        y_pred: probabilities or logits, `[..., classes]`.
        alpha: a factor for all classes or for each.
        gamma: the exponent that reduces the weight of well-classified samples.
        from_logits: whether `y_pred` is logits.
        label_smoothing: the fraction of the labels that is spread evenly over the classes.
        axis: the axis of the classes.

    >>> print(
    ...     tf.keras.losses.categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]])
    ...     .numpy()
    ...     .round(4)
    ... )
    [0.0433]
    """
    y_pred = tensor(y_pred)
    _check_classes(y_pred, axis, "categorical_focal_crossentropy")
    y_true = cast(y_true, y_pred.dtype)
    y_true = _smooth(y_true, label_smoothing, -1)
    return categorical_focal_probabilities(y_true, y_pred, alpha, gamma, from_logits, axis)


@takes_ragged
def sparse_categorical_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> Tensor:
    """The cross-entropy of labels that are class ids.

    Args:
        y_true: class ids, without the axis of classes or with that axis of size one.
        y_pred: probabilities or logits.
        from_logits: whether `y_pred` is logits.
        axis: the axis of the classes.
        ignore_class: labels of this class are ignored.

    Returns:
        The loss of each sample.

    Raises:
        tf.errors.InvalidArgumentError: if a label is not a class id.

    >>> print(tf.keras.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]]).numpy().round(4))
    [0.6931]
    """
    return sparse_classes(y_true, y_pred, from_logits, axis, ignore_class)


@takes_ragged
def binary_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """The mean along an axis of the cross-entropies of binary labels.

    Args:
        y_true: 0, 1, or probabilities between.
        y_pred: probabilities or logits, of the same shape.
        from_logits: whether `y_pred` is logits.
        label_smoothing: the fraction by which labels move towards 0.5.
        axis: the axis of the mean.

    >>> print(tf.keras.losses.binary_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4))
    [0.6931]
    """
    y_pred = tensor(y_pred)
    y_true = _smooth(cast(y_true, y_pred.dtype), label_smoothing, None)
    return _ops.reduce_mean(binary_probabilities(y_true, y_pred, from_logits), axis=axis)


@takes_ragged
def binary_focal_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """The mean along an axis of the focal cross-entropies of binary labels.

    Lin et al., "Focal loss for dense object detection" (ICCV 2017).

    Args:
        y_true: 0, 1, or probabilities between.
        y_pred: probabilities or logits, of the same shape.
        apply_class_balancing: whether class 1 has the weight `alpha` and class 0 `1 - alpha`.
        alpha: the weight of class 1.
        gamma: the exponent that reduces the weight of well-classified elements.
        from_logits: whether `y_pred` is logits.
        label_smoothing: the fraction by which labels move towards 0.5.
        axis: the axis of the mean.

    >>> print(
    ...     tf.keras.losses.binary_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    ... )
    [0.1733]
    """
    y_pred = tensor(y_pred)
    y_true = _smooth(cast(y_true, y_pred.dtype), label_smoothing, None)
    losses = binary_focal_probabilities(
        y_true, y_pred, apply_class_balancing, alpha, gamma, from_logits
    )
    return _ops.reduce_mean(losses, axis=axis)
