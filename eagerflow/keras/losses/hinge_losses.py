"""Hinge losses, which penalize scores within a margin."""

from __future__ import annotations

from eagerflow import _core
from eagerflow.keras.losses.loss import LossFunctionWrapper
from eagerflow.keras.losses.weighting import Reduction, labels_for, tensor
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _signs(y_true: Tensor) -> Tensor:
    """Labels of 0 and 1 as -1 and 1; other labels unchanged."""
    binary = _ops.reduce_all(_ops.logical_or(_ops.equal(y_true, 0), _ops.equal(y_true, 1)))
    return _ops.select(binary, 2.0 * y_true - 1.0, y_true)


def _gaps(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    y_pred = tensor(y_pred)
    # `maximum` has a gradient at a tie, `relu` has none: scores on the margin are still moved.
    return _ops.maximum(1.0 - _signs(labels_for(y_pred, y_true)) * y_pred, 0.0)


def hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean over the last axis of max(1 - y_true * y_pred, 0), for labels of -1 and 1.

    Labels of 0 and 1 are converted to -1 and 1.

    >>> print(tf.keras.losses.hinge([[-1.0, 1.0]], [[0.5, 2.0]]).numpy().round(4))
    [0.75]
    """
    return _ops.reduce_mean(_gaps(y_true, y_pred), axis=-1)


def squared_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean over the last axis of max(1 - y_true * y_pred, 0) squared.

    >>> print(tf.keras.losses.squared_hinge([[-1.0, 1.0]], [[0.5, 2.0]]).numpy().round(4))
    [1.125]
    """
    return _ops.reduce_mean(_ops.square(_gaps(y_true, y_pred)), axis=-1)


def categorical_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """max(wrong - right + 1, 0), with the score of the true class and the highest of the others.

    >>> print(tf.keras.losses.categorical_hinge([[0.0, 1.0]], [[0.5, 0.75]]).numpy().round(4))
    [0.75]
    """
    y_pred = tensor(y_pred)
    y_true = labels_for(y_pred, y_true)
    right = _ops.reduce_sum(y_true * y_pred, axis=-1)
    wrong = _ops.reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return _ops.maximum(wrong - right + 1.0, 0.0)


class Hinge(LossFunctionWrapper):
    """The hinge loss, for labels of -1 and 1.

    >>> print(tf.keras.losses.Hinge()([[-1.0, 1.0]], [[0.5, 2.0]]).numpy().round(4))
    0.75
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "hinge") -> None:
        super().__init__(hinge, name=name, reduction=reduction)


class SquaredHinge(LossFunctionWrapper):
    """The squared hinge loss.

    >>> print(tf.keras.losses.SquaredHinge()([[-1.0, 1.0]], [[0.5, 2.0]]).numpy().round(4))
    1.125
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "squared_hinge") -> None:
        super().__init__(squared_hinge, name=name, reduction=reduction)


class CategoricalHinge(LossFunctionWrapper):
    """The hinge loss of one-hot labels.

    >>> print(tf.keras.losses.CategoricalHinge()([[0.0, 1.0]], [[0.5, 0.75]]).numpy().round(4))
    0.75
    """

    def __init__(
        self, reduction: str = Reduction.AUTO, name: str | None = "categorical_hinge"
    ) -> None:
        super().__init__(categorical_hinge, name=name, reduction=reduction)
