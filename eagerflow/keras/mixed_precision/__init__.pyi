from eagerflow.keras.mixed_precision import experimental as experimental
from eagerflow.keras.mixed_precision.policy import (
    Policy as Policy,
    global_policy as global_policy,
    set_global_policy as set_global_policy,
)
from eagerflow.keras.optimizers.loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer

DTypePolicy = Policy
dtype_policy = global_policy
set_dtype_policy = set_global_policy
