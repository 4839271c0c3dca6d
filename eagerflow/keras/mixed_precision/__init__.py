"""tf.keras.mixed_precision: which dtypes layers compute in and keep their weights in."""

from eagerflow.keras.mixed_precision.loss_scale_optimizer import LossScaleOptimizer
from eagerflow.keras.mixed_precision.policy import (
    Policy,
    global_policy,
    set_global_policy,
)

__all__ = ["LossScaleOptimizer", "Policy", "global_policy", "set_global_policy"]
