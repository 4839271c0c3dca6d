"""tf.compat.v1.mixed_precision: losses that are scaled for gradients in half precision."""

from eagerflow_compat.v1.loss_scale import (
    DynamicLossScale,
    FixedLossScale,
    LossScale,
    MixedPrecisionLossScaleOptimizer,
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, renamed={"experimental": "compat.v1.mixed_precision"})
