from eagerflow.keras.metrics import (
    Accuracy as Accuracy,
    BinaryAccuracy as BinaryAccuracy,
    CategoricalAccuracy as CategoricalAccuracy,
    Mean as Mean,
    Metric as Metric,
    SparseCategoricalAccuracy,
)

SparseAccuracy = SparseCategoricalAccuracy
