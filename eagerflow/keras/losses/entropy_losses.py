"""The loss classes of the cross-entropies."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.losses import crossentropy
from eagerflow.keras.losses.loss import LossFunctionWrapper
from eagerflow.keras.losses.weighting import Reduction
from eagerflow.util.arguments import arguments


class BinaryCrossentropy(LossFunctionWrapper):
    """The cross-entropy of binary labels.

    Args:
        label_smoothing: the fraction by which labels move towards 0.5.
        axis: the axis over which a sample's losses are averaged.

    >>> loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    >>> print(loss([[0.0, 1.0]], [[0.0, 0.0]]).numpy().round(4))
    0.6931
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "binary_crossentropy",
    ) -> None:
        super().__init__(crossentropy.binary_crossentropy, **arguments(locals()))
        self.from_logits = from_logits


class BinaryFocalCrossentropy(LossFunctionWrapper):
    """The focal cross-entropy of binary labels.

    Args:
        apply_class_balancing: whether class 1 has the weight `alpha` and class 0 `1 - alpha`.
        alpha: the weight of class 1.
        gamma: the exponent that reduces the weight of well-classified elements.
        label_smoothing: the fraction by which labels move towards 0.5.
        axis: the axis over which a sample's losses are averaged.

    >>> print(
    ...     tf.keras.losses.BinaryFocalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    ... )
    0.1733
    """

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "binary_focal_crossentropy",
    ) -> None:
        super().__init__(crossentropy.binary_focal_crossentropy, **arguments(locals()))
        self.from_logits = from_logits
        self.apply_class_balancing = apply_class_balancing
        self.alpha = alpha
        self.gamma = gamma


class CategoricalCrossentropy(LossFunctionWrapper):
    """The cross-entropy of one-hot labels.

    Args:
        label_smoothing: the fraction of the labels that is spread evenly over the classes.
        axis: the axis of the classes.

    >>> print(
    ...     tf.keras.losses.CategoricalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    ... )
    0.6931
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "categorical_crossentropy",
    ) -> None:
        super().__init__(crossentropy.categorical_crossentropy, **arguments(locals()))


class CategoricalFocalCrossentropy(LossFunctionWrapper):
    """The focal cross-entropy of one-hot labels.

    Args:
        alpha: a factor for all classes or for each.
        gamma: the exponent that reduces the weight of well-classified samples.
        label_smoothing: the fraction of the labels that is spread evenly over the classes.
        axis: the axis of the classes.

    >>> print(
    ...     tf.keras.losses.CategoricalFocalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]])
    ...     .numpy()
    ...     .round(4)
    ... )
    0.0433
    """

    def __init__(
        self,
        alpha: Any = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str = Reduction.AUTO,
        name: str | None = "categorical_focal_crossentropy",
    ) -> None:
        super().__init__(crossentropy.categorical_focal_crossentropy, **arguments(locals()))
        self.from_logits = from_logits
        self.alpha = alpha
        self.gamma = gamma


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """The cross-entropy of labels that are class ids.

    Args:
        ignore_class: labels of this class are ignored.

    >>> loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> print(loss([1, 0], [[0.0, 0.0], [0.0, 0.0]]).numpy().round(4))
    0.6931
    """

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str = Reduction.AUTO,
        name: str | None = "sparse_categorical_crossentropy",
    ) -> None:
        super().__init__(crossentropy.sparse_categorical_crossentropy, **arguments(locals()))
