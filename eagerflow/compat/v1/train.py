"""tf.compat.v1.train: version 1's optimizers and what belongs to training."""

from eagerflow.v1.decay import (
    cosine_decay,
    exponential_decay,
    inverse_time_decay,
    natural_exp_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from eagerflow.v1.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from eagerflow.v1.mirror import mirror
from eagerflow.v1.optimizers import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    FtrlOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    Optimizer,
    ProximalGradientDescentOptimizer,
    RMSPropOptimizer,
)
from eagerflow.v1.saver import Saver, checkpoint_exists
from eagerflow.v1.summary import summary_iterator

__getattr__, __dir__ = mirror(__name__, "eagerflow.train", nodes=False)
