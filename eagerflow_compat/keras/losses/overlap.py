"""Losses of masks: one minus their overlap."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras import config
from eagerflow.keras.losses.loss import LossFunctionWrapper
from eagerflow.keras.losses.weighting import Reduction, labels_for, tensor
from eagerflow.typing import Axes, TensorLike

_ops = _core.ops


def dice(y_true: TensorLike, y_pred: TensorLike, axis: Axes | None = None) -> _core.Tensor:
    """One minus the Dice coefficient: twice the overlap divided by the sum of both.

    Args:
        y_true: a mask.
        y_pred: probabilities, of the same shape.
        axis: the axes of one sample; by default all axes.

    >>> print(tf.keras.losses.dice([[1.0, 0.0]], [[0.5, 0.5]]).numpy().round(3))
    0.5
    """
    return tversky(y_true, y_pred, axis=axis)


def tversky(
    y_true: TensorLike, y_pred: TensorLike, alpha: float = 0.5, beta: float = 0.5, axis: Any = None
) -> _core.Tensor:
    """One minus Tversky's index (Salehi et al., 2017).

    Args:
        y_true: a mask.
        y_pred: probabilities, of the same shape.
        alpha: the weight of elements in the prediction only.
        beta: the weight of elements in the mask only.
        axis: the axes of one sample; by default all axes.

    >>> print(tf.keras.losses.tversky([[1.0, 0.0]], [[0.5, 0.5]], 1.0, 0.0).numpy().round(3))
    0.5
    """
    y_pred = tensor(y_pred)
    y_true = labels_for(y_pred, y_true)
    both = _ops.reduce_sum(y_true * y_pred, axis=axis)
    predicted = _ops.reduce_sum((1.0 - y_true) * y_pred, axis=axis)
    missed = _ops.reduce_sum(y_true * (1.0 - y_pred), axis=axis)
    small = config.epsilon()
    return 1.0 - (both + small) / (both + alpha * predicted + beta * missed + small)


class Dice(LossFunctionWrapper):
    """One minus the Dice coefficient; see `dice`.

    Args:
        axis: the axes of one sample; by default the whole batch is one.

    >>> print(tf.keras.losses.Dice()([[1.0, 0.0]], [[0.5, 0.5]]).numpy().round(3))
    0.5
    """

    def __init__(
        self,
        reduction: str = Reduction.AUTO,
        name: str | None = "dice",
        axis: Axes | None = None,
    ) -> None:
        super().__init__(dice, name=name, reduction=reduction, axis=axis)


class Tversky(LossFunctionWrapper):
    """One minus Tversky's index; see `tversky`.

    Args:
        alpha: the weight of elements in the prediction only.
        beta: the weight of elements in the mask only.
        axis: the axes of one sample; by default the whole batch is one.

    >>> print(tf.keras.losses.Tversky(1.0, 0.0)([[1.0, 0.0]], [[0.5, 0.5]]).numpy().round(3))
    0.5
    """

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: str = Reduction.AUTO,
        name: str | None = "tversky",
        axis: Axes | None = None,
    ) -> None:
        super().__init__(tversky, name=name, reduction=reduction, alpha=alpha, beta=beta, axis=axis)
