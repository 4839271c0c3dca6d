from eagerflow.keras.experimental.linear_model import LinearModel as LinearModel
from eagerflow.keras.experimental.sequence_features import SequenceFeatures as SequenceFeatures
from eagerflow.keras.experimental.wide_deep import WideDeepModel as WideDeepModel
from eagerflow.keras.optimizers.schedules.cosine import (
    CosineDecay as CosineDecay,
    CosineDecayRestarts as CosineDecayRestarts,
)
from eagerflow.keras.utils.sidecar import SidecarEvaluator as SidecarEvaluator
