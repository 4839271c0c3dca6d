"""tf.keras.experimental: models of linear parts, and schedules under their older names."""

from eagerflow.keras.experimental.linear_model import LinearModel
from eagerflow.keras.experimental.sequence_features import SequenceFeatures
from eagerflow.keras.experimental.wide_deep import WideDeepModel
from eagerflow.keras.optimizers.schedules import CosineDecay, CosineDecayRestarts

__all__ = ["CosineDecay", "CosineDecayRestarts", "LinearModel", "SequenceFeatures", "WideDeepModel"]
