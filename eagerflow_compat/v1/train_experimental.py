"""tf.compat.v1.train.experimental: scaled losses, and what checkpoints save besides variables."""

from eagerflow_compat.v1.loss_scale import (
    DynamicLossScale as DynamicLossScale,
)
from eagerflow_compat.v1.loss_scale import (
    FixedLossScale as FixedLossScale,
)
from eagerflow_compat.v1.loss_scale import (
    LossScale as LossScale,
)
from eagerflow_compat.v1.loss_scale import (
    MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer,
)
from eagerflow_compat.v1.loss_scale import (
    disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite,
)
from eagerflow_compat.v1.loss_scale import (
    enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite,
)
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.train.experimental")
