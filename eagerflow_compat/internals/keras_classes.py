"""Names of Keras's own modules for what is not public here either."""

from eagerflow.keras.engine.functional.node import KerasHistory, Node
from eagerflow.keras.layers.index_lookup import IndexLookup
from eagerflow.keras.layers.preprocessing_layer import PreprocessingLayer
from eagerflow.keras.layers.random_layer import BaseRandomLayer
from eagerflow.keras.losses.loss import LossFunctionWrapper
from eagerflow.keras.losses.weighting import remove_squeezable_dimensions
from eagerflow.keras.metrics.accuracy_metrics import binary_matches, sparse_categorical_matches
from eagerflow.keras.metrics.auc import AUCCurve, AUCSummationMethod
from eagerflow.keras.metrics.confusion import ConfusionMatrix
from eagerflow.keras.metrics.confusion_metrics import SensitivitySpecificityBase
from eagerflow.keras.metrics.reduction_metrics import MeanMetricWrapper, Reduce
from eagerflow.keras.mixed_precision.autocast import AutoCastVariable
from eagerflow.keras.utils.layer_utils import get_source_inputs

__all__ = [
    "AUCCurve",
    "AUCSummationMethod",
    "AutoCastVariable",
    "BaseRandomLayer",
    "ConfusionMatrix",
    "IndexLookup",
    "KerasHistory",
    "LossFunctionWrapper",
    "MeanMetricWrapper",
    "Node",
    "PreprocessingLayer",
    "Reduce",
    "SensitivitySpecificityBase",
    "binary_matches",
    "get_source_inputs",
    "remove_squeezable_dimensions",
    "sparse_categorical_matches",
]
