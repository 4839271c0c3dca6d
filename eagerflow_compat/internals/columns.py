"""tf.__internal__.feature_column: the classes below columns, and their configurations."""

from typing import Any

from eagerflow.feature_column import base
from eagerflow.feature_column.base import DenseColumn, FeatureColumn, SequenceDenseColumn
from eagerflow.feature_column.base import TransformationCache as FeatureTransformationCache
from eagerflow.feature_column.serialization import (
    deserialize_feature_column,
    serialize_feature_column,
)
from eagerflow_compat.internals.tracking import no_automatic_dependency_tracking_scope
from eagerflow_compat.v1.variable_scope import get_variable

__all__ = [
    "DenseColumn",
    "FeatureColumn",
    "FeatureTransformationCache",
    "SequenceDenseColumn",
    "StateManager",
    "deserialize_feature_column",
    "serialize_feature_column",
]


class StateManager(base.StateManager):
    """Keeps the variables of columns as weights of a layer of another Keras.

    Args:
        layer: the layer.
        trainable: whether its weights are trained.
    """

    def __init__(self, layer: Any, trainable: bool) -> None:
        def make(
            column: Any, name: str, shape: Any, dtype: Any, wanted: bool, initializer: Any
        ) -> Any:
            with no_automatic_dependency_tracking_scope(layer):
                weight = layer.add_weight(
                    name=name,
                    shape=shape,
                    dtype=dtype,
                    initializer=initializer,
                    trainable=trainable and wanted,
                    getter=get_variable,
                )
            # Columns have weights of the same name.
            layer._track_trackable(weight, f"{column.name}/{name}")
            return weight

        super().__init__(make)
