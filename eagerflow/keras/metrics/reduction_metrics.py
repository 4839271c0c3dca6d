"""Metrics that sum or average values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.losses import weighting
from eagerflow.keras.losses.ragged import flat, is_ragged
from eagerflow.keras.metrics.metric import Metric
from eagerflow.keras.program_code import convertible
from eagerflow.keras.typing import Config
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
metrics = lazy.Module("eagerflow.keras.metrics")

_ops = _core.ops
Tensor = _core.Tensor


def weighted(values: Any, sample_weight: Tensor, mean: bool) -> tuple[Any, Any]:
    """Values times their weights, and the weights in the values' shape.

    Weights of a lower rank than the values belong to their means (or sums) over the last axes.
    """
    values, _, sample_weight = weighting.squeeze_or_expand_dimensions(
        values, sample_weight=sample_weight
    )
    try:
        sample_weight = weighting.broadcast_weights(sample_weight, values)
    except ValueError:
        axes = list(range(sample_weight.ndim, values.ndim))
        reduce = _ops.reduce_mean if mean else _ops.reduce_sum
        values = reduce(values, axis=axes)
    return values * sample_weight, sample_weight


class Reduce(Metric):
    """A sum of values, or their mean, over all batches.

    Args:
        reduction: "sum", "weighted_mean" or "sum_over_batch_size".
        dtype: the dtype of the values.
    """

    _unsaved_arguments = frozenset({"reduction"})

    def __init__(self, reduction: str, name: str | None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.reduction = reduction
        self.total = self.add_weight("total", initializer="zeros")
        if reduction != "sum":
            self.count = self.add_weight("count", initializer="zeros")

    def update_state(self, values: Any, sample_weight: TensorLike | None = None) -> Any:
        """Accumulates values.

        Args:
            values: of any shape.
            sample_weight: a scalar, or a tensor that broadcasts to the shape of `values`.
        """
        if not isinstance(values, Tensor):
            if isinstance(values, dict):
                raise RuntimeError(
                    "The output of a metric function can only be a single Tensor. Received: "
                    f"{values}. To return a dict of values, implement a custom Metric subclass."
                )
            values, sample_weight = flat(values, sample_weight)
            values = _core.as_tensor(values)
        if values.dtype is not self._float:
            values = _ops.cast(values, self._float)
        if sample_weight is None:
            weight: Any = weighting.number_in(values, self._float)
        elif (
            type(sample_weight) is float and values.ndim == 0 and self.reduction == "weighted_mean"
        ):
            values, weight = values * sample_weight, sample_weight
        else:
            mean = self.reduction != "sum"
            values, weight = weighted(values, weighting.cast(sample_weight, self._float), mean)
            if self.reduction == "weighted_mean":
                weight = _ops.reduce_sum(weight)
            else:
                weight = weighting.number_in(values, self._float)
        if values.ndim != 0:
            values = _ops.reduce_sum(values)
        self.total.assign_add(values)
        if self.reduction != "sum":
            self.count.assign_add(weight)

    def result(self) -> Any:
        """The sum or mean of all values so far; zero if there are none."""
        if self.reduction == "sum":
            return _ops.identity(self.total)
        return _ops.divide_no_nan(self.total, self.count)


class Sum(Reduce):
    """The sum of all values.

    >>> metric = tf.keras.metrics.Sum()
    >>> metric.update_state([1, 3, 5, 7], sample_weight=[1, 1, 0, 0])
    >>> print(metric.result().numpy())
    4.0
    """

    def __init__(self, name: str | None = "sum", dtype: DTypeLike | None = None) -> None:
        super().__init__("sum", name, dtype)


class Mean(Reduce):
    """The mean of all values, weighted if weights are given.

    >>> metric = tf.keras.metrics.Mean()
    >>> metric.update_state([1, 3, 5, 7], sample_weight=[1, 1, 0, 0])
    >>> print(metric.result().numpy())
    2.0
    """

    def __init__(self, name: str | None = "mean", dtype: DTypeLike | None = None) -> None:
        super().__init__("weighted_mean", name, dtype)


class MeanMetricWrapper(Mean):
    """The mean of a function of labels and predictions.

    Args:
        fn: called as `fn(y_true, y_pred, **kwargs)`.
        dtype: the dtype that labels and predictions are cast to.
        **kwargs: passed to `fn`.

    >>> metric = tf.keras.metrics.MeanMetricWrapper(tf.keras.losses.mean_squared_error, "error")
    >>> metric.update_state([[0.0, 1.0]], [[1.0, 3.0]])
    >>> print(metric.result().numpy())
    2.5
    """

    _argument_docs = {"from_logits": "whether predictions are logits rather than probabilities."}

    def __init__(
        self, fn: Callable, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(  # type: ignore[override]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch.

        Args:
            y_true: the labels.
            y_pred: the predictions.
            sample_weight: a factor for all samples, for each, or for each value.
        """
        if not isinstance(y_pred, Tensor) and is_ragged(y_pred):
            y_true, y_pred, sample_weight = flat(y_true, y_pred, sample_weight)
        y_true = weighting.cast(y_true, self._float)
        y_pred = weighting.cast(y_pred, self._float)
        if y_pred.ndim is None or y_pred.ndim != y_true.ndim:
            y_pred, y_true = weighting.squeeze_or_expand_dimensions(y_pred, y_true)
        matches = convertible(self._fn)(y_true, y_pred, **self._fn_kwargs)
        mask = getattr(matches, "_keras_mask", None)
        if mask is not None:
            sample_weight = weighting.apply_valid_mask(matches, sample_weight, mask, self.reduction)
        super().update_state(matches, sample_weight=sample_weight)

    def get_config(self) -> Config:
        """The arguments that make a metric like this one."""
        config = {
            key: value.numpy() if isinstance(value, Tensor | _core.Variable) else value
            for key, value in self._fn_kwargs.items()
        }
        if type(self) is MeanMetricWrapper:
            config["fn"] = self._fn
        return {"name": self.name, "dtype": self.dtype} | config

    @classmethod
    def from_config(cls, config: Config) -> Metric:
        """A metric from what `get_config` returned."""
        config = dict(config)
        function = config.pop("fn", None)
        if cls is MeanMetricWrapper:
            return cls(metrics.get(function), **config)
        return cls(**config)


