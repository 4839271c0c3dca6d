from eagerflow_compat.contrib.opt.adaptive import (
    AdaMaxOptimizer as AdaMaxOptimizer,
)
from eagerflow_compat.contrib.opt.adaptive import (
    LARSOptimizer as LARSOptimizer,
)
from eagerflow_compat.contrib.opt.adaptive import (
    LazyAdamOptimizer as LazyAdamOptimizer,
)
from eagerflow_compat.contrib.opt.adaptive import (
    NadamOptimizer as NadamOptimizer,
)
from eagerflow_compat.contrib.opt.moving_average import (
    MovingAverageOptimizer as MovingAverageOptimizer,
)
from eagerflow_compat.contrib.opt.scipy_interface import (
    ExternalOptimizerInterface as ExternalOptimizerInterface,
)
from eagerflow_compat.contrib.opt.scipy_interface import (
    ScipyOptimizerInterface as ScipyOptimizerInterface,
)
from eagerflow_compat.contrib.opt.signs import (
    AddSignOptimizer as AddSignOptimizer,
)
from eagerflow_compat.contrib.opt.signs import (
    PowerSignOptimizer as PowerSignOptimizer,
)
from eagerflow_compat.contrib.opt.weight_decay import (
    AdamWOptimizer as AdamWOptimizer,
)
from eagerflow_compat.contrib.opt.weight_decay import (
    DecoupledWeightDecayExtension as DecoupledWeightDecayExtension,
)
from eagerflow_compat.contrib.opt.weight_decay import (
    MomentumWOptimizer as MomentumWOptimizer,
)
from eagerflow_compat.contrib.opt.weight_decay import (
    extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay,
)
from eagerflow_compat.contrib.opt.clipping import (
    VariableClippingOptimizer as VariableClippingOptimizer,
    clip_gradients_by_global_norm as clip_gradients_by_global_norm,
)
