"""Intersection over union of predicted and labelled classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.keras.losses import weighting
from eagerflow.keras.losses.ragged import flat
from eagerflow.keras.metrics.metric import Metric
from eagerflow.ops.indexing import boolean_mask
from eagerflow.ops.segment import confusion_matrix
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util.arguments import arguments

_ops = _core.ops


class _IoUBase(Metric):
    """The confusion matrix of classes, `[labels, predictions]`.

    Args:
        num_classes: the number of classes.
        ignore_class: labels of this class are ignored.
        sparse_y_true: whether labels are class ids rather than one-hot vectors.
        sparse_y_pred: whether predictions are class ids rather than scores.
        axis: the axis of the classes.
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        self.ignore_class = ignore_class
        self.sparse_y_true = sparse_y_true
        self.sparse_y_pred = sparse_y_pred
        self.axis = axis
        self.total_cm = self.add_weight(
            "total_confusion_matrix", shape=(num_classes, num_classes), initializer="zeros"
        )

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch; everything is flattened.

        Raises:
            tf.errors.InvalidArgumentError: for an unknown class.
        """
        if self.sparse_y_true and self.sparse_y_pred:
            y_true, y_pred, sample_weight = flat(y_true, y_pred, sample_weight)
        y_true, y_pred = weighting.tensor(y_true), weighting.tensor(y_pred)
        if not self.sparse_y_true:
            y_true = _ops.argmax(y_true, self.axis)
        if not self.sparse_y_pred:
            y_pred = _ops.argmax(y_pred, self.axis)
        y_true = _ops.reshape(weighting.cast(y_true, self._float), [-1])
        y_pred = _ops.reshape(weighting.cast(y_pred, self._float), [-1])
        if sample_weight is not None:
            sample_weight = weighting.cast(sample_weight, self._float)
            if sample_weight.ndim > 1:
                sample_weight = _ops.reshape(sample_weight, [-1])
        if self.ignore_class is not None:
            valid = _ops.not_equal(y_true, float(self.ignore_class))
            y_true, y_pred = boolean_mask(y_true, valid), boolean_mask(y_pred, valid)
            if sample_weight is not None:
                sample_weight = boolean_mask(sample_weight, valid)
        self.total_cm.assign_add(
            confusion_matrix(
                y_true, y_pred, self.num_classes, weights=sample_weight, dtype=self._float
            )
        )


class IoU(_IoUBase):
    """The mean over some classes of intersection over union.

    Args:
        target_class_ids: the classes that count.

    Raises:
        ValueError: for an unknown target class.

    >>> metric = tf.keras.metrics.IoU(num_classes=2, target_class_ids=[0])
    >>> metric.update_state([0, 0, 1, 1], [0, 1, 0, 1])
    >>> print(metric.result().numpy().round(4))
    0.3333
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(num_classes, name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis)
        if max(target_class_ids) >= num_classes:
            raise ValueError(
                f"Target class id {max(target_class_ids)} is out of range, which is "
                f"[{0}, {num_classes})."
            )
        self.target_class_ids = list(target_class_ids)

    def result(self) -> Any:
        """The mean so far, over classes that occurred."""
        counts = self.total_cm.read_value()
        intersections = _ops.diag_part(counts)
        unions = _ops.reduce_sum(counts, axis=0) + _ops.reduce_sum(counts, axis=1) - intersections
        intersections = _ops.gather(intersections, self.target_class_ids, axis=0)
        unions = _ops.gather(unions, self.target_class_ids, axis=0)
        present = _ops.reduce_sum(_ops.cast(_ops.not_equal(unions, 0.0), self._float))
        total = _ops.reduce_sum(_ops.divide_no_nan(intersections, unions))
        return _ops.divide_no_nan(total, present)


class BinaryIoU(IoU):
    """Intersection over union of binary classes.

    Args:
        target_class_ids: the classes that count: 0, 1 or both.
        threshold: predictions from it on are class 1.

    >>> metric = tf.keras.metrics.BinaryIoU(target_class_ids=[0, 1], threshold=0.3)
    >>> metric.update_state([0, 1, 0, 1], [0.1, 0.2, 0.4, 0.7])
    >>> print(metric.result().numpy().round(4))
    0.3333
    """

    def __init__(
        self,
        target_class_ids: Sequence[int] = (0, 1),
        threshold: float = 0.5,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(2, target_class_ids, name=name, dtype=dtype)
        self.threshold = threshold

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch."""
        y_true, y_pred, sample_weight = flat(y_true, y_pred, sample_weight)
        y_pred = weighting.cast(y_pred, self._float)
        yes = _ops.cast(_ops.greater_equal(y_pred, self.threshold), self._float)
        super().update_state(y_true, yes, sample_weight)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a metric like this one."""
        return {
            "target_class_ids": self.target_class_ids,
            "threshold": self.threshold,
            "name": self.name,
            "dtype": self._dtype,
        }


class MeanIoU(IoU):
    """The mean over all classes of intersection over union.

    >>> metric = tf.keras.metrics.MeanIoU(num_classes=2)
    >>> metric.update_state([0, 0, 1, 1], [0, 1, 0, 1])
    >>> print(metric.result().numpy().round(4))
    0.3333
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(target_class_ids=range(num_classes), **arguments(locals()))


class OneHotIoU(IoU):
    """The mean over some classes of intersection over union, for one-hot labels.

    >>> metric = tf.keras.metrics.OneHotIoU(num_classes=3, target_class_ids=[0, 2])
    >>> labels = [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]]
    >>> scores = [[0.2, 0.3, 0.5], [0.1, 0.2, 0.7], [0.5, 0.3, 0.1], [0.1, 0.4, 0.5]]
    >>> metric.update_state(labels, scores)
    >>> print(metric.result().numpy().round(4))
    0.1667
    """

    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(**arguments(locals()), sparse_y_true=False)


class OneHotMeanIoU(MeanIoU):
    """The mean over all classes of intersection over union, for one-hot labels.

    >>> metric = tf.keras.metrics.OneHotMeanIoU(num_classes=3)
    >>> labels = [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]]
    >>> scores = [[0.2, 0.3, 0.5], [0.1, 0.2, 0.7], [0.5, 0.3, 0.1], [0.1, 0.4, 0.5]]
    >>> metric.update_state(labels, scores)
    >>> print(metric.result().numpy().round(4))
    0.1111
    """

    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        ignore_class: int | None = None,
        sparse_y_pred: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(**arguments(locals()), sparse_y_true=False)