class SumOverBatchSizeMetricWrapper(MeanMetricWrapper):
    """As `MeanMetricWrapper`, but the sum is divided by the number of values, not by the weights."""

    _argument_docs = {"from_logits": "whether predictions are logits rather than probabilities."}

    def __init__(
        self, fn: Callable, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        super().__init__(fn, name=name, dtype=dtype, **kwargs)
        self.reduction = "sum_over_batch_size"


class MeanTensor(Metric):
    """The mean of tensors, element by element.

    Args:
        dtype: the dtype of the values.
        shape: the shape of the values; by default that of the first value.

    >>> metric = tf.keras.metrics.MeanTensor()
    >>> metric.update_state([0, 1, 2, 3])
    >>> metric.update_state([4, 5, 6, 7])
    >>> print(metric.result().numpy())
    [2. 3. 4. 5.]
    """

    _unsaved_arguments = frozenset({"shape"})

    def __init__(
        self, name: str | None = "mean_tensor", dtype: DTypeLike | None = None, shape: object = None
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._shape: Any = None
        self._total: Any = None
        self._count: Any = None
        self._built = False
        if shape is not None:
            self._build(shape)

    def _build(self, shape: object) -> None:
        self._shape = TensorShape(shape)
        self._total = self.add_weight(name="total", shape=self._shape, initializer="zeros")
        self._count = self.add_weight(name="count", shape=self._shape, initializer="zeros")
        self._built = True

    @property
    def total(self) -> Any:
        """The sums so far; None before the first."""
        return self._total

    @property
    def count(self) -> Any:
        """The sums of weights so far; None before the first."""
        return self._count

    def update_state(self, values: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """Adds a tensor to the sums.

        Raises:
            ValueError: if its shape differs from that of the first value.
        """
        values = weighting.cast(values, self._float)
        if not self._built:
            self._build(values.shape)
        elif values.shape != self._shape:
            raise ValueError(
                "MeanTensor input values must always have the same shape. Expected shape (set "
                f"during the first call): {self._shape}. Got: {values.shape}."
            )
        count = _ops.ones_like(values)
        if sample_weight is not None:
            values, sample_weight = weighted(
                values, weighting.cast(sample_weight, self._float), True
            )
            count = count * sample_weight
        self._total.assign_add(values)
        self._count.assign_add(count)

    def result(self) -> Any:
        """The mean of each element.

        Raises:
            ValueError: if there was no value yet.
        """
        if not self._built:
            raise ValueError(
                "MeanTensor does not have any value yet. Please call the MeanTensor instance or "
                "use `.update_state(value)` before retrieving the result."
            )
        return _ops.divide_no_nan(self._total, self._count)
