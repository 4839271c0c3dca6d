from eagerflow.contrib.opt.adaptive import (
    AdaMaxOptimizer as AdaMaxOptimizer,
    LARSOptimizer as LARSOptimizer,
    LazyAdamOptimizer as LazyAdamOptimizer,
    NadamOptimizer as NadamOptimizer,
)
from eagerflow.contrib.opt.moving_average import MovingAverageOptimizer as MovingAverageOptimizer
from eagerflow.contrib.opt.scipy_interface import (
    ExternalOptimizerInterface as ExternalOptimizerInterface,
    ScipyOptimizerInterface as ScipyOptimizerInterface,
)
from eagerflow.contrib.opt.signs import (
    AddSignOptimizer as AddSignOptimizer,
    PowerSignOptimizer as PowerSignOptimizer,
)
from eagerflow.contrib.opt.weight_decay import (
    AdamWOptimizer as AdamWOptimizer,
    DecoupledWeightDecayExtension as DecoupledWeightDecayExtension,
    extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay,
    MomentumWOptimizer as MomentumWOptimizer,
)
