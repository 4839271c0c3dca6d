"""tf.__internal__.feature_column: the classes below columns, and their configurations."""

from eagerflow.feature_column.base import (
    DenseColumn,
    FeatureColumn,
    SequenceDenseColumn,
    StateManager,
)
from eagerflow.feature_column.base import TransformationCache as FeatureTransformationCache
from eagerflow.feature_column.serialization import (
    deserialize_feature_column,
    serialize_feature_column,
)

__all__ = [
    "DenseColumn",
    "FeatureColumn",
    "FeatureTransformationCache",
    "SequenceDenseColumn",
    "StateManager",
    "deserialize_feature_column",
    "serialize_feature_column",
]
