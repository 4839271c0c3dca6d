"""Losses of Keras 3: for embeddings, for unaligned sequences, for noisy labels."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.sizes import sizes_of
from eagerflow.keras.losses.loss import LossFunctionWrapper
from eagerflow.keras.losses.weighting import Reduction, tensor
from eagerflow.ops.creation import one_hot
from eagerflow.ops.reduction import reduce_logsumexp
from eagerflow.typing import TensorLike
from eagerflow.util import lazy
from eagerflow.util.arguments import arguments

# Imported when it is first used: few programs need it.
nn = lazy.Module("eagerflow_compat.keras.ops.nn")

_ops = _core.ops


def circle(
    y_true: TensorLike,
    y_pred: TensorLike,
    ref_labels: TensorLike | None = None,
    ref_embeddings: TensorLike | None = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> _core.Tensor:
    """Circle loss: penalizes distant embeddings of one class and close ones of different classes.

    Sun et al., "Circle loss: a unified perspective of pair similarity optimization" (CVPR 2020).

    Args:
        y_true: classes, `[batch]` or `[batch, 1]`.
        y_pred: embeddings of length one, `[batch, dim]`.
        ref_labels: the classes of `ref_embeddings`; by default `y_true`.
        ref_embeddings: the embeddings to compare with; by default `y_pred`.
        remove_diagonal: whether to skip pairs of the same index.
        gamma: the scale of the loss.
        margin: the margin between similarities within and between classes.

    Returns:
        The loss of each embedding, `[batch]`; zero losses are masked.

    >>> x = tf.constant([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> print(tf.keras.losses.circle([1, 1, 2], x).numpy().round(3))
    [0. 0. 0.]
    """
    y_pred = tensor(y_pred)
    labels = _column(y_true)
    others = y_pred if ref_embeddings is None else tensor(ref_embeddings)
    other_labels = labels if ref_labels is None else _column(ref_labels)
    distances = _ops.maximum(1.0 - _ops.matmul(y_pred, others, transpose_b=True), 0.0)
    same = _ops.equal(labels, _ops.transpose(other_labels))
    different = _ops.logical_not(same)
    if remove_diagonal:
        rows, columns = (_ops.range(0, size, 1) for size in sizes_of(same))
        off_diagonal = _ops.not_equal(_ops.expand_dims(rows, 1), columns)
        same = _ops.logical_and(same, off_diagonal)
    near = _ops.maximum(margin + distances, 0.0) * (margin - distances) * -gamma
    far = _ops.maximum(1.0 + margin - distances, 0.0) * (1.0 - margin - distances) * gamma
    none = _core.convert(float("-inf"), y_pred.dtype)
    total = reduce_logsumexp(_ops.select(same, near, none), 1) + reduce_logsumexp(
        _ops.select(different, far, none), 1
    )
    loss = _ops.softplus(total)
    loss._keras_mask = loss > 0
    return loss


def _column(labels: TensorLike) -> _core.Tensor:
    return _ops.reshape(_ops.cast(tensor(labels), dtypes.int32), [-1, 1])


def categorical_generalized_cross_entropy(y_true: TensorLike, y_pred: TensorLike, q: float) -> Any:
    """(1 - p ** q) / q of the probability p of each true class.

    Zhang and Sabuncu, "Generalized cross entropy loss for training deep neural networks with noisy
    labels" (NeurIPS 2018).

    Args:
        y_true: classes, `[batch]` or `[batch, 1]`.
        y_pred: probabilities, `[batch, classes]`.
        q: interpolates between the cross-entropy (0) and the absolute error (1).

    >>> loss = tf.keras.losses.categorical_generalized_cross_entropy([1], [[0.75, 0.25]], 0.5)
    >>> print(loss.numpy())
    [1.]
    """
    y_pred = tensor(y_pred)
    labels = _ops.cast(tensor(y_true), dtypes.int32)
    positions = one_hot(labels, _ops.shape(y_pred)[-1], dtype=y_pred.dtype)
    return (1.0 - _ops.pow(_ops.reduce_sum(y_pred * positions, -1), q)) / q


def ctc(y_true: TensorLike, y_pred: TensorLike) -> _core.Tensor:
    """The connectionist temporal classification loss of each sequence (Graves et al., ICML 2006).

    Args:
        y_true: labels, `[batch, longest]`; 0 is the blank, with which shorter sequences are padded.
        y_pred: logits, `[batch, steps, classes]`.

    Raises:
        ValueError: if a rank is wrong.

    >>> print(tf.keras.losses.ctc([[1]], [[[0.0, 0.0]]]).numpy().round(4))
    [0.6931]
    """
    y_true, y_pred = tensor(y_true), tensor(y_pred)
    if len(y_true.shape) != 2:
        raise ValueError(
            "Targets `y_true` are expected to be a tensor of shape `(batch_size, max_length)` in "
            f"integer format. Received: y_true.shape={tuple(y_true.shape)}"
        )
    if len(y_pred.shape) != 3:
        raise ValueError(
            "Logits `y_pred` are expected to be a tensor of shape `(batch_size, max_length, "
            f"num_classes)`. Received: y_pred.shape={tuple(y_pred.shape)}"
        )
    batch, steps, _ = sizes_of(y_pred)
    lengths = _ops.reduce_sum(_ops.cast(_ops.not_equal(y_true, 0), dtypes.int32), -1)
    return nn.ctc_loss(y_true, y_pred, lengths, _ops.fill(steps, [batch]), mask_index=0)


class Circle(LossFunctionWrapper):
    """The circle loss of embeddings; see `circle`.

    Args:
        gamma: the scale of the loss.
        margin: the margin between similarities within and between classes.
        remove_diagonal: whether to skip pairs of the same index.

    >>> x = tf.constant([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> print(tf.keras.losses.Circle(gamma=1.0)([1, 1, 2], x).numpy().round(3))
    1.47
    """

    def __init__(
        self,
        gamma: float = 80.0,
        margin: float = 0.4,
        remove_diagonal: bool = True,
        reduction: str = Reduction.AUTO,
        name: str | None = "circle",
    ) -> None:
        super().__init__(circle, **arguments(locals()))
        self.gamma = gamma
        self.margin = margin
        self.remove_diagonal = remove_diagonal


class CategoricalGeneralizedCrossEntropy(LossFunctionWrapper):
    """A cross-entropy robust to noisy labels; see `categorical_generalized_cross_entropy`.

    Args:
        q: interpolates between the cross-entropy (0) and the absolute error (1).

    Raises:
        ValueError: if `q` is not between 0 and 1.

    >>> loss = tf.keras.losses.CategoricalGeneralizedCrossEntropy()
    >>> print(loss([1], [[0.75, 0.25]]).numpy())
    1.0
    """

    def __init__(
        self,
        q: float = 0.5,
        reduction: str = Reduction.AUTO,
        name: str | None = "categorical_generalized_cross_entropy",
    ) -> None:
        if not 0 < q < 1:
            raise ValueError(f"q must be in the interval (0, 1). Received: q={q}")
        super().__init__(categorical_generalized_cross_entropy, name=name, reduction=reduction, q=q)
        self.q = q


class CTC(LossFunctionWrapper):
    """The connectionist temporal classification loss; see `ctc`.

    >>> print(tf.keras.losses.CTC()([[1]], [[[0.0, 0.0]]]).numpy().round(4))
    0.6931
    """

    def __init__(self, reduction: str = Reduction.AUTO, name: str | None = "ctc") -> None:
        super().__init__(ctc, name=name, reduction=reduction)
