"""Regression metrics that are no losses: cosine, root mean square, relative errors, R²."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import count_of
from eagerflow.keras import losses
from eagerflow.keras.losses import weighting
from eagerflow.keras.losses.ragged import flat
from eagerflow.keras.metrics.metric import Metric
from eagerflow.keras.metrics.reduction_metrics import Mean, MeanMetricWrapper
from eagerflow.keras.typing import Config
from eagerflow.typing import Array, DTypeLike, TensorLike
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

# Imported when it is first used: few programs need it.
serialization = lazy.Module("eagerflow.keras.saving.serialization")

_ops = _core.ops


def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> _core.Tensor:
    """The cosine of the angle between labels and predictions along an axis."""
    return -losses.cosine_similarity(y_true, y_pred, axis)


class CosineSimilarity(MeanMetricWrapper):
    """The cosine between labels and predictions.

    Args:
        axis: the axis of the vectors.

    >>> metric = tf.keras.metrics.CosineSimilarity(axis=1)
    >>> metric.update_state([[0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [1.0, 1.0]])
    >>> print(metric.result().numpy().round(4))
    0.5
    """

    def __init__(
        self, name: str | None = "cosine_similarity", dtype: DTypeLike | None = None, axis: int = -1
    ) -> None:
        super().__init__(cosine_similarity, name, dtype=dtype, axis=axis)


class RootMeanSquaredError(Mean):
    """The root of the mean of squared errors.

    >>> metric = tf.keras.metrics.RootMeanSquaredError()
    >>> metric.update_state([[0, 1], [0, 0]], [[1, 1], [0, 0]])
    >>> print(metric.result().numpy())
    0.5
    """

    def __init__(
        self, name: str | None = "root_mean_squared_error", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(name, dtype=dtype)

    def update_state(  # type: ignore[override]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch."""
        y_true, y_pred, sample_weight = flat(y_true, y_pred, sample_weight)
        y_true = weighting.cast(y_true, self._float)
        y_pred = weighting.cast(y_pred, self._float)
        y_pred, y_true = weighting.squeeze_or_expand_dimensions(y_pred, y_true)
        y_true = weighting.labels_for(y_pred, y_true)
        super().update_state(_ops.squared_difference(y_pred, y_true), sample_weight)

    def result(self) -> Any:
        """The root of the mean so far."""
        return _ops.sqrt(super().result())


class MeanRelativeError(Mean):
    """The mean of absolute errors, each divided by a normalizer.

    Args:
        normalizer: the size of each value; where it is zero, the error counts as zero.

    >>> metric = tf.keras.metrics.MeanRelativeError(normalizer=[1, 3, 2, 3])
    >>> metric.update_state([1, 3, 2, 3], [2, 4, 6, 8])
    >>> print(metric.result().numpy())
    1.25
    """

    def __init__(
        self, normalizer: Any, name: str | None = None, dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.normalizer = weighting.cast(normalizer, self._float)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: TensorLike | None = None
    ) -> Any:
        """Accumulates a batch.

        Raises:
            ValueError: if labels and predictions differ in shape.
        """
        y_true, y_pred, sample_weight = flat(y_true, y_pred, sample_weight)
        y_true = weighting.cast(y_true, self._float)
        y_pred = weighting.cast(y_pred, self._float)
        y_pred, y_true = weighting.squeeze_or_expand_dimensions(y_pred, y_true)
        y_pred, self.normalizer = weighting.remove_squeezable_dimensions(y_pred, self.normalizer)
        y_pred.shape.assert_is_compatible_with(y_true.shape)
        errors = _ops.divide_no_nan(_ops.abs(y_true - y_pred), self.normalizer)
        super().update_state(errors, sample_weight)

    def get_config(self) -> dict[str, str | Array]:
        """The arguments that make a metric like this one."""
        return super().get_config() | {"normalizer": self.normalizer.numpy()}

    @classmethod
    def from_config(cls, config: Config) -> Metric:
        """A metric from what `get_config` returned, also after it was stored in a file."""
        normalizer = config["normalizer"]
        if isinstance(normalizer, dict):
            normalizer = serialization.deserialize_keras_object(normalizer)
        return cls(**{**config, "normalizer": normalizer})


class R2Score(Metric):
    """The coefficient of determination: the fraction of the labels' variance that is explained.

    Args:
        class_aggregation: "uniform_average" or "variance_weighted_average" over the outputs; None
            for each output's score.
        num_regressors: the number of independent variables for the adjusted score; 0: not adjusted.

    Raises:
        ValueError: for an unknown aggregation or a negative `num_regressors`.

    >>> metric = tf.keras.metrics.R2Score()
    >>> metric.update_state([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]])
    >>> print(metric.result().numpy().round(4))
    0.5714
    """

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        known = (None, "uniform_average", "variance_weighted_average")
        if class_aggregation not in known:
            raise ValueError(
                f"Invalid value for argument `class_aggregation`. Expected one of {known}. "
                f"Received: class_aggregation={class_aggregation}"
            )
        if num_regressors < 0:
            raise ValueError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. Received: "
                f"num_regressors={num_regressors}"
            )
        self.class_aggregation = class_aggregation
        self.num_regressors = num_regressors
        self.num_samples = self.add_weight(name="num_samples", dtype="int32")
        self.built = False

    def build(  # type: ignore[override]
        self, y_true_shape: TensorShape, y_pred_shape: TensorShape
    ) -> None:
        """Makes the variables.

        Raises:
            ValueError: if a shape is not `[batch, outputs]`.
        """
        if len(y_pred_shape) != 2 or len(y_true_shape) != 2:
            raise ValueError(
                "R2Score expects 2D inputs with shape (batch_size, output_dim). Received input "
                f"shapes: y_pred.shape={y_pred_shape} and y_true.shape={y_true_shape}."
            )
        if None in (y_pred_shape[-1], y_true_shape[-1]):
            raise ValueError(
                "R2Score expects 2D inputs with shape (batch_size, output_dim), with output_dim "
                "fully defined (not None). Received input shapes: "
                f"y_pred.shape={y_pred_shape} and y_true.shape={y_true_shape}."
            )
        outputs = [y_pred_shape[-1]]
        self.squared_sum = self.add_weight("squared_sum", outputs, initializer="zeros")
        self.sum = self.add_weight("sum", outputs, initializer="zeros")
        self.total_mse = self.add_weight("residual", outputs, initializer="zeros")
        self.count = self.add_weight("count", outputs, initializer="zeros")
        self.built = True

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Adds a batch `[batch, outputs]` to the sums."""
        y_true = _core.convert(y_true, self._float)
        y_pred = _core.convert(y_pred, self._float)
        if not self.built:
            self.build(y_true.shape, y_pred.shape)
        weight = _core.convert(1 if sample_weight is None else sample_weight, self._float)
        if weight.ndim == 1:
            weight = _ops.expand_dims(weight, 1)
        weight = weighting.broadcast_weights(weight, y_true)
        labels = y_true * weight
        errors = _ops.square(y_true - y_pred) * weight
        self.sum.assign_add(_ops.reduce_sum(labels, axis=0))
        self.squared_sum.assign_add(_ops.reduce_sum(y_true * labels, axis=0))
        self.total_mse.assign_add(_ops.reduce_sum(errors, axis=0))
        self.count.assign_add(_ops.reduce_sum(weight, axis=0))
        self.num_samples.assign_add(_core.convert(count_of(y_true), dtypes.int32))

    def result(self) -> Any:
        """The score so far."""
        total = self.squared_sum - self.sum * (self.sum / self.count)
        scores = 1 - self.total_mse / total
        scores = _ops.select(_ops.is_inf(scores), _ops.zeros_like(scores), scores)
        if self.class_aggregation == "uniform_average":
            scores = _ops.reduce_mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            scores = _ops.reduce_sum(total * scores) / _ops.reduce_sum(total)
        inputs = self.num_regressors
        if not inputs:
            return scores
        if _core.building() is not None:
            count = _ops.cast(self.num_samples, scores.dtype)
            adjusted = 1.0 - (1.0 - scores) * (count - 1.0) / (count - inputs - 1.0)
            return _ops.select(_ops.less(float(inputs), count - 1.0), adjusted, scores)
        samples = int(self.num_samples)
        if inputs >= samples - 1:
            warn(
                "More independent predictors than datapoints in adjusted R2 score. Falling back "
                "to standard R2 score."
                if inputs > samples - 1
                else "Division by zero in Adjusted R2 score. Falling back to standard R2 score."
            )
            return scores
        return 1.0 - (1.0 - scores) * (samples - 1.0) / (samples - inputs - 1.0)
