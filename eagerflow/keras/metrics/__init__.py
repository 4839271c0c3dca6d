"""tf.keras.metrics: what training and evaluation report."""

from __future__ import annotations

import warnings
from typing import Any

from eagerflow.keras.losses import (
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_hinge,
    hinge,
    kl_divergence,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)
from eagerflow.keras.metrics.accuracy import (
    Accuracy,
    BinaryAccuracy,
    CategoricalAccuracy,
    SparseCategoricalAccuracy,
    SparseTopKCategoricalAccuracy,
    TopKCategoricalAccuracy,
    accuracy,
    binary_accuracy,
    categorical_accuracy,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy,
)
from eagerflow.keras.metrics.auc import AUC
from eagerflow.keras.metrics.confusion_metrics import (
    FalseNegatives,
    FalsePositives,
    Precision,
    PrecisionAtRecall,
    Recall,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
    TrueNegatives,
    TruePositives,
)
from eagerflow.keras.metrics.correlation import (
    ConcordanceCorrelation,
    PearsonCorrelation,
    concordance_correlation,
    pearson_correlation,
)
from eagerflow.keras.metrics.f_score import F1Score, FBetaScore
from eagerflow.keras.metrics.iou import BinaryIoU, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU
from eagerflow.keras.metrics.loss_metrics import (
    BinaryCrossentropy,
    CategoricalCrossentropy,
    CategoricalHinge,
    Hinge,
    KLDivergence,
    LogCoshError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    Poisson,
    SparseCategoricalCrossentropy,
    SquaredHinge,
)
from eagerflow.keras.metrics.metric import Metric
from eagerflow.keras.metrics.reduction_metrics import (
    Mean,
    MeanMetricWrapper,
    MeanTensor,
    Sum,
    SumOverBatchSizeMetricWrapper,
)
from eagerflow.keras.metrics.regression import (
    CosineSimilarity,
    MeanRelativeError,
    R2Score,
    RootMeanSquaredError,
    cosine_similarity,
)
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object,
    serialize_keras_object,
)

acc = ACC = accuracy
bce = BCE = binary_crossentropy
mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
cosine_proximity = cosine_similarity

__all__ = [
    "AUC",
    "KLD",
    "MAE",
    "MAPE",
    "MSE",
    "MSLE",
    "Accuracy",
    "BinaryAccuracy",
    "BinaryCrossentropy",
    "BinaryIoU",
    "CategoricalAccuracy",
    "CategoricalCrossentropy",
    "CategoricalHinge",
    "CosineSimilarity",
    "F1Score",
    "FBetaScore",
    "FalseNegatives",
    "FalsePositives",
    "Hinge",
    "IoU",
    "KLDivergence",
    "LogCoshError",
    "Mean",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanIoU",
    "MeanMetricWrapper",
    "MeanRelativeError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "MeanTensor",
    "Metric",
    "OneHotIoU",
    "OneHotMeanIoU",
    "Poisson",
    "Precision",
    "PrecisionAtRecall",
    "ConcordanceCorrelation",
    "PearsonCorrelation",
    "R2Score",
    "concordance_correlation",
    "pearson_correlation",
    "Recall",
    "RecallAtPrecision",
    "RootMeanSquaredError",
    "SensitivityAtSpecificity",
    "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy",
    "SparseTopKCategoricalAccuracy",
    "SpecificityAtSensitivity",
    "SquaredHinge",
    "Sum",
    "TopKCategoricalAccuracy",
    "TrueNegatives",
    "TruePositives",
    "binary_accuracy",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_accuracy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "deserialize",
    "get",
    "hinge",
    "kl_divergence",
    "kld",
    "kullback_leibler_divergence",
    "log_cosh",
    "logcosh",
    "mae",
    "mape",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "mse",
    "msle",
    "poisson",
    "serialize",
    "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
    "squared_hinge",
    "top_k_categorical_accuracy",
]

# Names that stand for metrics where a program gives a string, beside those above.
_OTHER_NAMES = {
    "ACC": accuracy,
    "BCE": bce,
    "SumOverBatchSizeMetricWrapper": SumOverBatchSizeMetricWrapper,
    "acc": accuracy,
    "accuracy": accuracy,
    "bce": bce,
    "categorical_hinge": categorical_hinge,
    "cosine_proximity": cosine_similarity,
    "cosine_similarity": cosine_similarity,
}


def _objects() -> dict[str, Any]:
    """What a name may stand for: the classes and functions of this module."""
    found = {
        name: value
        for name, value in globals().items()
        if name in __all__ and name not in ("get", "serialize", "deserialize")
    }
    return found | _OTHER_NAMES


def serialize(metric: Any, use_legacy_format: bool = False) -> Any:
    """A metric as plain values: a dictionary of its class and arguments, or a function's name.

    >>> tf.keras.metrics.serialize(tf.keras.metrics.Precision(0.4))["config"]["thresholds"]
    0.4
    """
    if metric is None:
        return None
    if not isinstance(metric, Metric):
        warnings.warn(
            "The `keras.metrics.serialize()` API should only be used for objects of type "
            f"`keras.metrics.Metric`. Found an instance of type {type(metric)}, which may lead to "
            "improper serialization.",
            stacklevel=2,
        )
    if use_legacy_format:
        if hasattr(metric, "get_config"):
            return {"class_name": type(metric).__name__, "config": metric.get_config()}
        return metric.__name__
    return serialize_keras_object(metric)


def deserialize(
    config: Any, custom_objects: dict[str, Any] | None = None, use_legacy_format: bool = False
) -> Any:
    """The metric that a name or a configuration stands for.

    Raises:
        ValueError: if there is none.

    >>> tf.keras.metrics.deserialize("mse") is tf.keras.metrics.mean_squared_error
    True
    """
    return deserialize_keras_object(
        config,
        module_objects=_objects(),
        custom_objects=custom_objects,
        printable_module_name="metric function",
    )


def get(identifier: Any) -> Any:
    """A metric from its name, its configuration, or itself.

    Raises:
        ValueError: for an unknown name, and for what cannot be a metric.

    >>> type(tf.keras.metrics.get("AUC")).__name__
    'AUC'
    """
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret metric identifier: {identifier}")
