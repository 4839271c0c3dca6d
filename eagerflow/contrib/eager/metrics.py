"""tf.contrib.eager.metrics: averages over many batches."""

from eagerflow.keras.metrics import (
    Accuracy,
    BinaryAccuracy,
    CategoricalAccuracy,
    Mean,
    Metric,
    SparseCategoricalAccuracy,
)

SparseAccuracy = SparseCategoricalAccuracy

__all__ = [
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
    "Mean",
    "Metric",
    "SparseAccuracy",
]
